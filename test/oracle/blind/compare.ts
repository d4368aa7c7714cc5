import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { grouped } from './numbers.ts'
import type { Row, Table } from './rows.ts'

/** A place where a table and the oracle differ; a row that one of them lacks has the column `row`. */
export type Difference = { table: string; key: string; column: string; made: unknown; expected: unknown }

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
const columnsShape = z.array(z.object({ column_name: z.string(), column_type: z.string() }))
const rowsShape = z.array(z.record(z.string(), cell))

/** All columns of the models' table but maps: instants in microseconds, days since 1970, figures as doubles. */
export async function readTable(connection: DuckDBConnection, name: string): Promise<Row[]> {
  const described = (await connection.runAndReadAll(`describe ${name}`)).getRowObjectsJson()
  const plain = columnsShape.parse(described).filter(({ column_type }) => !column_type.startsWith('MAP'))
  const columns = plain.map(({ column_name: column, column_type: type }) => {
    if (type === 'TIMESTAMP') return `epoch_us(${column})::double as ${column}`
    if (type === 'DATE') return `(${column} - date '1970-01-01')::double as ${column}`
    return ['VARCHAR', 'BOOLEAN'].includes(type) ? column : `${column}::double as ${column}`
  })
  return rowsShape.parse(
    (await connection.runAndReadAll(`select ${columns.join(', ')} from ${name}`)).getRowObjectsJson(),
  )
}

/** Every row and column of the oracle's table against the models'. Figures agree within 1e-9 of their size. */
export function differencesOf({ name, key, rows }: Table, made: readonly Row[]): Difference[] {
  const nameOf = (row: Row): string => JSON.stringify(key.map((column) => row[column] ?? null))
  const [expected, found] = [grouped(rows, nameOf), grouped(made, nameOf)]
  const differences: Difference[] = []
  for (const one of new Set([...expected.keys(), ...found.keys()])) {
    const [ours, theirs] = [expected.get(one) ?? [], found.get(one) ?? []]
    if (ours.length !== theirs.length) {
      differences.push({ table: name, key: one, column: 'row', made: theirs.length, expected: ours.length })
      continue
    }
    for (const [place, row] of ours.entries()) {
      for (const [column, value] of Object.entries(row)) {
        const other = theirs[place]?.[column]
        if (!isEqual(value, other)) differences.push({ table: name, key: one, column, made: other, expected: value })
      }
    }
  }
  return differences
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b)) + 1e-11
}
