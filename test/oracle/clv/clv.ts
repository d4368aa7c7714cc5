import { roundHalfAway } from '#test/oracle/round.ts'
import type { Micros } from '#time.ts'

import { closePrice, closesOf, type Close, type Fill, type Kind, type Market, type Prices } from './closes.ts'
import { population, type Population, type Shrunk } from './population.ts'

/*
 * Read from the specification, where it leaves something open:
 *  1. A fill of a market with a known start has both closes, any other the one a day later. The latter is in play where
 *     its window reaches the start, as the fill itself is from the start on: what is seen then is the outcome.
 *  2. Both ends of a close window belong to it, as its brackets say. A rolling window excludes its first instant.
 *  3. A close is known when its window has ended: at the start itself, and 25 hours after a fill.
 *  4. A match counts once, by its taker's row. The two tokens of a market of two outcomes are one book, so that a match in
 *     either is a price of both; of more outcomes each stands alone. What its trader took or made is left out of the
 *     close, and so is what anybody traded with themselves. A maker's row is taken out of the taker's row of its
 *     transaction, and out of nothing where there is none.
 *  5. 100 USD or more must be left after that, of cash before fees, at the price of the fill's token. Else the last
 *     midpoint at or before the close counts, if it was recorded in the window, or the books were looked at in it and had
 *     not changed. It is of outcome 0; outcome 1 of two is what is left of 1; a third outcome has none.
 *  6. From a market's resolution on a price is the payout: neither fills nor midpoints count.
 *  7. The price a share is (cash + fee) / size of a buy, (cash - fee) / size of a sale. So q p is cash + fee and
 *     q (1 - p) is size - cash + fee, without rounding.
 *  8. Prices outside [0.02, 0.98] are the fill's own, before fees; both ends are inside.
 *  9. The reasons to leave out are tried in the order start or in_play, extreme, no_close, self; the first holds.
 * 10. Maker = taker: a trader with both roles in one transaction and market.
 * 11. Closes are rounded to millionths, halves away from 0; edges are not. An event's edge is over its scored fills. An
 *     event with nothing at risk, such as dust that cost nothing, is none.
 * 12. An event lies in a range by the last close of its scored fills, and then counts whole. A fill counts for the
 *     share of scored fills by its own close; 'all' has those whose close is still to come.
 * 13. The 95th percentile is over the trader's events of the kind in the range. Of n sorted values it lies at
 *     0.95 (n - 1), counted from 0, between two of them in proportion.
 * 14. The population of a kind and range is every trader with an event in it. With one trader tau2 is 0. Without one
 *     of 10 events there is no score. The anonymous trader '' has none, but its fills are prices. A fill of no shares is none.
 */

/**
 * CLV again, written from its specification alone: slow and obvious, one fill at a time, exact up to an event's edge.
 * `as_of` is the clock: what happened later must not be among the rows.
 */
export function oracleClv(input: ClvInput): {
  fills: ScoredFill[]
  events: EventSum[]
  scores: Score[]
} {
  const fills = input.fills
    .filter(({ trader, size }) => trader !== '' && size > 0n)
    .flatMap((fill) => scoredFills(fill, input))
  const events = eventSums(fills)
  const scores = (['30d', '90d', 'all'] as const).flatMap((range) =>
    (['event_start', 'markout_24h'] as const).map((kind) => scoreOf(range, kind, fills, events, input.as_of)),
  )
  return { fills, events, scores }
}

export type ClvInput = Prices & { markets: Market[]; as_of: Micros }
export type LeftOut = 'start' | 'in_play' | 'extreme' | 'no_close' | 'self'

/** A fill beside one of its closes. Prices and USD in millionths; `edge` in units of 1e-24 percentage points. */
export type ScoredFill = {
  fill: Fill
  kind: Kind
  close_at: Micros
  close: bigint | null
  edge: bigint | null
  risk: bigint
  left_out: LeftOut | null
}

/** A trader's scored fills of an event: `edge` (x_je) in 1e-24 points, `risk` in millionths of a US dollar. */
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
/** A kind's scores in a range; null where there are none. `weights` are the winsorised W_je in 1e-8 US dollars. */
export type Score = {
  range: Range
  kind: Kind
  weights: { trader: string; event: string; W: bigint }[]
  population: Population | null
  traders: (Shrunk & { scored_share: number })[]
}

function scoredFills(fill: Fill, input: ClvInput): ScoredFill[] {
  const market = input.markets.find((each) => each.market === fill.market)
  if (market === undefined) throw new RangeError(`A fill is in market '${fill.market}': it must be a given market.`)
  return closesOf(fill, market).map((when) => {
    const close = when.ends_at <= input.as_of ? closePrice(fill, market, when, input) : null
    const { kind, close_at } = when
    const edge = close === null ? null : edgeOf(fill, close)
    return {
      fill,
      kind,
      close_at,
      close,
      edge,
      risk: riskOf(fill),
      left_out: reason(fill, market, when, close, input.fills),
    }
  })
}

function reason(fill: Fill, { starts_at }: Market, when: Close, close: bigint | null, fills: Fill[]): LeftOut | null {
  const seen_at = when.kind === 'markout_24h' ? when.ends_at : fill.ts
  if (starts_at !== null && seen_at >= starts_at) return 'in_play'
  if (fill.ts >= when.opens_at) return 'start'
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
  return roundHalfAway(100n * gain * 10n ** 18n, size)
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
    each.kind === kind && each.close_at > as_of - length_us[range] && (range === 'all' || each.close_at <= as_of)
  const inRange = events.filter(isInRange)
  const weights = inRange.map(({ trader, event, risk }) => {
    const cap = percentile95(inRange.filter((each) => each.trader === trader).map((each) => each.risk))
    return { trader, event, W: risk * 100n < cap ? risk * 100n : cap }
  })
  const terms = inRange.map(({ trader, event, edge }, i) => ({
    trader,
    event,
    x: Number(edge) / 1e24,
    W: Number(weights[i]?.W) / 1e8,
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

/** The value 95 % up the sorted values, in hundredths of their unit. */
function percentile95(values: bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const place = 95 * (sorted.length - 1)
  const low = sorted[Math.floor(place / 100)]
  const high = sorted[Math.ceil(place / 100)]
  if (low === undefined || high === undefined) throw new RangeError('A percentile needs at least one value.')
  return low * 100n + (high - low) * BigInt(place % 100)
}
