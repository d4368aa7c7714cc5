import type { Plan } from '#sim/markets/calendar.ts'
import { day_s, hour_s, opensAt_s } from '#sim/markets/event_templates.ts'
import { cell_s, type Hardship } from '#sim/markets/hardship.ts'
import type { Random } from '#sim/random.ts'

import { createBelief } from './belief.ts'
import { clamp, informationOf, payoutsOf, winnerOf } from './information.ts'

/** How far ahead informed traders see. */
const foresight_s = 6 * hour_s
/** The chance that is left to what has happened. A price of 1 is on no grid. */
const afterwards = 0.99

/** The price of outcome 0 of a market of the event at an instant, and the belief: the price by news alone. */
export type Note = (market: number, ts_s: number, odds: { price: number; belief: number }) => void

/** The belief about candidates, quarter of an hour by quarter of an hour, with some of them known beforehand. */
type Path = { winner: number; chancesAt: (cell: number) => Float64Array }

export type HardLearning = {
  learn: (from_s: number, to_s: number) => void
  foresee: (market: number) => number
  press: (market: number, by: number) => void
}

/**
 * Learning of an event in a hard world. News arrives at the ends of quarters of an hour, half of it shared by the
 * category. Fair prices are martingales as in an easy world. The market's price is the fair one and the pressure of
 * orders, which is permanent: a pressure that wore off would be a drift that any trader could foresee.
 *
 * `note` receives the price of each market at each whole hour until its resolution.
 */
export function createHardLearning(
  plan: Plan,
  fair: Float64Array,
  { random, hardship, note }: { random: Random; hardship: Hardship; note: Note },
): HardLearning {
  const { draft, markets } = plan
  const truthAt = createChances(plan, { random, hardship, informationAt: informationOf(plan) })
  const pressure = new Float64Array(fair.length)
  let now_s = draft.createdAt_s

  const price = (ts_s: number): void => {
    for (let i = 0; i < fair.length; i++) fair[i] = pressed(truthAt(i, ts_s), pressure[i] ?? 0)
  }
  price(now_s)
  for (const [i, market] of markets.entries()) market.openingPrice = fair[i] ?? 0

  return {
    learn: (from_s, to_s) => {
      const first_s = hour_s * (1 + Math.floor(Math.max(from_s, opensAt_s) / hour_s))
      for (let hour_at_s = first_s; hour_at_s <= Math.min(to_s, draft.resolvedAt_s); hour_at_s += hour_s)
        for (let i = 0; i < fair.length; i++) {
          const belief = truthAt(i, hour_at_s)
          note(i, hour_at_s, { price: pressed(belief, pressure[i] ?? 0), belief })
        }
      const { startsAt_s } = draft
      if (startsAt_s !== null && from_s < startsAt_s && to_s >= startsAt_s)
        for (const [i, market] of markets.entries()) market.closePrice = truthAt(i, startsAt_s - 1)
      now_s = to_s
      price(to_s)
    },
    foresee: (market) => {
      const start_s = draft.startsAt_s === null || now_s >= draft.startsAt_s ? Infinity : draft.startsAt_s - cell_s
      const ahead_s = Math.max(now_s, Math.min(now_s + foresight_s, start_s))
      return pressed(truthAt(market, ahead_s), pressure[market] ?? 0)
    },
    press: (market, by) => {
      pressure[market] = (pressure[market] ?? 0) + by
      price(now_s)
    },
  }
}

/** Pressure fades towards 0 and 1, where the outcome is known. */
const pressed = (truth: number, by: number): number => clamp(truth + by * Math.min(1, 5 * truth * (1 - truth)))

type Learned = { random: Random; hardship: Pick<Hardship, 'shock'>; informationAt: (ts_s: number) => number }

/** The chance of outcome 0 of each market of an event by all news until an instant. Draws how its markets end. */
export function createChances(plan: Plan, learned: Learned): (market: number, ts_s: number) => number {
  const { draft, markets } = plan
  const paths = pathsOf(plan, learned)
  const halfKnown_s = halfKnownAt(draft)
  for (const [i, market] of markets.entries()) {
    market.result = draft.half ?? (winnerOf(paths, i) ? 'first' : 'second')
    market.payouts = payoutsOf(market.result)
  }
  return (market, ts_s) => {
    const cell = Math.floor(ts_s / cell_s)
    const path = paths[draft.shape.isNegRisk ? 0 : market]
    const chance = path?.chancesAt(cell)[draft.shape.isNegRisk ? market : 0] ?? 0
    if (ts_s < halfKnown_s) return (1 - draft.shape.halfShare) * chance + draft.shape.halfShare / 2
    return draft.half === null ? chance : 0.5
  }
}

/** From here on it is known whether an event ends 0.5 to 0.5. */
export const halfKnownAt = (draft: Plan['draft']): number =>
  draft.startsAt_s ?? draft.closedAt_s - 0.1 * (draft.closedAt_s - draft.createdAt_s)

function pathsOf(plan: Plan, { random, hardship, informationAt }: Learned): Path[] {
  const { draft, event } = plan
  const { byDate } = draft
  if (byDate !== null) return [hazardOf(byDate, draft.questions[0]?.prior ?? 0.5)]
  // Events of one day share their news, and so do the questions without a day of their own.
  const place = draft.startsAt_s === null ? 'open' : String(Math.floor(draft.startsAt_s / day_s))
  const shock = (cell: number): number => hardship.shock(`${event.category} ${place}`, cell)
  const pathFrom = (prior: readonly number[]): Path =>
    evidenceOf(prior, draft.createdAt_s, { random, shock, informationAt })
  if (draft.shape.isNegRisk) return [pathFrom(draft.questions.map((question) => question.prior))]
  return draft.questions.map((question) => pathFrom([question.prior, 1 - question.prior]))
}

type News = { random: Random; shock: (cell: number) => number; informationAt: (ts_s: number) => number }

/** A belief whose news are drawn as they are asked for, and kept. The first candidate's noise is the category's. */
function evidenceOf(prior: readonly number[], from_s: number, { random, shock, informationAt }: News): Path {
  const belief = createBelief(prior, random)
  const first = Math.floor(from_s / cell_s)
  const chancesByCell: Float64Array[] = [belief.chances.slice()]
  const learnTo = (cell: number): void => {
    for (let next = first + chancesByCell.length; next <= cell; next++) {
      const information = informationAt(next * cell_s) - informationAt(Math.max(from_s, (next - 1) * cell_s))
      belief.learn(information, shock(next))
      chancesByCell.push(belief.chances.slice())
    }
  }
  return {
    winner: belief.winner,
    chancesAt: (cell) => {
      learnTo(cell)
      return chancesByCell[Math.max(0, cell - first)] ?? belief.chances
    },
  }
}

/** Whether something happens by a date: the chance wanes while it does not, and is 1 from then on. */
function hazardOf({ from_s, until_s, happens_s }: NonNullable<Plan['draft']['byDate']>, prior: number): Path {
  const chanceAt = (ts_s: number): number => {
    if (happens_s !== null && ts_s >= happens_s) return afterwards
    const gone = clamp((ts_s - from_s) / (until_s - from_s))
    return (afterwards * prior * (1 - gone)) / (1 - prior * gone)
  }
  return {
    winner: happens_s === null ? 1 : 0,
    chancesAt: (cell) => {
      const chance = chanceAt(cell * cell_s)
      return Float64Array.of(chance, 1 - chance)
    },
  }
}
