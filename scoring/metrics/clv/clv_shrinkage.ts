import { readFileSync } from 'node:fs'

import {
  DuckDBBooleanVector,
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

import type { Emit, FoldModel, ModelColumn } from '#models/model.ts'

import { shrinkSummaries, summarize, type EventEdge, type Summary } from './shrinkage.ts'

const kinds = ['event_start', 'markout_24h'] as const
/** The ranges from the widest to the narrowest. An event in a range is in all ranges before it. */
const ranges = ['all', '90d', '30d'] as const

const columns = (key: Record<string, string>, rest: Record<string, string>): ModelColumn[] =>
  [key, rest].flatMap((part, index) =>
    Object.entries(part).map(([name, sql]) => ({ name, sql, isNullable: false, isKey: index === 0 })),
  )

/**
 * The shrinkage of closing line values. It sums up each trader's events, estimates the variance between traders, and
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
      { clv: 'DOUBLE', raw: 'DOUBLE', se: 'DOUBLE', n_events: 'INTEGER', n_eff: 'DOUBLE' },
    ),
    clv_priors: columns(
      { kind: 'VARCHAR', range: 'VARCHAR' },
      { n_traders: 'INTEGER', n_pooled: 'INTEGER', s2: 'DOUBLE', tau2: 'DOUBLE', mu: 'DOUBLE' },
    ),
  },
  fold: foldEvents,
}

/** The summaries of one kind and range, with their traders. */
type Table = { traders: number[]; summaries: Summary[] }

async function foldEvents(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const tables = kinds.map(() => ranges.map((): Table => ({ traders: [], summaries: [] })))
  let open = { kind: 0, trader: -1, events: ranges.map((): EventEdge[] => []) }
  const close = (): void => {
    for (const [range, events] of open.events.entries()) {
      const table = tables[open.kind]?.[range]
      if (table === undefined || events.length === 0) continue
      table.traders.push(open.trader)
      table.summaries.push(summarize(events))
    }
  }
  for await (const chunk of chunks) {
    const rowAt = rowsOf(chunk)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      const { kind, trader, n_ranges, event } = rowAt(index)
      if (kind !== open.kind || trader !== open.trader) {
        close()
        open = { kind, trader, events: ranges.map(() => []) }
      }
      for (let range = 0; range < n_ranges; range++) open.events[range]?.push(event)
    }
  }
  close()
  for (const [k, kind] of kinds.entries()) {
    for (const [r, range] of ranges.entries())
      write(emit, kind, range, tables[k]?.[r] ?? { traders: [], summaries: [] })
  }
}

function write(emit: Emit, kind: string, range: string, { traders, summaries }: Table): void {
  const shrunk = shrinkSummaries(summaries)
  if (shrunk === undefined) return
  const { population, scores } = shrunk
  const repeat = (value: string): string[] => scores.map(() => value)
  emit('clv_shrunk', [
    repeat(kind),
    repeat(range),
    traders,
    scores.map(({ clv_points }) => clv_points),
    scores.map(({ raw_points }) => raw_points),
    scores.map(({ se }) => se),
    scores.map(({ n_events }) => n_events),
    scores.map(({ n_eff }) => n_eff),
  ])
  const { n_traders, n_pooled, s2, tau2, mu } = population
  emit('clv_priors', [[kind], [range], [n_traders], [n_pooled], [s2], [tau2], [mu]])
}

type InputRow = { kind: number; trader: number; n_ranges: number; event: EventEdge }

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
  const traders = column(1, DuckDBIntegerVector)
  const edges = column(2, DuckDBDoubleVector)
  const risks = column(3, DuckDBDoubleVector)
  const counts = column(4, DuckDBIntegerVector)
  return (index) => ({
    kind: known(markouts.getItem(index)) ? 1 : 0,
    trader: known(traders.getItem(index)),
    n_ranges: known(counts.getItem(index)),
    event: { edge_points: known(edges.getItem(index)), risk_usd: known(risks.getItem(index)) },
  })
}

function known<T>(value: T | null): T {
  if (value === null) throw new Error('clv_shrinkage.sql: a column is null; expected a value')
  return value
}
