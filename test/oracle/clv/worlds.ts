import fc from 'fast-check'

import { roundHalfAway } from '#test/oracle/round.ts'
import type { Micros } from '#time.ts'

import type { Fill, Market, Quote } from './closes.ts'
import type { ClvInput } from './clv.ts'

/** 2026-11-20 12:00:00 UTC. */
export const as_of: Micros = 1_795_176_000_000_000
const minute: Micros = 60_000_000
const hour = 60 * minute
const day = 24 * hour

/** An event of one to three markets, which start at one time or at none. */
type Layout = {
  n_markets: number
  outcomes: number
  days_ago: number
  isScheduled: boolean
  price_permille: number
  /** Midpoints of its markets, as far as they go: at the start, or day by day. 0 is a book too wide to have one. */
  quotes_permille: number[]
  /** The instants at which the books were observed, before the start or a day after some trades. */
  observed_minutes: number[]
  /** The instant of the resolution, after the start or the last burst of trades. */
  resolved_minutes: number | null
  category: string | null
  payout: bigint
}

/** A match of a taker's order with one or two makers, or a recorded midpoint. */
type Step = {
  event: number
  market: number
  outcome: number
  act: 'direct' | 'complement' | 'two makers' | 'quote' | 'self'
  /** The time of the deal: before the window, at one of its edges, in it, or after it. */
  place: 'before' | 'edge' | 'inside' | 'after'
  minutes: number
  edge: number
  taker: number
  maker: number
  side: 'buy' | 'sell'
  moved_permille: number
  size: bigint
  fee_permille: number
  /** Prices at the ends of what is scored, and beyond; 0 is none of them. */
  extreme: number
  isRoleKnown: boolean
}

/** Any world of some size. Traders have up to as many events as there are. */
export const worlds = (size: {
  events: [number, number]
  steps: [number, number]
  traders: [number, number]
}): fc.Arbitrary<ClvInput> =>
  fc
    .record({
      events: fc.array(layout, { minLength: size.events[0], maxLength: size.events[1], size: 'max' }),
      steps: fc.array(step, { minLength: size.steps[0], maxLength: size.steps[1], size: 'max' }),
      n_traders: fc.integer({ min: size.traders[0], max: size.traders[1] }),
    })
    .map(({ events, steps, n_traders }) => play(events, steps, n_traders))

const layout: fc.Arbitrary<Layout> = fc.record({
  n_markets: fc.constantFrom(1, 1, 1, 2, 3),
  outcomes: fc.constantFrom(2, 2, 2, 2, 3),
  // Around the ends of the ranges, and around the clock.
  days_ago: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 120 }), fc.constantFrom(0, 1, 30, 90)),
  isScheduled: fc.boolean(),
  price_permille: fc.integer({ min: 150, max: 850 }),
  quotes_permille: fc.array(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 150, max: 850 }) }, fc.constant(0)), {
    maxLength: 4,
  }),
  observed_minutes: fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 1 }),
  resolved_minutes: fc.constantFrom(null, null, null, 600, 60, -1, -14, -70, -1_440, -2_820, -2_880),
  category: fc.constantFrom('sports', 'crypto', null),
  payout: fc.constantFrom(1_000_000n, 0n, 500_000n),
})

const step: fc.Arbitrary<Step> = fc.record({
  event: fc.nat(1_000),
  market: fc.nat(2),
  outcome: fc.constantFrom(0, 0, 0, 0, 1, 2),
  act: fc.constantFrom(
    ...Array.from({ length: 9 }, () => 'direct' as const),
    'complement',
    'complement',
    'two makers',
    'two makers',
    'quote',
    'self',
  ),
  place: fc.constantFrom('before', 'before', 'before', 'before', 'before', 'edge', 'inside', 'after'),
  minutes: fc.nat(14),
  edge: fc.nat(100),
  taker: fc.nat(1_000),
  maker: fc.nat(1_000),
  side: fc.constantFrom('buy', 'buy', 'sell'),
  moved_permille: fc.integer({ min: -50, max: 50 }),
  size: fc.oneof(
    { weight: 20, arbitrary: fc.bigInt(100_000_000n, 900_000_000n) },
    { weight: 12, arbitrary: fc.bigInt(1_000_000n, 5_000_000n) },
    // Dust, down to nothing.
    { weight: 1, arbitrary: fc.bigInt(0n, 3n) },
  ),
  fee_permille: fc.constantFrom(0, 0, 2, 15),
  extreme: fc.constantFrom(...Array.from({ length: 30 }, () => 0), 20_000, 19_999, 980_000, 980_001, 1_000, 999_000),
  isRoleKnown: fc.constantFrom(true, true, true, true, false),
})

function play(events: Layout[], steps: Step[], n_traders: number): ClvInput {
  const markets = events.flatMap((event, i) => marketsOf(event, i))
  const fills: Fill[] = []
  const quotes = events.flatMap((event, i) => quotesOf(event, i))
  for (const [i, each] of steps.entries()) {
    const n_event = each.event % events.length
    const event = picked(events, n_event)
    const market = picked(
      markets.filter(({ market: id }) => id.startsWith(`m${n_event}-`)),
      each.market,
    )
    const ts = instant(event, each)
    if (ts > as_of) continue
    const price = priceOf(event, each)
    if (each.act !== 'quote') fills.push(...match({ ...each, ts, tx: `0x${i}`, price }, n_event, market, n_traders))
    else if (!quotes.some((other) => other.market === market.market && other.ts === ts))
      quotes.push({ market: market.market, ts, mid: BigInt(price) })
  }
  return { fills, markets, quotes, observed_at: observedAt(events), as_of }
}

/** The start of an event, or the last burst of its trades. */
const baseOf = ({ days_ago }: Layout): Micros => as_of - days_ago * day

function marketsOf(layout: Layout, event: number): Market[] {
  const { n_markets, outcomes, isScheduled, resolved_minutes, category, payout } = layout
  const resolved_at = resolved_minutes === null ? null : baseOf(layout) + resolved_minutes * minute
  return Array.from({ length: n_markets }, (_, i) => ({
    market: `m${event}-${i}`,
    category,
    payout,
    n_outcomes: outcomes,
    // Siblings start one after the other.
    starts_at: isScheduled ? baseOf(layout) + picked([0, -20, 20], i) * minute : null,
    resolved_at: resolved_at === null || resolved_at > as_of ? null : resolved_at,
  }))
}

const quotesOf = (layout: Layout, event: number): Quote[] =>
  layout.quotes_permille
    .map((permille, i) => ({
      market: `m${event}-${i % layout.n_markets}`,
      ts: baseOf(layout) - (layout.isScheduled ? (3 + i * i) * minute : (i - 1) * day),
      mid: permille === 0 ? null : BigInt(permille) * 1_000n,
    }))
    .filter(({ ts }) => ts <= as_of)

const observedAt = (events: Layout[]): Micros[] => [
  ...new Set(events.flatMap((event) => event.observed_minutes.map((minutes) => baseOf(event) - minutes * minute))),
]

/** Trades without a start lie in bursts a day apart, so that each burst is the close of the one before it. */
function instant(layout: Layout, { place, minutes, edge }: Step): Micros {
  const start = baseOf(layout)
  const off = picked([-1, 0, 1], edge)
  if (!layout.isScheduled) {
    const burst = start - picked([0, 1, 2, 3, 5], edge) * day
    return burst + (place === 'edge' ? picked([-60, 60], minutes) * minute + off : (minutes % 5) * 14 * minute)
  }
  if (place === 'before') return start - 21 * minute - minutes * 17 * hour
  if (place === 'edge') return start + picked([-35, -20, -15, 0, 20], minutes) * minute + off
  if (place === 'inside') return start - minutes * minute
  return start + (1 + minutes) * minute
}

/** Takers of some names pay less than those of others. */
function priceOf({ price_permille }: Layout, { extreme, moved_permille, outcome, side, taker }: Step): number {
  if (extreme !== 0) return extreme
  const skill = (side === 'buy' ? -1 : 1) * 10 * (taker % 9)
  return ((outcome === 0 ? price_permille : 1_000 - price_permille) + moved_permille + skill) * 1_000
}

type Deal = Step & { ts: Micros; tx: string; price: number }

/** The rows of a match: the taker's, and those of one or two makers. */
function match(deal: Deal, event: number, market: Market, n_traders: number): Fill[] {
  const { side, size, fee_permille, isRoleKnown } = deal
  const outcome = deal.outcome % market.n_outcomes
  const trader = (n: number): string => (n % (n_traders + 1) === n_traders ? '' : `t${n % (n_traders + 1)}`)
  const row = (fields: Fields): Fill => {
    const price = fields.price ?? BigInt(deal.price)
    const cash = roundHalfAway(fields.size * price, 1_000_000n)
    const fee = fields.role === 'taker' ? (cash * BigInt(fee_permille)) / 1_000n : 0n
    return { event: `e${event}`, market: market.market, outcome, ts: deal.ts, tx: deal.tx, price, cash, fee, ...fields }
  }
  const other = side === 'buy' ? 'sell' : 'buy'
  const taker = trader(deal.taker)
  const maker = deal.act === 'self' && taker !== '' ? taker : `t${deal.maker % n_traders}`
  // A trader without a name makes no orders, so it does not trade with itself.
  const act = deal.act === 'self' && taker === '' ? 'direct' : deal.act
  const taken = row({ trader: taker, role: 'taker', side, size })
  if (act === 'complement' && market.n_outcomes === 2) {
    const price = 1_000_000n - BigInt(deal.price)
    return [taken, row({ trader: maker, role: 'maker', side, size, price, outcome: 1 - outcome })]
  }
  const made =
    act === 'two makers'
      ? halves(deal, row, other, n_traders)
      : [row({ trader: maker, role: 'maker', side: other, size })]
  const cash = made.reduce((sum, each) => sum + each.cash, 0n)
  // The history of the account reports the fill without a role, and no source reports the other side.
  if (!isRoleKnown) return [{ ...taken, role: null }]
  return [{ ...taken, cash }, ...made]
}

/** Two makers, each with a price of its own. */
function halves(deal: Deal, row: (fields: Fields) => Fill, side: 'buy' | 'sell', n_traders: number): Fill[] {
  const half = deal.size / 2n
  const apart = BigInt(Math.min(15_000, deal.price, 1_000_000 - deal.price))
  return [0, 1].map((i) =>
    row({
      trader: `t${(deal.maker + i) % n_traders}`,
      role: 'maker',
      side,
      size: i === 0 ? half : deal.size - half,
      price: BigInt(deal.price) + (i === 0 ? -apart : apart),
    }),
  )
}

type Fields = Pick<Fill, 'trader' | 'role' | 'side' | 'size'> & Partial<Fill>

const picked = <T>(list: T[], n: number): T => list[n % list.length] as T
