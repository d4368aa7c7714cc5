import { readFileSync } from 'node:fs'

import { DuckDBBigIntVector, DuckDBIntegerVector, type DuckDBDataChunk, type DuckDBVector } from '@duckdb/node-api'

import type { Emit, FoldModel } from '#builder/model.ts'

/** The number of distinct takers that are remembered: the least that a close needs, and its own trader. */
const N_TAKERS = 4
/** The number of rows in a batch of output. */
const batchRows = 512

/**
 * The last trades of the most recent takers of a market, at each instant. A period that ends at an instant has at least
 * m takers exactly if it begins at or before the last trade of the m-th most recent taker.
 */
export const recentTakers: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'recent_takers',
  doc: 'At each instant of a tape, the last trade of the third and the fourth most recent taker, in microseconds.',
  sql: readFileSync(new URL('recent_takers.sql', import.meta.url), 'utf8'),
  outputs: {
    taker_recency: [
      { name: 'market_index', sql: 'INTEGER', isNullable: false, isKey: true },
      { name: 'outcome', sql: 'INTEGER', isNullable: false, isKey: true },
      { name: 'ts_us', sql: 'BIGINT', isNullable: false, isKey: true },
      { name: 'third_us', sql: 'BIGINT', isNullable: true, isKey: false },
      { name: 'fourth_us', sql: 'BIGINT', isNullable: true, isKey: false },
    ],
  },
  fold: foldTakers,
}

type Instant = { market: number; outcome: number; ts: bigint }
/** A taker and its last trade. */
type Seen = { trader: number; ts: bigint }

async function foldTakers(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const output = writer(emit)
  let open: Instant | undefined
  let recent: Seen[] = []
  for await (const chunk of chunks) {
    const rowAt = rowsOf(chunk)
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      const row = rowAt(index)
      const isSameTape = open?.market === row.market && open.outcome === row.outcome
      if (open !== undefined && !(isSameTape && open.ts === row.ts)) output.add(open, recent)
      if (!isSameTape) recent = []
      recent = [{ trader: row.trader, ts: row.ts }, ...recent.filter((each) => each.trader !== row.trader)]
      if (recent.length > N_TAKERS) recent.length = N_TAKERS
      open = row
    }
  }
  if (open !== undefined) output.add(open, recent)
  output.flush()
}

function writer(emit: Emit): { add: (instant: Instant, recent: readonly Seen[]) => void; flush: () => void } {
  let columns: unknown[][] = [[], [], [], [], []]
  const flush = (): void => {
    if (columns[0]?.length !== 0) emit('taker_recency', columns)
    columns = [[], [], [], [], []]
  }
  const add = ({ market, outcome, ts }: Instant, recent: readonly Seen[]): void => {
    const row = [market, outcome, ts, recent[2]?.ts ?? null, recent[3]?.ts ?? null]
    for (const [index, value] of row.entries()) columns[index]?.push(value)
    if (columns[0]?.length === batchRows) flush()
  }
  return { add, flush }
}

/** Reads the rows of a chunk by index: the columns of `recent_takers.sql`, in order. */
function rowsOf(chunk: DuckDBDataChunk): (index: number) => Instant & { trader: number } {
  const column = <V extends DuckDBVector>(index: number, type: new (...args: never[]) => V): V => {
    const vector = chunk.getColumnVector(index)
    if (vector instanceof type) return vector
    throw new TypeError(
      `recent_takers.sql, column ${index}: type ${vector.type.toString()}; expected the type of its header`,
    )
  }
  const markets = column(0, DuckDBIntegerVector)
  const outcomes = column(1, DuckDBIntegerVector)
  const instants = column(2, DuckDBBigIntVector)
  const traders = column(3, DuckDBIntegerVector)
  return (index) => ({
    market: requireValue(markets.getItem(index)),
    outcome: requireValue(outcomes.getItem(index)),
    ts: requireValue(instants.getItem(index)),
    trader: requireValue(traders.getItem(index)),
  })
}

function requireValue<T>(value: T | null): T {
  if (value === null) throw new Error('recent_takers.sql: a column is null; expected a value')
  return value
}
