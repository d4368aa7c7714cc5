import type { BlockRange, LogFilter } from '#sources/evm/rpc/log_checks.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'

import type { BlocksReading, TakeBlock } from './raw_block.ts'
import { readByLogs } from './read_by_logs.ts'
import { readWholeBlocks } from './read_whole_blocks.ts'

/** What is read of a range: `is_whole` for all transactions, else the logs of a filter. Blocks from `final` on may change. */
export type Reach = { filter: LogFilter; is_whole: boolean; final: number }

/** Reads a range of blocks, and hands on each block once it is read and checked. */
export const readBlocks = async (
  rpc: Rpc,
  range: BlockRange,
  { filter, is_whole, final }: Reach,
  take: TakeBlock,
): Promise<BlocksReading> => {
  if (range.from === range.to) return { proofs: [], unproved: [] }
  return is_whole ? readWholeBlocks(rpc, range, take) : readByLogs(rpc, range, { filter, final }, take)
}
