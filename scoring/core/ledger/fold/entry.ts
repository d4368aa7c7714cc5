import { type Position, take, lack } from './position.ts'
import { least, portion } from './round.ts'

export const realizationKinds = ['sale', 'merge', 'conversion', 'redemption', 'resolution'] as const

export type RealizationKind = (typeof realizationKinds)[number]

/** Where the ledger writes its results; `flush` hands over what is left. */
export type Journal = {
  realized: (entry: Entry, kind: RealizationKind, size: bigint, proceeds: bigint, cost: bigint) => void
  held: (trader: number, market: number, position: Position) => void
  flush: () => void
}

/** An outcome of a trader as an event touches it: where what it realizes is written down, and by whom, where and when. */
export type Entry = { journal: Journal; trader: number; market: number; position: Position; ts: bigint; seq: number }

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
