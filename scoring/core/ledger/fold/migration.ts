import { realize, type Entry } from './entry.ts'
import { add, lack, take } from './position.ts'
import { least } from './round.ts'

/** Shares that a migration took and has not given yet: of `size` shares, the `held` ones had the cost. */
export type InTransit = { size: bigint; held: bigint; cost: bigint }[]

/** Takes the shares of a token at their cost. Shares without a known purchase have none to carry over. */
export function migrateFrom(inTransit: InTransit, entry: Entry, size: bigint): void {
  const { position } = entry
  const held = least(size, position.size)
  const cost = held === 0n ? 0n : take(position, held)
  if (held > 0n) realize(entry, 'migration', held, cost, cost)
  lack(position, size - held, 0n)
  inTransit.push({ size, held, cost })
}

/** Gives as many shares of another token, with the cost of those that were taken for them. */
export function migrateTo(inTransit: InTransit, entry: Entry, size: bigint): void {
  const place = inTransit.findIndex((each) => each.size === size)
  const [taken] = place === -1 ? [] : inTransit.splice(place, 1)
  const held = taken?.held ?? 0n
  if (held > 0n) {
    add(entry.position, held, taken?.cost ?? 0n)
    entry.journal.received(entry, held)
  }
  // The rest was counted where it was taken, unless nothing was.
  if (taken === undefined) lack(entry.position, size, 0n)
}
