import { type Position, take, lack } from './position.ts'
import { least, portion } from './round.ts'

export const realizationKinds = [
  'sale',
  'merge',
  'conversion',
  'redemption',
  'resolution',
  'transfer',
  'migration',
] as const

export type RealizationKind = (typeof realizationKinds)[number]

/** The output of the ledger; `flush` writes the remaining rows. */
export type Journal = {
  realized: (entry: Entry, kind: RealizationKind, size: bigint, proceeds: bigint, cost: bigint) => void
  /** Records shares that a conversion or a migration gave. Those that it took are realized. */
  received: (entry: Entry, size: bigint) => void
  held: (trader: number, market: number, position: Position) => void
  flush: () => void
}

/** A trader's outcome during an event, with the journal for its realizations and their trader, market and time. */
export type Entry = { journal: Journal; trader: number; market: number; position: Position; ts: bigint; seq: number }

/**
 * Sells `size` shares for `net`, the proceeds minus fees. Shares without a known purchase realize nothing: their part
 * of the proceeds is untracked, and the position is incomplete.
 */
export function sell(entry: Entry, kind: RealizationKind, size: bigint, net: bigint): void {
  const { position } = entry
  const held = least(size, position.size)
  if (held === 0n) return lack(position, size, net)
  const proceeds = held === size ? net : portion(net, held, size)
  realize(entry, kind, held, proceeds, take(position, held))
  lack(position, size - held, net - proceeds)
}

/** Records the proceeds of `size` shares that left a position at `cost`. */
export function realize(entry: Entry, kind: RealizationKind, size: bigint, proceeds: bigint, cost: bigint): void {
  entry.position.sold += proceeds
  entry.journal.realized(entry, kind, size, proceeds, cost)
}
