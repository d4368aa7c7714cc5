import type { Closed } from './inputs.ts'

export type Range = 'all' | '90d' | '30d'
export const ranges: readonly Range[] = ['all', '90d', '30d']
export const kinds = ['event_start', 'markout_24h'] as const
export type Kind = (typeof kinds)[number]

/** What the clusters of a trader say, of a kind and range. */
export type Sample = {
  trader: string
  n: number
  n_eff: number
  raw: number
  /** Variance of `raw` by the trader's clusters alone, and its factor. */
  spread: number
  factor: number
  priced: number
  made: number
}

const hours = 3_600e6
const day = 24 * hours

/** The samples of all traders of a kind and range, in the order of their names. */
export function samplesOf(closed: readonly Closed[], { kind, range, at }: Place): Sample[] {
  const days = range === 'all' ? Infinity : range === '90d' ? 90 : 30
  const traders = new Map<string, Map<string, Cluster>>()
  for (const row of closed) {
    if (row.kind !== kind || !row.isScored || row.edge === null || row.closeAt === null) continue
    if (row.closeAt <= at - days * day) continue
    const clusters = traders.get(row.trader) ?? new Map<string, Cluster>()
    traders.set(row.trader, clusters)
    const key = `${row.category} ${Math.floor(row.closeAt / day)}`
    const cluster = clusters.get(key) ?? { risk: 0, made: 0, edges: 0, prices: 0 }
    clusters.set(key, cluster)
    cluster.risk += row.risk
    if (row.role === 'maker') cluster.made += row.risk
    cluster.edges += row.risk * row.edge
    cluster.prices += row.risk * row.price * (1 - row.price)
  }
  return [...traders]
    .map(([trader, clusters]) => ({ trader, clusters: [...clusters.values()].filter(({ risk }) => risk > 0) }))
    .filter(({ clusters }) => clusters.length > 0)
    .map(({ trader, clusters }) => sampleOf(trader, clusters))
    .toSorted((a, b) => (a.trader < b.trader ? -1 : 1))
}

export type Place = { kind: Kind; range: Range; at: number }
type Cluster = { risk: number; made: number; edges: number; prices: number }

function sampleOf(trader: string, clusters: readonly Cluster[]): Sample {
  const n = clusters.length
  const cap = capOf(clusters.map(({ risk }) => risk))
  const rows = clusters.map(({ risk, edges, prices }) => ({
    w: Math.min(risk, cap),
    x: edges / risk,
    p: prices / risk,
  }))
  const sum = (term: (row: { w: number; x: number; p: number }) => number): number =>
    rows.reduce((total, row) => total + term(row), 0)
  const [w1, w2, w3] = [sum(({ w }) => w), sum(({ w }) => w ** 2), sum(({ w }) => w ** 3)]
  const raw = sum(({ w, x }) => w * x) / w1
  const scale = n === 1 ? 0 : n / (n - 1)
  return {
    trader,
    n,
    n_eff: w1 ** 2 / w2,
    raw,
    spread: (scale * sum(({ w, x }) => w ** 2 * (x - raw) ** 2)) / w1 ** 2,
    factor: scale * (1 - (2 * w3) / (w1 * w2) + w2 / w1 ** 2),
    priced: sum(({ w, p }) => w ** 2 * p) / w2,
    made: clusters.reduce((total, { made }) => total + made, 0) / clusters.reduce((total, { risk }) => total + risk, 0),
  }
}

/** The 95th percentile, between two values in proportion. */
function capOf(risks: readonly number[]): number {
  const sorted = risks.toSorted((a, b) => a - b)
  const place = 0.95 * (sorted.length - 1)
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  return low + (high - low) * (place - Math.floor(place))
}
