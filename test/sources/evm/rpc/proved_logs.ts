import { byBlock, proveByReceipts } from '#sources/evm/blocks/prove_blocks.ts'
import type { BlockRange, LogFilter } from '#sources/evm/rpc/log_checks.ts'
import { readLogs, type LogsReading } from '#sources/evm/rpc/logs.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'

/** The logs of a range whose open blocks are proved by receipts, and the numbers of those that are not. */
export async function readProved(
  rpc: Rpc,
  filter: LogFilter,
  range: BlockRange,
): Promise<LogsReading & { unproved: number[] }> {
  const reading = await readLogs(rpc, filter, range)
  const logs = byBlock(reading.logs)
  const unproved = await proveByReceipts(rpc, filter, { open: reading.open, logs, by: 'block' }, (block) => {
    logs.set(block.header.block, block.logs)
  })
  const sorted = [...logs].toSorted(([a], [b]) => a - b).flatMap(([, own]) => own)
  return { ...reading, logs: sorted, unproved: unproved.map(({ block }) => block) }
}
