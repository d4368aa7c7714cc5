import { portion } from './round.ts'
/**
 * A trader's outcome at average cost. Amounts are millionths of a share or of a US dollar, instants microseconds. Its
 * realized result is `sold` + `cost` - `bought`, since a resolution moves `cost` to the payout.
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
/** A position before its first event. */
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

/** Adds shares at their cost, fees included. */
export function add(position: Position, size: bigint, cost: bigint): void {
  position.size += size
  position.cost += cost
  position.bought += cost
}

/** Removes held shares from a position, and returns their average cost. */
export function take(position: Position, size: bigint): bigint {
  const cost = size === position.size ? position.cost : portion(position.cost, size, position.size)
  position.size -= size
  position.cost -= cost
  return cost
}

/** Records shares without a known purchase, or cash without known shares. */
export function lack(position: Position, size: bigint, cash: bigint): void {
  position.sizeUntracked += size
  position.untracked += cash
  if (size > 0n || cash !== 0n) position.isComplete = false
}
