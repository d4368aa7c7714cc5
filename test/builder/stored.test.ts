import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { tablesRead } from '#builder/dag.ts'
import { parseModel } from '#builder/load.ts'
import { createStoredViews, showDerived } from '#builder/materialize.ts'

const largest = String(2n ** 256n - 1n)
const header = '-- Amounts.\n-- columns: wallet; amount, n_trades\nselect 1'

let folder: string
let instance: DuckDBInstance
let connection: DuckDBConnection
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapeline-stored-'))
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
  await connection.run(
    `create schema core; create table core.balances (wallet varchar, amount bignum, n_trades bigint)`,
  )
  await connection.run(
    `insert into core.balances values ('0xa', '${largest}'::bignum, 3), ('0xb', 0, 1), ('0xc', null, 0)`,
  )
})
afterEach(async () => {
  connection.closeSync()
  instance.closeSync()
  await rm(folder, { recursive: true })
})

const rowsOf = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRowsJson()
const isStored = async (name: string): Promise<boolean> =>
  (await rowsOf(`from duckdb_views() where schema_name = 'stored' and view_name = '${name}'`)).length > 0

const asText = [
  ['0xa', largest, 'VARCHAR', '3'],
  ['0xb', '0', 'VARCHAR', '1'],
  ['0xc', null, 'VARCHAR', '0'],
]
const read = 'select wallet, amount, typeof(amount), n_trades from stored.balances order by wallet'

test('a select of a stored table reads the table of the core', async () => {
  expect(
    await tablesRead(connection, 'core.x', 'from stored.trades t join core.tokens k on k.token = t.token'),
  ).toEqual(['core.tokens', 'core.trades'])
})

test('a stored table without a file has the amounts of the table as text', async () => {
  await createStoredViews(connection, 'select amount from stored.balances union all select amount from stored.balances')
  expect(await rowsOf(read)).toEqual(asText)
})

test('a stored table over a file has the amounts as the file has them', async () => {
  const file = await written()
  await connection.run('drop table core.balances')
  await showDerived(connection, parseModel('core', 'balances', header), file)
  expect(await rowsOf(read)).toEqual(asText)
  await createStoredViews(connection, read)
  await connection.run('drop view core.balances')
  expect(await rowsOf(read)).toEqual(asText)
})

test('tables without token amounts, and those of other layers, have no stored table', async () => {
  const file = await written()
  await connection.run('create schema staging')
  await showDerived(connection, parseModel('core', 'counts', header.replace('amount, ', '')), file)
  await showDerived(connection, parseModel('staging', 'balances', header), file)
  expect([await isStored('counts'), await isStored('balances')]).toEqual([false, false])
})

async function written(): Promise<string> {
  const file = join(folder, 'balances.parquet')
  await connection.run(`copy core.balances to '${file}' (format parquet)`)
  return file
}
