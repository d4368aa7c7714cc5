import type { Journal, RealizationKind } from './journal.ts'
import { least, portion } from './round.ts'

/**
 * A trader's outcome at average cost. Amounts are millionths of a share or of a US dollar, instants microseconds. What
 * it has realized is no field of its own: `sold` + `cost` - `bought`, since a resolution moves `cost` to the payout.
 */
export type Position = {
  outcome: number
  size: bigint
  cost: bigint
  bought: bigint
  sold: bigint
  fees: bigint
  sizeUntracked: bigint
  untracked: bigint
  firstAt: bigint
  lastAt: bigint
  isComplete: boolean
}

/** An outcome of a trader as an event touches it: where what it realizes is written down, and by whom, where and when. */
export type Entry = { journal: Journal; trader: number; market: number; position: Position; ts: bigint; seq: number }

/** A position before anything happened to it. */
export const openPosition = (outcome: number, ts: bigint): Position => ({
  outcome,
  size: 0n,
  cost: 0n,
  bought: 0n,
  sold: 0n,
  fees: 0n,
  sizeUntracked: 0n,
  untracked: 0n,
  firstAt: ts,
  lastAt: ts,
  isComplete: true,
})

/** Adds shares at what was paid for them, fees included. */
export function add(position: Position, size: bigint, cost: bigint): void {
  position.size += size
  position.cost += cost
  position.bought += cost
}

/** Takes shares that are held out of a position, and gives what they cost on average. */
export function take(position: Position, size: bigint): bigint {
  const cost = size === position.size ? position.cost : portion(position.cost, size, position.size)
  position.size -= size
  position.cost -= cost
  return cost
}

/**
 * Sells `size` shares for `net`, fees taken off. Shares that were never seen bought realize nothing: their part of the
 * proceeds is untracked, and the position incomplete.
 */
export function sell(entry: Entry, kind: RealizationKind, size: bigint, net: bigint): void {
  const { position } = entry
  const held = least(size, position.size)
  if (held === 0n) return lack(position, size, net)
  const proceeds = held === size ? net : portion(net, held, size)
  realize(entry, kind, held, proceeds, take(position, held))
  lack(position, size - held, net - proceeds)
}

/** Enters what `size` shares, taken out of a position at `cost`, brought. */
export function realize(entry: Entry, kind: RealizationKind, size: bigint, proceeds: bigint, cost: bigint): void {
  entry.position.sold += proceeds
  entry.journal.realized(entry, kind, size, proceeds, cost)
}

/** Notes shares that were never seen bought, or cash that no shares explain. */
export function lack(position: Position, size: bigint, cash: bigint): void {
  position.sizeUntracked += size
  position.untracked += cash
  if (size > 0n || cash !== 0n) position.isComplete = false
}
