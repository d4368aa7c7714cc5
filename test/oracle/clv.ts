import type { Micros } from '#lake/columns.ts'

import { closeOf, closePrice, type Close, type Fill, type Kind, type Market, type Quote } from './clv_closes.ts'
import { population, type Population, type Shrunk } from './clv_population.ts'
import { roundHalfAway } from './round.ts'

/*
 * Read from the specification, where it leaves something open:
 *  1. A market with a known start is scored by `event_start` alone, all others by `markout_24h` alone.
 *  2. Both ends of a close window belong to it, as its brackets say. A rolling window excludes its first instant.
 *  3. A close is known when its window has ended: at the start itself, and 25 hours after a fill.
 *  4. A match counts once, by its taker's row, in that row's token. A trader's own part is taken out in either role: a
 *     taker's rows are left out, and a maker's part is taken out of the taker's row of the same transaction; where the
 *     two bought (or sold) the two tokens of a market, at what is left of 1. Self-trades of others stay in.
 *  5. 100 USD or more must be left after that, of cash before fees. Else the last midpoint recorded in the window
 *     counts. It is of outcome 0; outcome 1 of two is what is left of 1; a third outcome has none.
 *  6. The price a share is (cash + fee) / size of a buy, (cash - fee) / size of a sale. So q p is cash + fee and
 *     q (1 - p) is size - cash + fee, without rounding.
 *  7. Prices outside [0.02, 0.98] are the fill's own, before fees; both ends are inside.
 *  8. The reasons to leave out are tried in the order start, in_play, extreme, no_close, self; the first holds. In the
 *     close window a fill is `start`, after it `in_play`.
 *  9. Maker = taker: a trader with both roles in one transaction and market.
 * 10. Each table is computed from the rows of the one before it, as they are stored: close prices, edges of fills and
 *     edges of events are rounded to 6 places, halves away from 0. An event's edge is over its scored fills.
 *     An event with nothing at risk, such as dust that cost nothing, is none.
 * 11. An event lies in a range by the last close of its scored fills, and then counts whole. A fill counts for the
 *     share of scored fills by its own close; closes after the clock are in no range, 'all' included.
 * 12. The 95th percentile is the smallest value that at least 95 % do not exceed, over the trader's events of the kind
 *     in the range.
 * 13. The population of a kind and range is every trader with an event in it. With one trader tau2 is 0. Without one
 *     of 10 events there is no score. The anonymous trader '' has none, but its fills are prices.
 */

/**
 * CLV again, written from its specification alone: slow and obvious, one fill at a time, exact up to an event's edge.
 * `as_of` is the clock: what happened later must not be among the fills and quotes.
 */
export function oracleClv(input: { fills: Fill[]; markets: Market[]; quotes: Quote[]; as_of: Micros }): {
  fills: ScoredFill[]
  events: EventSum[]
  scores: Score[]
} {
  const fills = input.fills.filter(({ trader }) => trader !== '').map((fill) => scoredFill(fill, input))
  const events = eventSums(fills)
  const scores = (['30d', '90d', 'all'] as const).flatMap((range) =>
    (['event_start', 'markout_24h'] as const).map((kind) => scoreOf(range, kind, fills, events, input.as_of)),
  )
  return { fills, events, scores }
}

export type LeftOut = 'start' | 'in_play' | 'extreme' | 'no_close' | 'self'

/** A fill beside its close. Prices and USD in millionths; `edge` in millionths of a percentage point. */
export type ScoredFill = {
  fill: Fill
  kind: Kind
  close_at: Micros
  close: bigint | null
  edge: bigint | null
  risk: bigint
  left_out: LeftOut | null
}

/** A trader's scored fills of an event: `edge` (x_je) in millionths of a point, `risk` in millionths of a US dollar. */
export type EventSum = {
  trader: string
  kind: Kind
  event: string
  close_at: Micros
  edge: bigint
  risk: bigint
  n_fills: number
}

export type Range = '30d' | '90d' | 'all'
/** A kind's scores in a range; null where there are none. `weights` are the winsorised W_je in millionths. */
export type Score = {
  range: Range
  kind: Kind
  weights: { trader: string; event: string; W: bigint }[]
  population: Population | null
  traders: (Shrunk & { scored_share: number })[]
}

function scoredFill(
  fill: Fill,
  { fills, markets, quotes, as_of }: { fills: Fill[]; markets: Market[]; quotes: Quote[]; as_of: Micros },
): ScoredFill {
  const market = markets.find((each) => each.market === fill.market)
  if (market === undefined) throw new RangeError(`A fill is in market '${fill.market}': it must be a given market.`)
  const when = closeOf(fill, market)
  const close = when.ends_at <= as_of ? closePrice(fill, market, when, fills, quotes) : null
  const left_out = reason(fill, when, close, fills)
  const { kind, close_at } = when
  const edge = close === null ? null : edgeOf(fill, close)
  return { fill, kind, close_at, close, edge, risk: riskOf(fill), left_out }
}

function reason(fill: Fill, { opens_at, ends_at }: Close, close: bigint | null, fills: Fill[]): LeftOut | null {
  if (fill.ts >= opens_at && fill.ts <= ends_at) return 'start'
  if (fill.ts > ends_at) return 'in_play'
  if (fill.price < 20_000n || fill.price > 980_000n) return 'extreme'
  if (close === null) return 'no_close'
  const roles = fills.filter(
    (each) => each.trader === fill.trader && each.tx === fill.tx && each.market === fill.market,
  )
  if (roles.some(({ role }) => role === 'maker') && roles.some(({ role }) => role === 'taker')) return 'self'
  return null
}

/** d_i: 100 (c - p) of a buy, 100 (p - c) of a sale. */
function edgeOf({ side, cash, fee, size }: Fill, close: bigint): bigint {
  const gain = side === 'buy' ? close * size - (cash + fee) * 1_000_000n : (cash - fee) * 1_000_000n - close * size
  return roundHalfAway(100n * gain, size)
}

/** w_i: q p of a buy, q (1 - p) of a sale. */
const riskOf = ({ side, cash, fee, size }: Fill): bigint => (side === 'buy' ? cash + fee : size - (cash - fee))

function eventSums(fills: ScoredFill[]): EventSum[] {
  const sums: (EventSum & { moment: bigint })[] = []
  for (const { fill, kind, close_at, edge, risk, left_out } of fills) {
    if (left_out !== null || edge === null) continue
    const { trader, event } = fill
    let found = sums.find((each) => each.trader === trader && each.kind === kind && each.event === event)
    if (found === undefined) {
      found = { trader, kind, event, close_at, edge: 0n, risk: 0n, n_fills: 0, moment: 0n }
      sums.push(found)
    }
    found.close_at = Math.max(found.close_at, close_at)
    found.moment += risk * edge
    found.risk += risk
    found.n_fills += 1
  }
  return sums
    .filter(({ risk }) => risk > 0n)
    .map(({ moment, ...each }) => ({ ...each, edge: roundHalfAway(moment, each.risk) }))
}

function scoreOf(range: Range, kind: Kind, fills: ScoredFill[], events: EventSum[], as_of: Micros): Score {
  const isInRange = (each: { kind: Kind; close_at: Micros }): boolean =>
    each.kind === kind && each.close_at > as_of - length_us[range] && each.close_at <= as_of
  const inRange = events.filter(isInRange)
  const weights = inRange.map(({ trader, event, risk }) => {
    const cap = percentile95(inRange.filter((each) => each.trader === trader).map((each) => each.risk))
    return { trader, event, W: risk < cap ? risk : cap }
  })
  const terms = inRange.map(({ trader, event, edge }, i) => ({
    trader,
    event,
    x: Number(edge) / 1e6,
    W: Number(weights[i]?.W) / 1e6,
  }))
  const whole = terms.length === 0 ? null : population(terms)
  const traders = (whole?.traders ?? []).map((each) => {
    const own = fills.filter(({ fill, ...rest }) => fill.trader === each.trader && isInRange(rest))
    return { ...each, scored_share: own.filter(({ left_out }) => left_out === null).length / own.length }
  })
  return { range, kind, weights, population: whole, traders }
}

const day: Micros = 86_400_000_000
const length_us: Record<Range, number> = { '30d': 30 * day, '90d': 90 * day, all: Infinity }

/** The smallest of the values that at least 95 % of them do not exceed. */
function percentile95(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const value = sorted[Math.ceil((95 * sorted.length) / 100) - 1]
  if (value === undefined) throw new RangeError('A percentile needs at least one value.')
  return value
}
