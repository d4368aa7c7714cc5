import type { Dataset } from '#lake/datasets.ts'

/** Selects the columns of a dataset as sources write them: instants as microseconds, decimals as millionths. */
export const asWritten = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => `${column(name, sql)} as "${name}"`)
    .join(', ')

const column = (name: string, sql: string): string => {
  if (sql === 'TIMESTAMP') return `epoch_us("${name}")`
  if (sql.endsWith('[]') && sql.startsWith('DECIMAL')) return `[cast(item * 1000000 as bigint) for item in "${name}"]`
  return sql.startsWith('DECIMAL') ? `cast("${name}" * 1000000 as bigint)` : `"${name}"`
}
