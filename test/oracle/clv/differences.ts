import type { ScoredFill } from './closes.ts'
import type { ClusterSum, oracleClv, Score } from './clv.ts'
import type { Guard } from './guards.ts'
import { venue } from './lake.ts'
import type { Row, Tables } from './models.ts'

/**
 * Where tables of scoring and the oracle disagree, a line each. Decimals must be equal to the last digit, other figures
 * to 1e-9, absolute below 1 and relative above; a share is stored with 6 places. Both must have the same rows.
 */
export function differences(tables: Tables, oracle: ReturnType<typeof oracleClv>): string[] {
  return [
    ...unlike('fill', tables.fills.map(readFill), oracle.fills.map(fillRow)),
    ...unlike('cluster', tables.clusters, oracle.clusters.map(clusterRow)),
    ...unlike('population', tables.populations, oracle.scores.flatMap(populationRow)),
    ...unlike('score', tables.scores, oracle.scores.flatMap(scoreRows)),
    ...unlike('rate', tables.rates, oracle.rates),
    ...unlike('guard', tables.guards, oracle.guards.map(guardRow)),
  ]
}

const keys = [
  'kind',
  'range',
  'trader',
  'day',
  'category',
  'event_id',
  'market_id',
  'outcome',
  'tx',
  'side',
  'size',
] as const

function unlike(what: string, actual: Row[], expected: Row[]): string[] {
  const keyOf = (row: Row): string =>
    keys
      .map((key) => row[key] ?? '')
      .join(' ')
      .trim()
  const found = new Map(actual.map((row) => [keyOf(row), row]))
  const wanted = new Map(expected.map((row) => [keyOf(row), row]))
  const missing = [...wanted.keys()].filter((key) => !found.has(key)).map((key) => `${what} ${key} is missing`)
  const astray = [...found.keys()].filter((key) => !wanted.has(key)).map((key) => `${what} ${key} should not be`)
  const apart = [...wanted].flatMap(([key, row]) =>
    Object.entries(row)
      .filter(([column, value]) => found.has(key) && !isSame(column, found.get(key)?.[column], value))
      .map(([column, value]) => `${what} ${key}: ${column} is ${found.get(key)?.[column]}, and should be ${value}`),
  )
  const n_twins = actual.length - found.size + (expected.length - wanted.size)
  return [...missing, ...astray, ...apart, ...(n_twins === 0 ? [] : [`${n_twins} rows of ${what} are there twice`])]
}

/** A number of the oracle is a statistic; its text is exact. */
function isSame(column: string, actual: Row[string] | undefined, expected: Row[string]): boolean {
  if (typeof expected !== 'number' || actual === null || actual === undefined) return actual === expected
  const least = column.endsWith('_share') ? 0.51e-6 : 1e-9
  return Math.abs(Number(actual) - expected) <= least * Math.max(1, Math.abs(expected))
}

const decimal = (millionths: bigint): string => {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0')
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Of a fill that is left out neither the close nor the edge is compared: nothing rests on them. */
const readFill = (row: Row): Row => ({
  ...row,
  ...(row['left_out'] === null ? {} : { close_price: null, edge_points: null }),
})

const fillRow = ({ fill, category, is_resolved, kind, close_at, close, edge, risk, left_out }: ScoredFill): Row => ({
  kind,
  trader: fill.trader,
  category,
  is_resolved,
  event_id: `${venue}:${fill.event}`,
  market_id: `${venue}:${fill.market}`,
  outcome: fill.outcome,
  tx: fill.tx,
  side: fill.side,
  ts: String(fill.ts),
  price: decimal(fill.price),
  size: decimal(fill.size),
  close_at: String(close_at),
  close_price: left_out === null && close !== null ? decimal(close) : null,
  edge_points: left_out === null && edge !== null ? Number(edge) / 1e24 : null,
  risk_usd: decimal(risk),
  left_out,
})

const clusterRow = ({ day, edge, risk, maker, n_fills, n_resolved, ...rest }: ClusterSum): Row => ({
  ...rest,
  day: new Date(day * 86_400_000).toISOString().slice(0, 10),
  edge_points: Number(edge) / 1e24,
  risk_usd: decimal(risk),
  maker_usd: decimal(maker),
  n_fills: String(n_fills),
  n_resolved: String(n_resolved),
})

const populationRow = ({ range, kind, population }: Score): Row[] => {
  if (population === null) return []
  const { s2, b, traders } = population
  const n_pooled = traders.filter(({ n_clusters }) => n_clusters >= 10).length
  const n_large = traders.filter(({ n_eff }) => n_eff >= 10 - 1e-9).length
  const [b_taken = 0, b_made = 0, b_both = 0, b_flat = 0] = b
  return [
    {
      kind,
      range,
      n_traders: String(traders.length),
      n_pooled: String(n_pooled),
      n_fitted: String(n_large < 10 ? traders.length : n_large),
      s2,
      b_taken,
      b_made,
      b_both,
      b_flat,
    },
  ]
}

const scoreRows = ({ range, kind, traders }: Score): Row[] =>
  traders.map(({ trader, clv, xbar, mu, mu_se, v, tau2, se, skill, skill_se, above, below, ...counts }) => ({
    kind,
    range,
    trader,
    clv_points: clv,
    raw_points: xbar,
    mu_points: mu,
    mu_se,
    v,
    tau2,
    se,
    skill_points: skill,
    skill_se,
    p_above: above,
    p_below: below,
    n_clusters: String(counts.n_clusters),
    n_eff: counts.n_eff,
    n_resolved: counts.n_resolved,
    scored_share: counts.scored_share,
  }))

const guardRow = ({ n_markets, gap_se, broken_at, ...guard }: Guard): Row => ({
  ...guard,
  se: gap_se,
  n_markets: String(n_markets),
  broken_at: broken_at === null ? null : String(broken_at),
})
