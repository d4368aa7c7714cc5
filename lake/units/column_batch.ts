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
