import { receiptsMethod, type MinedTransaction } from '#sources/evm/rpc/blocks.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import { blocksWithReceipts } from '#sources/evm/rpc/full_blocks.ts'
import { matches, type LogFilter } from '#sources/evm/rpc/log_checks.ts'
import type { Log } from '#sources/evm/rpc/log_shape.ts'
import { readLogsElsewhere, type LogsReading } from '#sources/evm/rpc/logs.ts'
import { proofOf, type Proof } from '#sources/evm/rpc/proof.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Header } from '#sources/evm/rpc/shapes.ts'

/** A block whose receipts prove its wanted logs: the transactions with a log of `places`, and its other wanted logs. */
export type ProvedBlock = { header: Header; mined: MinedTransaction[]; logs: Log[]; proof: Proof }

/** The logs of a range by block. */
export type LogsByBlock = ReadonlyMap<number, readonly Log[]>

/**
 * Proves blocks by all their receipts, and hands each on as the receipts have it: also with logs that the range lacked.
 * Returns the blocks that no endpoint proves. Receipts come `block` by block, or one by one where `any` is allowed.
 */
export async function proveByReceipts(
  rpc: Rpc,
  filter: LogFilter,
  { open, logs, by }: { open: readonly Header[]; logs: LogsByBlock; by: 'block' | 'any' },
  take: (block: ProvedBlock) => void,
): Promise<Header[]> {
  const groups = groupsOf(open)
  for (const [n, group] of groups.entries()) {
    const needs = { firstBlock: group[0]?.block ?? 0, ...(by === 'block' && { method: receiptsMethod }) }
    try {
      for (const block of await rpc.at((node) => provedBlocks(node, filter, { open: group, logs, by }), needs))
        take(block)
    } catch (error) {
      if (!isWithoutProof(error)) throw error
      return groups.slice(n).flat()
    }
  }
  return []
}

/** Whether an endpoint answered, and what it has is no proof. Other faults pass. */
const isWithoutProof = (error: unknown): boolean =>
  error instanceof ChainFault &&
  (error.faults.length === 0 || error.faults.some(({ kind }) => kind === 'method' || kind === 'check'))

/** A failed request repeats the blocks of one group: 20, or at least 5 and so many transactions. */
const mostOfGroup = { blocks: 20, busyBlocks: 5, transactions: 1_000 }

function groupsOf(headers: readonly Header[]): Header[][] {
  const groups: Header[][] = []
  let n_transactions = Infinity
  for (const header of headers) {
    const last = groups.at(-1)
    const { blocks, busyBlocks, transactions } = mostOfGroup
    const most = n_transactions > transactions ? busyBlocks : blocks
    if (last === undefined || last.length >= most) {
      groups.push([header])
      n_transactions = 0
    } else last.push(header)
    n_transactions += header.n_transactions ?? transactions / busyBlocks
  }
  return groups
}

async function provedBlocks(
  node: Parameters<Parameters<Rpc['at']>[0]>[0],
  filter: LogFilter,
  { open, logs, by }: { open: readonly Header[]; logs: LogsByBlock; by: 'block' | 'any' },
): Promise<ProvedBlock[]> {
  const isWanted = matches(filter)
  const isSwap = ({ topics: [topic = ''] }: Log): boolean => filter.places?.has(topic) === true
  const read = await blocksWithReceipts(node, open, (receipt) => receipt.logs.some(isSwap), by)
  return read.map(({ header, receipts, mined }) => {
    const all = receipts.flatMap((receipt) => receipt.logs).filter(isWanted)
    const shown = logs.get(header.block) ?? []
    assertShown(header, all, shown)
    const proof = proofOf(header, receipts, all.length > shown.length)
    const withSwap = new Set(mined.map(({ transaction }) => transaction.hash))
    return { header, mined, logs: all.filter(({ tx }) => !withSwap.has(tx)), proof }
  })
}

/** Throws a fault if receipts lack a log that the range has. */
function assertShown({ block }: Header, all: readonly Log[], shown: readonly Log[]): void {
  // Nearly always both are the same, and comparing costs less than a text of each log.
  if (all.length === shown.length && shown.every((log, n) => isAt(log, all[n]))) return
  const places = new Set(all.map(placeOf))
  const missing = shown.find((log) => !places.has(placeOf(log)))
  if (missing === undefined) return
  throw new RpcFault('check', `block ${block}: its receipts lack log ${missing.log_index} of the range`)
}

const isAt = (log: Log, other: Log | undefined): boolean =>
  log.log_index === other?.log_index &&
  log.tx === other.tx &&
  log.block_hash === other.block_hash &&
  log.topics[0] === other.topics[0]

const placeOf = ({ block_hash, tx, log_index, topics }: Log): string =>
  `${block_hash} ${tx} ${log_index} ${topics[0] ?? ''}`

/** The blocks of which a second endpoint has the same logs. */
export async function blocksOfTwoEndpoints(
  rpc: Rpc,
  filter: LogFilter,
  { steps, headers }: Pick<LogsReading, 'steps' | 'headers'>,
  { open, logs }: { open: readonly Header[]; logs: LogsByBlock },
): Promise<Set<number>> {
  const same = new Set<number>()
  for (const { from, to, name } of steps) {
    const asked = open.map(({ block }) => block).filter((block) => block >= from && block < to)
    if (asked.length === 0) continue
    const range = { from: Math.min(...asked), to: Math.max(...asked) + 1, name }
    const answer = await readLogsElsewhere(rpc, filter, range, headers).catch((error: unknown) => {
      if (!(error instanceof ChainFault)) throw error
    })
    // An endpoint that does not answer now is not asked for every step.
    if (answer === undefined) break
    const again = byBlock(answer)
    for (const block of asked) if (placesOf(again.get(block)) === placesOf(logs.get(block))) same.add(block)
  }
  return same
}

const placesOf = (logs: readonly Log[] = []): string => logs.map(placeOf).join()

/** Logs by their blocks, in their order. */
export function byBlock(logs: readonly Log[]): Map<number, Log[]> {
  const blocks = new Map<number, Log[]>()
  for (const log of logs) {
    const same = blocks.get(log.block)
    if (same === undefined) blocks.set(log.block, [log])
    else same.push(log)
  }
  return blocks
}
