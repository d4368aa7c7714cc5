import type { Dataset } from '#lake/datasets/index.ts'

/** A stored row as its source wrote it: instants as microseconds, decimals as millionths. */
export type StoredValues = Record<string, unknown>

/** Selects the columns of a dataset as sources write them: instants as microseconds, decimals as millionths. */
export const toSourceValues = ({ columns }: Pick<Dataset, 'columns'>): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `${column(name, sql)} as "${name}"`)
    .join(', ')

const column = (name: string, sql: string): string => {
  if (sql === 'TIMESTAMP') return `epoch_us("${name}")`
  if (sql.endsWith('[]') && sql.startsWith('DECIMAL')) return `[cast(item * 1000000 as bigint) for item in "${name}"]`
  return sql.startsWith('DECIMAL') ? `cast("${name}" * 1000000 as bigint)` : `"${name}"`
}

/** Makes numbers of instants and counts, in place. DuckDB returns all 64-bit integers as bigint. */
export function withNumbers<Row extends StoredValues>({ columns }: Pick<Dataset, 'columns'>, rows: Row[]): Row[] {
  const whole = Object.entries(columns).filter(([, { sql }]) => sql === 'TIMESTAMP' || sql === 'BIGINT')
  for (const row of rows as StoredValues[]) {
    for (const [name] of whole) if (typeof row[name] === 'bigint') row[name] = Number(row[name])
  }
  return rows
}
