import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { createClock } from '#builder/builtin_tables.ts'
import { layers } from '#builder/model.ts'
import type { Lake } from '#lake/lake.ts'
import { createLakeTable, latestSnapshot } from '#lake/snapshot.ts'
import { lakeTables } from '#lake/sql.ts'
import { loadScoring } from '#scoring/index.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { buildTables } from '#test/scoring/core/wallets/tables.ts'
import type { Micros } from '#time.ts'

/** Builds tables over a lake as of an instant. Returns the function that queries them. */
export async function scored(lake: Lake, asOf: Micros, tables: readonly string[]) {
  const scratch = join(tmpdir(), `tapeline-scored-${process.pid}`)
  const instance = await openDuckDB({ threads: 2, memory: '1GB', scratch })
  onTestFinished(() => instance.closeSync())
  const snapshot = await latestSnapshot(lake.catalog)
  await withConnection(instance, async (connection) => {
    for (const schema of ['lake', ...layers]) await connection.run(`create schema ${schema}`)
    for (const table of lakeTables) await createLakeTable(connection, lake, table, { snapshot })
    await createClock(connection, asOf)
  })
  const given = ['core.clock', ...lakeTables.map((table) => `lake.${table}`)]
  await buildTables(instance, await loadScoring(), tables, given)
  return (sql: string): Promise<unknown[][]> =>
    withConnection(instance, async (connection) => (await connection.runAndReadAll(sql)).getRowsJson() as unknown[][])
}
