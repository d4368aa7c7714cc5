import { readFile } from 'node:fs/promises'

import { parseModel } from '#builder/load.ts'
import { checkTable } from '#builder/materialize.ts'
import { clock, withTables, type Given } from '#test/scoring/model.ts'

const folder = new URL('../../validation/sql/', import.meta.url)

/**
 * The rows of a select of `scoring/validate` over given rows, cast, checked and ordered as its header says; decimals
 * and counts as numbers, instants as text. `from` is where the period begins; it ends with the clock of tests.
 */
export async function select(name: string, given: Given, from?: string): Promise<Record<string, unknown>[]> {
  const parsed = parseModel('marts', name, await readFile(new URL(`${name}.sql`, folder), 'utf8'))
  const period = `(select timestamp '${from}' as from_at)`
  const model = { ...parsed, sql: from === undefined ? parsed.sql : parsed.sql.replaceAll('core.period', period) }
  const known = model.sql.includes('core.clock') ? { 'core.clock': [{ as_of: clock }], ...given } : given
  return withTables(model, known, async (connection) => {
    const columns = model.columns.map((column) => `"${column.name}"::${column.sql} as "${column.name}"`)
    await connection.run(`create table marts.${name} as select ${columns.join(', ')} from (${model.sql}\n)`)
    await checkTable(connection, model)
    const reader = await connection.runAndReadAll(`from marts.${name} order by all`)
    const isText = new Set(model.columns.filter(({ sql }) => sql === 'VARCHAR').map((column) => column.name))
    return reader
      .getRowObjectsJson()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [
            column,
            isText.has(column) || Number.isNaN(Number(value)) ? value : Number(value),
          ]),
        ),
      )
  })
}
