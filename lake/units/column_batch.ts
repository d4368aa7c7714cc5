import type { DuckDBConnection } from '@duckdb/node-api'

import type { Dataset } from '#lake/datasets/index.ts'

/**
 * Rows as arrays of one length, one for each column, with values as rows have them. A column that is not given is null
 * in all rows. Hundreds of thousands of rows cost half of what they cost as objects.
 */
export type ColumnBatch = { columns: Readonly<Record<string, readonly unknown[]>>; n_rows: number }

/** Rows in the table `rows` of a connection, which DuckDB moves to disk as needed; without the column `source`. */
export type SpilledRows = { connection: DuckDBConnection; n_rows: number }

/** Rows in memory, as objects or as columns. */
export type HeldRows = readonly Record<string, unknown>[] | ColumnBatch

/** The rows of a dataset. */
export type UnitRows = HeldRows | SpilledRows

export const isSpilled = (rows: UnitRows): rows is SpilledRows => 'connection' in rows

export const isBatch = (rows: UnitRows): rows is ColumnBatch => 'columns' in rows

export const rowCount = (rows: UnitRows): number => ('n_rows' in rows ? rows.n_rows : rows.length)

/** The rows as objects. Spilled rows are too many for that. */
export function toRows(rows: UnitRows): readonly Record<string, unknown>[] {
  if (isSpilled(rows)) throw new Error(`rows: ${rows.n_rows} spilled ones; expected rows in memory`)
  if (!isBatch(rows)) return rows
  const columns = Object.entries(rows.columns)
  return Array.from({ length: rows.n_rows }, (_, n) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[n]])),
  )
}

/** Throws if a batch has other columns than its dataset, or columns of another length. */
export function assertBatch({ name: dataset, columns }: Dataset, { columns: batchColumns, n_rows }: ColumnBatch): void {
  for (const [name, values] of Object.entries(batchColumns)) {
    if (columns[name] === undefined) throw new Error(`${dataset}: unknown column ${name} in a batch`)
    if (values.length !== n_rows)
      throw new Error(`${dataset}: column ${name} of a batch has ${values.length} values; expected ${n_rows}`)
  }
}

/**
 * Whether the rows of a batch lie in the order of a key, each after the one before. Such rows need no sort, and no two
 * have the same key. False where only DuckDB knows the order.
 */
export function isInOrder({ columns, n_rows }: ColumnBatch, key: readonly string[]): boolean {
  const values = key.map((name) => columns[name] ?? [])
  for (let n = 1; n < n_rows; n++) {
    const first = values.find((column) => column[n] !== column[n - 1])
    if (first === undefined || !isBefore(first[n - 1], first[n])) return false
  }
  return true
}

/** UTF-16 orders texts as their bytes do, unless they have surrogates. */
function isBefore(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b
  return typeof a === 'string' && typeof b === 'string' && a < b && !/[\ud800-\udfff]/.test(a + b)
}
