import type { Journal, Entry } from './entry.ts'
import { openPosition, type Position } from './position.ts'
import { portion } from './round.ts'

/** The payout of a share of each outcome from `ts` on, in millionths of a US dollar. */
export type Resolution = { ts: bigint; payouts: bigint[] }

/** A trader's positions in one market, and the number of applied resolutions. */
export type Book = {
  journal: Journal
  trader: number
  market: number
  /** By outcome; a hole if the trader never touched it. */
  positions: (Position | undefined)[]
  resolutions: readonly Resolution[]
  n_resolved: number
}

/** A share, in millionths. */
export const share = 1_000_000n

/** The outcome that an event changes. Its first event creates it. */
export function touch(book: Book, outcome: number, { ts, seq }: { ts: bigint; seq: number }): Entry {
  const position = (book.positions[outcome] ??= openPosition(outcome, ts))
  position.lastAt = ts
  return { journal: book.journal, trader: book.trader, market: book.market, position, ts, seq }
}

/** The outcomes with events, in order. */
export const positionsOf = ({ positions }: Book): Position[] => positions.filter((position) => position !== undefined)

/** The outcomes with shares. */
export const held = (book: Book): Position[] => positionsOf(book).filter(({ size }) => size > 0n)

/** The value of shares of an outcome by a resolution. */
export const valueOf = (position: Position, { payouts }: Resolution): bigint =>
  portion(position.size, payouts[position.outcome] ?? 0n, share)

/** The current resolution; none before the first. */
export const resolutionOf = (book: Book): Resolution | undefined => book.resolutions[book.n_resolved - 1]

/** Applies the resolutions before an event: those of an earlier instant, and of this one if `isAfter`. */
export function resolveUntil(book: Book, ts: bigint, isAfter: boolean): void {
  for (let next = nextOf(book); next !== undefined; next = nextOf(book)) {
    if (next.ts > ts || (next.ts === ts && !isAfter)) return
    resolve(book, next)
  }
}

/** Applies the remaining resolutions. */
export function resolveAll(book: Book): void {
  for (let next = nextOf(book); next !== undefined; next = nextOf(book)) resolve(book, next)
}

const nextOf = (book: Book): Resolution | undefined => book.resolutions[book.n_resolved]

/**
 * Sells the held shares at their payout and buys them back at it. The result is realized now; a later redemption, sale
 * or correction realizes only the difference.
 */
function resolve(book: Book, resolution: Resolution): void {
  for (const position of held(book)) {
    const entry = touch(book, position.outcome, { ts: resolution.ts, seq: 0 })
    const value = valueOf(position, resolution)
    book.journal.realized(entry, 'resolution', position.size, value, position.cost)
    position.cost = value
  }
  book.n_resolved++
}
