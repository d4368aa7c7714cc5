import { readFileSync } from 'node:fs'

import {
  DuckDBBooleanVector,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

import type { Emit, FoldModel, ModelColumn } from '#builder/model.ts'

import { shrinkSummaries, type Score } from './shrinkage.ts'
import { summarize, type ClusterEdge, type Summary } from './summarize.ts'

const kinds = ['event_start', 'markout_24h'] as const
/** The ranges in the order of `range_index`. */
const ranges = ['all', '90d', '30d'] as const

/** The columns of an output: first the key, then the rest; `?` after a type marks a nullable column. */
const columns = (key: Record<string, string>, rest: Record<string, string>): ModelColumn[] =>
  [key, rest].flatMap((part, index) =>
    Object.entries(part).map(([name, type]) => ({
      name,
      sql: type.replace('?', ''),
      isNullable: type.endsWith('?'),
      isKey: index === 0,
    })),
  )

/**
 * The shrinkage of closing line values. It sums up each trader's clusters, estimates the variance between traders, and
 * shrinks each trader. `metrics.clv` documents the formulas; `clv/shrinkage.ts` has the arithmetic.
 */
export const clvShrinkage: FoldModel = {
  kind: 'fold',
  layer: 'metrics',
  name: 'clv_shrinkage',
  doc: 'Closing line values shrunk towards the population, over traders in key order.',
  sql: readFileSync(new URL('clv_shrinkage.sql', import.meta.url), 'utf8'),
  outputs: {
    clv_shrunk: columns(
      { kind: 'VARCHAR', range: 'VARCHAR', trader_index: 'INTEGER' },
      {
        clv: 'DOUBLE',
        raw: 'DOUBLE',
        raw_lower: 'DOUBLE',
        raw_upper: 'DOUBLE',
        mu: 'DOUBLE',
        v: 'DOUBLE',
        se: 'DOUBLE',
        q: 'DOUBLE?',
        q_below: 'DOUBLE?',
        q_wide: 'DOUBLE?',
        n_clusters: 'INTEGER',
        n_eff: 'DOUBLE',
      },
    ),
    clv_priors: columns(
      { kind: 'VARCHAR', range: 'VARCHAR' },
      {
        n_traders: 'INTEGER',
        n_pooled: 'INTEGER',
        s2: 'DOUBLE',
        s2_price: 'DOUBLE',
        tau2: 'DOUBLE',
        b0: 'DOUBLE',
        b1: 'DOUBLE',
      },
    ),
  },
  fold: foldClusters,
}

/** The summaries of one kind and range, with their traders. */
type Table = { kind: number; range: number; traders: number[]; summaries: Summary[] }

async function foldClusters(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const starters = new Map<number, ReadonlySet<number>>()
  let table: Table = { kind: -1, range: -1, traders: [], summaries: [] }
  let open: { trader: number; clusters: ClusterEdge[] } = { trader: -1, clusters: [] }
  const close = (): void => {
    if (open.clusters.length === 0) return
    table.traders.push(open.trader)
    table.summaries.push(summarize(open.clusters))
  }
  for await (const chunk of chunks) {
    const rowAt = rowsOf(chunk)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      const { kind, range, trader, cluster } = rowAt(index)
      const isSameTable = kind === table.kind && range === table.range
      if (!isSameTable || trader !== open.trader) {
        close()
        open = { trader, clusters: [] }
      }
      if (!isSameTable) {
        write(emit, table, starters)
        table = { kind, range, traders: [], summaries: [] }
      }
      open.clusters.push(cluster)
    }
  }
  close()
  write(emit, table, starters)
}

/**
 * Writes a kind and range. `starters` holds the traders of each range whose score is that of starts, which come first.
 */
function write(
  emit: Emit,
  { kind, range, traders, summaries }: Table,
  starters: Map<number, ReadonlySet<number>>,
): void {
  const others = starters.get(range)
  const shrunk = shrinkSummaries(summaries, (index) => others?.has(traders[index] ?? -1) !== true)
  if (shrunk === undefined) return
  const { population, scores } = shrunk
  if (kind === 0) starters.set(range, new Set(traders.filter((_, index) => isLarge(scores[index]))))
  const column = <T>(field: (score: Score) => T): T[] => scores.map(field)
  emit('clv_shrunk', [
    column(() => kinds[kind]),
    column(() => ranges[range]),
    traders,
    column(({ clv_points }) => clv_points),
    column(({ raw_points }) => raw_points),
    column(({ raw_lower }) => raw_lower),
    column(({ raw_upper }) => raw_upper),
    column(({ mu_points }) => mu_points),
    column(({ v }) => v),
    column(({ se }) => se),
    column(({ q }) => q),
    column(({ q_below }) => q_below),
    column(({ q_wide }) => q_wide),
    column(({ n_clusters }) => n_clusters),
    column(({ n_eff }) => n_eff),
  ])
  const { n_traders, n_pooled, s2, s2_price, tau2, b0, b1 } = population
  emit('clv_priors', [[kinds[kind]], [ranges[range]], [n_traders], [n_pooled], [s2], [s2_price], [tau2], [b0], [b1]])
}

/**
 * Whether starts are enough for a served score (`metrics.clv_scores`). Ten equal clusters count ten but for rounding.
 */
const isLarge = (score: Score | undefined): boolean => (score?.n_eff ?? 0) >= 10 - 1e-9

type InputRow = { kind: number; range: number; trader: number; cluster: ClusterEdge }

/** Reads the rows of a chunk by index: the columns of `clv_shrinkage.sql`, in order. */
function rowsOf(chunk: DuckDBDataChunk): (index: number) => InputRow {
  const column = <V extends DuckDBVector>(index: number, type: new (...args: never[]) => V): V => {
    const vector = chunk.getColumnVector(index)
    if (vector instanceof type) return vector
    throw new TypeError(
      `clv_shrinkage.sql, column ${index}: type ${vector.type.toString()}; expected the type of its header`,
    )
  }
  const markouts = column(0, DuckDBBooleanVector)
  const indexes = column(1, DuckDBIntegerVector)
  const traders = column(2, DuckDBIntegerVector)
  const edges = column(3, DuckDBDoubleVector)
  const risks = column(4, DuckDBDoubleVector)
  const makers = column(5, DuckDBDoubleVector)
  const variances = column(6, DuckDBDoubleVector)
  return (index) => ({
    kind: requireValue(markouts.getItem(index)) ? 1 : 0,
    range: requireValue(indexes.getItem(index)),
    trader: requireValue(traders.getItem(index)),
    cluster: {
      edge_points: requireValue(edges.getItem(index)),
      risk_usd: requireValue(risks.getItem(index)),
      maker_usd: requireValue(makers.getItem(index)),
      price_variance: requireValue(variances.getItem(index)),
    },
  })
}

function requireValue<T>(value: T | null): T {
  if (value === null) throw new Error('clv_shrinkage.sql: a column is null; expected a value')
  return value
}
