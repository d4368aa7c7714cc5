import type { Dataset } from '#lake/datasets/index.ts'

/**
 * Rows as arrays of one length, one for each column, with values as rows have them. A column that is not given is null
 * in all rows. Hundreds of thousands of rows cost half of what they cost as objects.
 */
export type ColumnBatch = { columns: Readonly<Record<string, readonly unknown[]>>; n_rows: number }

/** The rows of a dataset, as objects or as columns. */
export type UnitRows = readonly Record<string, unknown>[] | ColumnBatch

export const isBatch = (rows: UnitRows): rows is ColumnBatch => 'n_rows' in rows

export const rowCount = (rows: UnitRows): number => (isBatch(rows) ? rows.n_rows : rows.length)

/** The rows as objects. */
export function toRows(rows: UnitRows): readonly Record<string, unknown>[] {
  if (!isBatch(rows)) return rows
  const columns = Object.entries(rows.columns)
  return Array.from({ length: rows.n_rows }, (_, n) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[n]])),
  )
}

/** Throws if a batch has other columns than its dataset, or columns of another length. */
export function assertBatch({ name: dataset, columns }: Dataset, { columns: given, n_rows }: ColumnBatch): void {
  for (const [name, values] of Object.entries(given)) {
    if (columns[name] === undefined) throw new Error(`${dataset}: unknown column ${name} in a batch`)
    if (values.length !== n_rows)
      throw new Error(`${dataset}: column ${name} of a batch has ${values.length} values; expected ${n_rows}`)
  }
}
