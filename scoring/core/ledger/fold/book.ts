import type { Journal, Entry } from './entry.ts'
import { openPosition, type Position } from './position.ts'
import { portion } from './round.ts'

/** What a share of each outcome pays from `ts` on, in millionths of a US dollar. */
export type Resolution = { ts: bigint; payouts: bigint[] }

/** A trader's positions in one market, and how far its resolutions were entered. */
export type Book = {
  journal: Journal
  trader: number
  market: number
  /** By outcome; a hole where the trader never touched it. */
  positions: (Position | undefined)[]
  resolutions: readonly Resolution[]
  n_resolved: number
}

/** A share, in millionths. */
const share = 1_000_000n

/** An outcome about to be touched by an event. It comes into being with its first one. */
export function touch(book: Book, outcome: number, { ts, seq }: { ts: bigint; seq: number }): Entry {
  const position = (book.positions[outcome] ??= openPosition(outcome, ts))
  position.lastAt = ts
  return { journal: book.journal, trader: book.trader, market: book.market, position, ts, seq }
}

/** The outcomes that were ever touched, in their order. */
export const positionsOf = ({ positions }: Book): Position[] => positions.filter((position) => position !== undefined)

/** Those that hold shares. */
export const held = (book: Book): Position[] => positionsOf(book).filter(({ size }) => size > 0n)

/** What shares of an outcome are worth by a resolution. */
export const valueOf = (position: Position, { payouts }: Resolution): bigint =>
  portion(position.size, payouts[position.outcome] ?? 0n, share)

/** The resolution that holds now; none before the first. */
export const resolutionOf = (book: Book): Resolution | undefined => book.resolutions[book.n_resolved - 1]

/** Enters the resolutions that come before an event: those of an earlier instant, and of this one if `isAfter`. */
export function resolveUntil(book: Book, ts: bigint, isAfter: boolean): void {
  for (let next = nextOf(book); next !== undefined; next = nextOf(book)) {
    if (next.ts > ts || (next.ts === ts && !isAfter)) return
    resolve(book, next)
  }
}

/** Enters the resolutions that are left. */
export function resolveAll(book: Book): void {
  for (let next = nextOf(book); next !== undefined; next = nextOf(book)) resolve(book, next)
}

const nextOf = (book: Book): Resolution | undefined => book.resolutions[book.n_resolved]

/**
 * Sells what is held at its payout and buys it back at it: the result is realized now, and a later redemption or sale
 * realizes only the difference. So does a correction.
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
