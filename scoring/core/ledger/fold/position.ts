import { portion } from './round.ts'
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

/** Notes shares that were never seen bought, or cash that no shares explain. */
export function lack(position: Position, size: bigint, cash: bigint): void {
  position.sizeUntracked += size
  position.untracked += cash
  if (size > 0n || cash !== 0n) position.isComplete = false
}
