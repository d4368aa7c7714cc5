import type { Plan } from '#sim/markets/calendar.ts'
import { hour_s, opensAt_s } from '#sim/markets/event_templates.ts'
import { cell_s, type Hardship } from '#sim/markets/hardship.ts'
import { createChances, halfKnownAt } from '#sim/markets/trading/hard_learning.ts'
import { clamp, informationOf } from '#sim/markets/trading/information.ts'
import type { Prices } from '#sim/markets/types.ts'
import { mix, type Random } from '#sim/random.ts'

import type { Climate } from './climate.ts'

/** The price learns news so many seconds after it broke. */
export const lag_s = 600
const day_s = 24 * hour_s
/** The errors of a price that come and fade, per hour and market, and their size. */
const errors = { perHour: 0.07, size: 0.045 } as const

/** The chances and prices of outcome 0 of the markets of an event. */
export type EventPrices = {
  /** The chance by all news until an instant, and by the news that is public then. */
  chance: (market: number, at_s: number) => number
  publicChance: (market: number, at_s: number) => number
  /** The price of a chance without pressure: with the slope of longshots and the crowd. */
  fairPrice: (market: number, chance: number, at_s: number) => number
  /** The midpoint now; `dayAgo` is that of a day ago, or undefined. */
  mid: (market: number) => number
  dayAgo: (market: number) => number | undefined
  press: (market: number, by: number) => void
  /** Advances to an instant. */
  learn: (to_s: number) => void
  /**
   * The expected midpoint at a later instant, for somebody who has the chance by all news until `until_s`. With a
   * `winner` it knows how the market ends.
   */
  expected: (market: number, knowledge: Knowledge, close_s: number) => number
}

/** What a trader knows: the chance of outcome 0 by all news until an instant, and perhaps how it ends. */
export type Knowledge = { chance: number; until_s: number; winner: 0 | 1 | null }

type Setting = {
  seed: number
  climate: Climate
  hardship: Pick<Hardship, 'shock'>
  random: Random
  prices: Prices
}

/** Prices follow news that comes in lumps, with errors and pressure that fade. */
export function createEventPrices(plan: Plan, { seed, climate, hardship, random, prices }: Setting): EventPrices {
  const { draft, markets } = plan
  const informationAt = lumpyInformation(plan, seed, random)
  const chance = createChances(plan, { random, hardship, informationAt })
  const publicChance = (market: number, at_s: number): number => chance(market, at_s - lag_s)
  const pressure = new Float64Array(markets.length)
  const hours: Float64Array[] = []
  let now_s = draft.createdAt_s
  let nextHour_s = hour_s * (1 + Math.floor(Math.max(now_s, opensAt_s) / hour_s))

  const crowdAt = (at_s: number, p: number): number => {
    const { startsAt_s } = draft
    if (startsAt_s === null || at_s > startsAt_s) return 0
    return climate.crowd * clamp(1 - (startsAt_s - at_s) / day_s) * 4 * p * (1 - p) * Math.tanh(6 * (p - 0.5)) * 1.6
  }
  const fairPrice = (_market: number, p: number, at_s: number): number => sloped(p, climate.slope) + crowdAt(at_s, p)
  const pressed = (price: number, by: number): number => between(price + by * Math.min(1, 5 * price * (1 - price)))
  const mid = (market: number): number =>
    pressed(fairPrice(market, publicChance(market, now_s), now_s), pressure[market] ?? 0)
  const passTo = (at_s: number): void => {
    const left = 0.5 ** ((at_s - now_s) / climate.fading_s)
    for (let i = 0; i < pressure.length; i++) pressure[i] = (pressure[i] ?? 0) * left
    now_s = at_s
  }
  const strike = (): void => {
    hours.push(Float64Array.from(markets, (_, i) => mid(i)))
    for (const [i, market] of markets.entries()) {
      prices.market.push(market.index)
      prices.ts_s.push(now_s)
      prices.fair.push(mid(i))
      prices.believed.push(chance(i, now_s))
      if (random.chance(errors.perHour)) pressure[i] = (pressure[i] ?? 0) + errors.size * random.normal()
    }
  }
  for (const [i, market] of markets.entries()) market.openingPrice = mid(i)
  const horizon = { informationAt, climate, draft, crowdAt }
  return {
    chance,
    publicChance,
    fairPrice,
    mid,
    dayAgo: (market) => hours[hours.length - 24]?.[market],
    press: (market, by) => {
      pressure[market] = (pressure[market] ?? 0) + by
    },
    learn: (to_s) => {
      for (; nextHour_s <= Math.min(to_s, draft.resolvedAt_s); nextHour_s += hour_s) {
        passTo(nextHour_s)
        strike()
      }
      if (draft.startsAt_s !== null && now_s < draft.startsAt_s && to_s >= draft.startsAt_s)
        for (const [i, market] of markets.entries()) market.closePrice = publicChance(i, draft.startsAt_s)
      passTo(Math.max(now_s, to_s))
    },
    expected: (market, knowledge, close_s) => {
      const left = 0.5 ** ((close_s - now_s) / climate.fading_s)
      const isSeen = knowledge.winner === null && knowledge.until_s >= close_s - lag_s
      const price = isSeen
        ? fairPrice(market, publicChance(market, close_s), close_s)
        : expectedPrice(horizon, knowledge, close_s)
      return pressed(price, (pressure[market] ?? 0) * left)
    },
  }
}

const between = (price: number): number => Math.min(0.997, Math.max(0.003, price))

/** The price of a chance with a favourite-longshot slope. */
const sloped = (p: number, slope: number): number => {
  if (p <= 0 || p >= 1) return p
  const odds = (p / (1 - p)) ** slope
  return odds / (1 + odds)
}

type Horizon = {
  informationAt: (ts_s: number) => number
  climate: Climate
  draft: Plan['draft']
  crowdAt: (at_s: number, p: number) => number
}

/** Nodes and weights of Gauss and Hermite for a standard normal number. */
const nodes = [
  [0, 0.533333],
  [1.355626, 0.222076],
  [-1.355626, 0.222076],
  [2.85697, 0.011257],
  [-2.85697, 0.011257],
] as const

/**
 * The mean of the price over the news that comes until then. News of information I moves the log odds of two candidates
 * by I towards the winner, with a variance of 2 I.
 */
function expectedPrice(horizon: Horizon, { chance, until_s, winner }: Knowledge, close_s: number): number {
  const { informationAt, climate, draft, crowdAt } = horizon
  const information = informationAt(close_s - lag_s) - informationAt(until_s)
  const isPlain = draft.byDate !== null || information < 0.02
  if (isPlain && winner === null) return sloped(chance, climate.slope) + crowdAt(close_s, chance)
  const half = until_s < halfKnownAt(draft) ? draft.shape.halfShare : 0
  const share = Math.min(0.9999, Math.max(0.0001, (chance - half / 2) / (1 - half)))
  const logit = Math.log(share / (1 - share))
  const spread = Math.sqrt(2 * Math.max(0, information))
  const towards = (sign: number): number =>
    nodes.reduce((sum, [z, weight]) => {
      const p = 1 / (1 + Math.exp(-(logit + sign * information + spread * z)))
      const mixed = (1 - half) * p + half / 2
      return sum + weight * (sloped(mixed, climate.slope) + crowdAt(close_s, mixed))
    }, 0)
  if (winner !== null) return towards(winner === 0 ? 1 : -1)
  return share * towards(1) + (1 - share) * towards(-1)
}

/** Before an event most news comes in lumps; some of them reach all events of the category. */
const lumps = { perCell: 0.07, scheduled: 0.015, open: 0.01, most: 2 } as const

function lumpyInformation(plan: Plan, seed: number, random: Random): (ts_s: number) => number {
  const { draft, event } = plan
  const usual = informationOf(plan)
  const first = Math.floor(draft.createdAt_s / cell_s)
  const until_s = draft.playsAt_s ?? draft.startsAt_s ?? draft.closedAt_s
  const n_cells = Math.max(1, Math.ceil(until_s / cell_s) - first)
  const size = draft.startsAt_s === null ? lumps.open : lumps.scheduled
  const scale = Math.min(1, lumps.most / (n_cells * lumps.perCell * size))
  const sums = new Float64Array(n_cells)
  const category = [...event.category].reduce((sum, letter) => mix(sum, letter.codePointAt(0) ?? 0), seed)
  let sum = 0
  for (let i = 0; i < n_cells; i++) {
    const isShared = mix(category, first + i) / 0x1_0000_0000 < lumps.perCell / 2
    if (isShared || random.chance(lumps.perCell / 2)) sum -= Math.log(1 - random.next()) * size * scale
    sums[i] = sum
  }
  return (ts_s) => usual(ts_s) + (sums[Math.min(n_cells - 1, Math.max(0, Math.floor(ts_s / cell_s) - first))] ?? 0)
}
