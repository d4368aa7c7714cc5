import { roundHalfAway } from '#test/oracle/round.ts'
import type { Micros } from '#time.ts'

/** A participant's side of a match. Amounts are millionths of a US dollar or a share; `cash` is before the fee. */
export type Fill = {
  trader: string
  event: string
  market: string
  outcome: number
  ts: Micros
  tx: string
  side: 'buy' | 'sell'
  price: bigint
  size: bigint
  cash: bigint
  fee: bigint
  /** Null where the history does not report it: such a fill is scored, but is nobody's price. */
  role: 'maker' | 'taker' | null
}

/** `starts_at`: a start, release or deadline known beforehand. From `resolved_at` on a price is the payout. */
export type Market = { market: string; n_outcomes: number; starts_at: Micros | null; resolved_at: Micros | null }

/** What the book of outcome 0 said from then on: its midpoint in millionths of a US dollar, null where it had none. */
export type Quote = { market: string; ts: Micros; mid: bigint | null }

/** All that prices are read from. `observed_at`: when the books of all markets were looked at. */
export type Prices = { fills: Fill[]; quotes: Quote[]; observed_at: Micros[] }

export type Kind = 'event_start' | 'markout_24h'
export type Close = { kind: Kind; opens_at: Micros; close_at: Micros; ends_at: Micros }

const minute: Micros = 60_000_000
const hour = 60 * minute
const share = 1_000_000n
const least_cash = 100n * 1_000_000n

/** The closes that a fill is held against: when their windows open and end, and the instant that stands for each. */
export function closesOf({ ts }: Fill, { starts_at }: Market): Close[] {
  const markout = {
    kind: 'markout_24h',
    opens_at: ts + 23 * hour,
    close_at: ts + 24 * hour,
    ends_at: ts + 25 * hour,
  } as const
  if (starts_at === null) return [markout]
  return [{ kind: 'event_start', opens_at: starts_at - 15 * minute, close_at: starts_at, ends_at: starts_at }, markout]
}

/** The price of the fill's own token at its close, without the trader's own part; null where nothing reports it. */
export function closePrice(
  fill: Fill,
  market: Market,
  close: Close,
  { fills, quotes, observed_at }: Prices,
): bigint | null {
  const isOpen = (ts: Micros): boolean => market.resolved_at === null || ts < market.resolved_at
  const trades = fills.filter((each) => each.market === market.market && isOpen(each.ts))
  const inside = trades.filter(({ ts }) => close.opens_at <= ts && ts <= close.ends_at)
  const { cash, size } = ofOthers(inside, fill, market)
  if (cash >= least_cash && size > 0n) return roundHalfAway(cash * share, size)

  const books = quotes.filter((each) => each.market === market.market && isOpen(each.ts) && each.ts <= close.close_at)
  const last = books.toSorted((a, b) => a.ts - b.ts).at(-1)
  if (last === undefined || last.mid === null) return null
  const isFresh = [last.ts, ...observed_at].some((ts) => close.opens_at <= ts && ts <= close.close_at && isOpen(ts))
  if (!isFresh || (fill.outcome > 0 && market.n_outcomes > 2)) return null
  return fill.outcome === 0 ? last.mid : share - last.mid
}

/**
 * What others matched among themselves, at the price of the fill's token, each match once, as its taker's row has it.
 * The two tokens of a market of two are one book: who pays p for one takes 1 - p for the other.
 */
function ofOthers(fills: Fill[], { trader, outcome }: Fill, { n_outcomes }: Market): { cash: bigint; size: bigint } {
  const book = fills.filter((each) => n_outcomes === 2 || each.outcome === outcome)
  let cash = 0n
  let size = 0n
  const add = (each: Fill, sign: bigint): void => {
    cash += sign * (each.outcome === outcome ? each.cash : each.size - each.cash)
    size += sign * each.size
  }
  for (const taken of book.filter(({ role }) => role === 'taker')) if (taken.trader !== trader) add(taken, 1n)
  for (const made of book.filter(({ role }) => role === 'maker')) {
    const takers = book.filter((each) => each.role === 'taker' && each.tx === made.tx).map((each) => each.trader)
    const isSelf = takers.includes(made.trader)
    const isOwn = made.trader === trader
    // The taker's row holds what the trader made of it, and what its taker made itself: no price of others.
    if (isOwn ? takers.length > 0 && !isSelf : isSelf) add(made, -1n)
  }
  return { cash, size }
}
