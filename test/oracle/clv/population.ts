/**
 * The population step of CLV again, written from the formula alone: one kind and one range at a time, over doubles.
 * Traders are added up in the order of their names, by code unit, and a trader's events in the order of theirs.
 *
 * Gives null where the within-trader variance is unknown: nobody has 10 events, so that nothing can be shrunk.
 */
export function population(events: EventTerm[]): Population | null {
  const traders = [...new Set(events.map(({ trader }) => trader))]
    .sort(byCodeUnit)
    .map((trader) => summary(trader, events.filter((each) => each.trader === trader).sort(byEvent)))

  const s2 = pooledVariance(traders)
  if (s2 === null) return null
  const tau2 = betweenVariance(traders, s2)

  // Where neither varies all means are the same, and any weights give that one.
  const isConstant = s2 === 0 && tau2 === 0
  const weights = traders.map(({ n_eff }) => (isConstant ? 1 : 1 / (s2 / n_eff + tau2)))
  const mu = sum(traders.map(({ xbar }, i) => xbar * at(weights, i))) / sum(weights)

  const shrunk = traders.map(({ trader, n_events, n_eff, xbar }) => {
    const v = s2 / n_eff
    const trust = isConstant ? 0 : tau2 / (tau2 + v)
    const se = isConstant ? 0 : Math.sqrt((tau2 * v) / (tau2 + v))
    return { trader, n_events, n_eff, xbar, v, clv: mu + trust * (xbar - mu), se }
  })
  return { s2, tau2, mu, traders: shrunk }
}

/** One trader's event: its mean edge in percentage points, and the USD that it weighs. Weights are above 0. */
export type EventTerm = { trader: string; event: string; x: number; W: number }

export type Population = { s2: number; tau2: number; mu: number; traders: Shrunk[] }

/** A trader's score: `xbar`, `clv` and `se` in percentage points, `v` in their square. */
export type Shrunk = {
  trader: string
  n_events: number
  n_eff: number
  xbar: number
  v: number
  clv: number
  se: number
}

type Summary = { trader: string; n_events: number; n_eff: number; xbar: number; v_j: number | null }

function summary(trader: string, events: EventTerm[]): Summary {
  const n_events = events.length
  const W = sum(events.map((each) => each.W))
  const xbar = sum(events.map((each) => each.W * each.x)) / W
  const n_eff = W ** 2 / sum(events.map((each) => each.W ** 2))
  const squares = sum(events.map((each) => each.W ** 2 * (each.x - xbar) ** 2))
  const v_j = n_events >= 10 ? ((n_events / (n_events - 1)) * squares) / W ** 2 : null
  return { trader, n_events, n_eff, xbar, v_j }
}

/** s2, the variance of one event within a trader, pooled over those with 10 events or more. */
function pooledVariance(traders: Summary[]): number | null {
  const known = traders.flatMap(({ n_eff, v_j }) => (v_j === null ? [] : [{ n_eff, v_j }]))
  if (known.length === 0) return null
  return sum(known.map(({ n_eff, v_j }) => n_eff ** 2 * v_j)) / sum(known.map(({ n_eff }) => n_eff))
}

/**
 * tau2, the variance between traders, after DerSimonian and Laird. All of Q, J - 1 and A carry 1/s2: it is taken out
 * of them, so that a population without any variance within its traders has a tau2 as well.
 */
function betweenVariance(traders: Summary[], s2: number): number {
  if (traders.length === 1) return 0
  const A = sum(traders.map(({ n_eff }) => n_eff))
  const m = sum(traders.map(({ n_eff, xbar }) => n_eff * xbar)) / A
  const Q = sum(traders.map(({ n_eff, xbar }) => n_eff * (xbar - m) ** 2))
  const squares = sum(traders.map(({ n_eff }) => n_eff ** 2))
  return Math.max(0, (Q - (traders.length - 1) * s2) / (A - squares / A))
}

const sum = (terms: number[]): number => terms.reduce((total, term) => total + term, 0)

function at(numbers: number[], index: number): number {
  const number = numbers[index]
  if (number === undefined) throw new RangeError(`There is no entry ${index} of ${numbers.length}.`)
  return number
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byEvent = (a: EventTerm, b: EventTerm): number => byCodeUnit(a.event, b.event)
