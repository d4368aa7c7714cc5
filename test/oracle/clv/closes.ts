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
  /** Null where the history does not report it: such a fill is scored, but gives no price. */
  role: 'maker' | 'taker' | null
}

/** `starts_at`: a start, release or deadline known beforehand. From `resolved_at` on a price is the payout. */
export type Market = {
  market: string
  category: string | null
  n_outcomes: number
  starts_at: Micros | null
  resolved_at: Micros | null
  /** The payout of outcome 0 from `resolved_at` on, in millionths of a US dollar. */
  payout: bigint
}

/** The midpoint of the book of outcome 0 from `ts` on, in millionths of a US dollar; null without one. */
export type Quote = { market: string; ts: Micros; mid: bigint | null }

/** All that prices are read from. `observed_at`: when the books of all markets were looked at. */
export type Prices = { fills: Fill[]; quotes: Quote[]; observed_at: Micros[] }

export type Kind = 'event_start' | 'markout_24h'
/** `known_at`: when the price can be asked for. `is_resolved`: the market resolved before the day after was over. */
export type Close = {
  kind: Kind
  opens_at: Micros
  close_at: Micros
  ends_at: Micros
  known_at: Micros
  is_resolved: boolean
}

export type LeftOut = 'start' | 'in_play' | 'extreme' | 'no_close' | 'self'

/** A fill beside one of its closes. Prices and USD in millionths; `edge` in units of 1e-24 percentage points. */
export type ScoredFill = {
  fill: Fill
  category: string
  is_resolved: boolean
  kind: Kind
  close_at: Micros
  close: bigint | null
  edge: bigint | null
  risk: bigint
  left_out: LeftOut | null
}

const minute: Micros = 60_000_000
const hour = 60 * minute
const share = 1_000_000n
const least_size = 200n * share
const least_takers = 3

/** The closes that a fill is held against: when their windows open and end, and the instant that stands for each. */
export function closesOf({ ts }: Fill, { starts_at, resolved_at }: Market): Close[] {
  const known_at = ts + 25 * hour
  const is_resolved = resolved_at !== null && ts < resolved_at && resolved_at <= known_at
  const ends_at = is_resolved ? resolved_at : known_at
  const markout: Close = {
    kind: 'markout_24h',
    opens_at: ends_at - 2 * hour,
    close_at: is_resolved ? ends_at : ts + 24 * hour,
    ends_at,
    known_at,
    is_resolved,
  }
  if (starts_at === null) return [markout]
  const start = { opens_at: starts_at - 15 * minute, close_at: starts_at, ends_at: starts_at, known_at: starts_at }
  return [{ kind: 'event_start', ...start, is_resolved: false }, markout]
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
  const { cash, size, takers } = ofOthers(inside, fill, market)
  if (size >= least_size && takers >= least_takers) return roundHalfAway(cash * share, size)

  const books = quotes.filter((each) => each.market === market.market && isOpen(each.ts) && each.ts <= close.close_at)
  const last = books.toSorted((a, b) => a.ts - b.ts).at(-1)
  if (last === undefined || last.mid === null) return null
  const isFresh = [last.ts, ...observed_at].some((ts) => close.opens_at <= ts && ts <= close.close_at && isOpen(ts))
  if (!isFresh || (fill.outcome > 0 && market.n_outcomes > 2)) return null
  return fill.outcome === 0 ? last.mid : share - last.mid
}

/**
 * The matches among other traders, at the price of the fill's token, each match once, as its taker's row has it.
 * The two tokens of a market of two are one book: a payment of p for one is a sale of the other at 1 - p.
 */
function ofOthers(
  fills: Fill[],
  { trader, outcome }: Fill,
  { n_outcomes }: Market,
): { cash: bigint; size: bigint; takers: number } {
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
  const takers = book.filter((each) => each.role === 'taker' && each.trader !== trader && isTakenOfOthers(each, book))
  return { cash, size, takers: new Set(takers.map((each) => each.trader)).size }
}

/** A taker counts with what it took of others than itself; those without a name are one. */
function isTakenOfOthers(taken: Fill, book: Fill[]): boolean {
  const own = book.filter((each) => each.role === 'maker' && each.tx === taken.tx && each.trader === taken.trader)
  return own.reduce((sum, each) => sum + each.size, 0n) < taken.size
}
