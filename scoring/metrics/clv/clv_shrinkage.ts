import { readFileSync } from 'node:fs'

import type { DuckDBDataChunk } from '@duckdb/node-api'

import type { Emit, FoldModel, ModelColumn } from '#builder/model.ts'

import { rowsOf, type InputRow } from './clv_shrinkage_rows.ts'
import { discoveryRates } from './discovery_rates.ts'
import { shrink, type Population, type Score, type Style } from './shrinkage.ts'
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

const doubles = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, 'DOUBLE']))

const scoreFields = [
  'clv_points',
  'raw_points',
  'raw_lower',
  'raw_upper',
  'mu_points',
  'mu_se',
  'v',
  'tau2',
  'se',
  'skill_points',
  'skill_se',
  'p_above',
  'p_below',
  'n_eff',
] as const

/**
 * The shrinkage of closing line values. It sums up each trader's clusters, estimates the mean and the variance of each
 * role, shrinks each trader, and tests the traders of a range over both kinds together. `metrics.clv` documents the
 * formulas; `clv/shrinkage.ts` has the arithmetic.
 */
export const clvShrinkage: FoldModel = {
  kind: 'fold',
  layer: 'metrics',
  name: 'clv_shrinkage',
  doc: 'Closing line values shrunk towards the mean of the role, over traders in key order.',
  sql: readFileSync(new URL('clv_shrinkage.sql', import.meta.url), 'utf8'),
  outputs: {
    clv_shrunk: columns(
      { kind: 'VARCHAR', range: 'VARCHAR', trader_index: 'INTEGER' },
      { ...doubles(...scoreFields), n_clusters: 'INTEGER' },
    ),
    clv_rates: columns(
      { range: 'VARCHAR', trader_index: 'INTEGER' },
      { q: 'DOUBLE?', q_below: 'DOUBLE?', q_wide: 'DOUBLE?' },
    ),
    clv_priors: columns(
      { kind: 'VARCHAR', range: 'VARCHAR' },
      {
        n_traders: 'INTEGER',
        n_pooled: 'INTEGER',
        n_fitted: 'INTEGER',
        ...doubles('s2', 's2_price', 'b_taken', 'b_made', 'b_both', 'b_flat'),
      },
    ),
  },
  fold: foldClusters,
}

/** The summaries of one kind and range, with their traders. */
type Table = { kind: number; range: number; isTrusted: boolean; traders: number[]; summaries: (Summary & Style)[] }

async function foldClusters(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  let table: Table = { kind: -1, range: -1, isTrusted: false, traders: [], summaries: [] }
  let open: { trader: number; style: Style; clusters: ClusterEdge[] } | undefined
  let tested = new Map<number, Score[]>()
  const closeTrader = (): void => {
    if (open === undefined) return
    table.traders.push(open.trader)
    table.summaries.push({ ...summarize(open.clusters), ...open.style })
  }
  const closeTable = (next: Pick<Table, 'kind' | 'range' | 'isTrusted'>): void => {
    write(emit, table, tested)
    if (next.range !== table.range) {
      writeRates(emit, table.range, tested)
      tested = new Map()
    }
    table = { ...next, traders: [], summaries: [] }
  }
  for await (const chunk of chunks) {
    const rowAt = rowsOf(chunk)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      const { kind, range, trader, style, cluster, isTrusted }: InputRow = rowAt(index)
      const isSameTable = kind === table.kind && range === table.range
      if (!isSameTable || trader !== open?.trader) {
        closeTrader()
        open = { trader, style, clusters: [] }
      }
      if (!isSameTable) closeTable({ kind, range, isTrusted })
      open.clusters.push(cluster)
    }
  }
  closeTrader()
  closeTable({ kind: -1, range: -1, isTrusted: false })
}

/** Writes a kind and range, and keeps the scores of a trusted kind as tests of their traders. */
function write(emit: Emit, { kind, range, isTrusted, traders, summaries }: Table, tested: Map<number, Score[]>): void {
  const shrunk = shrink(summaries)
  if (shrunk === undefined) return
  const { population, scores } = shrunk
  const column = <T>(field: (score: Score) => T): T[] => scores.map(field)
  emit('clv_shrunk', [
    column(() => kinds[kind]),
    column(() => ranges[range]),
    traders,
    ...scoreFields.map((name) => column((score) => score[name])),
    column(({ n_clusters }) => n_clusters),
  ])
  writePopulation(emit, [kinds[kind], ranges[range]], population)
  if (!isTrusted) return
  for (const [i, score] of scores.entries()) {
    const trader = traders[i] ?? -1
    tested.set(trader, [...(tested.get(trader) ?? []), score])
  }
}

function writePopulation(
  emit: Emit,
  key: readonly (string | undefined)[],
  { n_traders, n_pooled, s2, s2_price, prior: { n_fitted, line } }: Population,
): void {
  const figures = [n_traders, n_pooled, n_fitted, s2, s2_price, ...line.coefficients]
  emit(
    'clv_priors',
    [...key, ...figures].map((value) => [value]),
  )
}

function writeRates(emit: Emit, range: number, tested: ReadonlyMap<number, Score[]>): void {
  if (tested.size === 0) return
  const traders = [...tested.keys()].toSorted((a, b) => a - b)
  const rates = discoveryRates(traders.map((trader) => tested.get(trader) ?? []))
  emit('clv_rates', [
    traders.map(() => ranges[range]),
    traders,
    rates.map(({ q }) => q),
    rates.map(({ q_below }) => q_below),
    rates.map(({ q_wide }) => q_wide),
  ])
}
