import { roundHalfEven } from '#test/oracle/round.ts'
import type { Micros } from '#time.ts'

import type { LedgerEvent, Position, Realization } from './event.ts'

/** All that is known of one trader so far. */
export type Book = {
  trader: string
  positions: Position[]
  realizations: Realization[]
  /** The latest payouts of each resolved market. */
  payouts: Map<string, bigint[]>
  /** Conversions whose questions the source did not report. */
  unknown: LedgerEvent[]
}

export function purchase(book: Book, event: LedgerEvent): void {
  const position = touched(book, event.market_id, event.outcome, event.ts)
  acquire(position, event.size, event.cash + event.fee)
  position.fees += event.fee
}

export function sale(book: Book, event: LedgerEvent): void {
  const position = touched(book, event.market_id, event.outcome, event.ts)
  position.fees += event.fee
  sell(book, event, position, event.cash - event.fee, 'sale')
}

export function split(book: Book, event: LedgerEvent): void {
  const [first, second] = halves(event.size)
  acquire(touched(book, event.market_id, 0, event.ts), event.size, first)
  acquire(touched(book, event.market_id, 1, event.ts), event.size, second)
}

export function merge(book: Book, event: LedgerEvent): void {
  const [first, second] = halves(event.size)
  sell(book, event, touched(book, event.market_id, 0, event.ts), first, 'merge')
  sell(book, event, touched(book, event.market_id, 1, event.ts), second, 'merge')
}

/** Shares from somebody else cost their value. */
export const transferIn = (book: Book, event: LedgerEvent): void =>
  acquire(touched(book, event.market_id, event.outcome, event.ts), event.size, event.cash)

/** Shares for somebody else bring their value. */
export const transferOut = (book: Book, event: LedgerEvent): void =>
  sell(book, event, touched(book, event.market_id, event.outcome, event.ts), event.cash, 'transfer')

/** A redemption that names its outcome. */
export const redeemed = (book: Book, event: LedgerEvent): void =>
  sell(book, event, touched(book, event.market_id, event.outcome, event.ts), event.cash, 'redemption')

/** A redemption of as many shares of both outcomes, the first with its payout and the second with the rest. */
export function redeemedPairs(book: Book, event: LedgerEvent): void {
  const payout = book.payouts.get(event.market_id)?.[0] ?? 1_000_000n
  const value = roundHalfEven(event.size * payout, 1_000_000n)
  const first = value < event.cash ? value : event.cash
  sell(book, event, touched(book, event.market_id, 0, event.ts), first, 'redemption')
  sell(book, event, touched(book, event.market_id, 1, event.ts), event.cash - first, 'redemption')
}

/** Shares of one market become as many of another one. Their cost goes along; what was never bought has none. */
export function migration(book: Book, event: LedgerEvent): void {
  if (event.target === null) throw new RangeError('A migration has no target: it must name the shares that came.')
  const from = touched(book, event.market_id, event.outcome, event.ts)
  const to = touched(book, event.target.market_id, event.target.outcome, event.ts)
  const size = event.size < from.size ? event.size : from.size
  if (size < event.size) {
    from.size_untracked += event.size - size
    from.is_complete = false
  }
  if (size === 0n) return
  const cost = costOf(from, size)
  realize(book, event, from, 'migration', size, cost)
  acquire(to, size, cost)
}

/** The value of each side of a pair of shares in a split or a merge; the pair is worth one USD. */
function halves(size: bigint): [bigint, bigint] {
  const first = roundHalfEven(size, 2n)
  return [first, size - first]
}

/** Sells `event.size` for `net`: held shares are realized, and the proceeds of other shares are untracked. */
function sell(book: Book, event: LedgerEvent, position: Position, net: bigint, kind: Realization['kind']): void {
  const tracked_size = event.size < position.size ? event.size : position.size
  const tracked = tracked_size === event.size ? net : roundHalfEven(net * tracked_size, event.size)
  if (tracked_size < event.size) {
    position.size_untracked += event.size - tracked_size
    position.untracked += net - tracked
    position.is_complete = false
  }
  if (tracked_size > 0n) realize(book, event, position, kind, tracked_size, tracked)
}

export function acquire(position: Position, size: bigint, cost: bigint): void {
  position.size += size
  position.cost += cost
  position.bought += cost
}

/** Takes `size` out of a position for `proceeds` and writes the row of it; `size` is above 0 and held. */
export function realize(
  book: Book,
  event: LedgerEvent,
  position: Position,
  kind: Realization['kind'],
  size: bigint,
  proceeds: bigint,
): void {
  const cost = costOf(position, size)
  record(book, event, position, kind, size, proceeds, cost)
  position.size -= size
  position.cost -= cost
  position.sold += proceeds
}

/** Writes the row of a result and adds it to the position's realized; the shares held and their cost do not change. */
export function record(
  book: Book,
  event: LedgerEvent,
  position: Position,
  kind: Realization['kind'],
  size: bigint,
  proceeds: bigint,
  cost: bigint,
): void {
  const { trader, market_id, outcome } = position
  const { ts, tx, seq } = event
  const pnl = proceeds - cost
  book.realizations.push({ trader, market_id, outcome, ts, kind, tx, seq, size, proceeds, cost, pnl })
  position.realized += pnl
}

/** The cost that `size` of what is held takes with it. */
export function costOf(position: Position, size: bigint): bigint {
  return size === position.size ? position.cost : roundHalfEven(position.cost * size, position.size)
}

/** The positions of the trader in a market, by outcome. */
export function heldIn(book: Book, market_id: string): Position[] {
  return book.positions
    .filter((position) => position.market_id === market_id && position.size > 0n)
    .sort((a, b) => a.outcome - b.outcome)
}

/** The trader's position in an outcome, made when it is not there, and seen at `ts`. */
export function touched(book: Book, market_id: string, outcome: number, ts: Micros): Position {
  const known = book.positions.find((each) => each.market_id === market_id && each.outcome === outcome)
  if (known !== undefined) {
    known.last_at = ts
    return known
  }
  const made: Position = {
    trader: book.trader,
    market_id,
    outcome,
    size: 0n,
    cost: 0n,
    bought: 0n,
    sold: 0n,
    fees: 0n,
    realized: 0n,
    size_untracked: 0n,
    untracked: 0n,
    first_at: ts,
    last_at: ts,
    is_complete: true,
  }
  book.positions.push(made)
  return made
}
