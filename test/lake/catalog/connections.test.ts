import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

import { commands, startPostgres, type PostgresServer } from './postgres.ts'

let server: PostgresServer | undefined
beforeAll(async () => {
  if (commands !== undefined) server = await startPostgres()
})
afterAll(() => server?.stop())

test('a lake goes on after PostgreSQL closed its idle connections', async ({ skip }) => {
  skip(server === undefined, 'PostgreSQL is missing')
  const database = await server?.newDatabase()
  const lake = await newLake({ home: await newHome(), database })
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  const admin = new pg.Client(database)
  await admin.connect()
  onTestFinished(() => admin.end())
  const { rowCount } = await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  expect(rowCount).toBeGreaterThan(0)
  // The pool learns of a closed connection when the server's last message arrives.
  await expect
    .poll(() => storeRows(lake, lifeOf('0xb'), { quotes: [quote('b', noon)] }).then(() => 'stored', String))
    .toBe('stored')
  const stored = await lake.read(({ query }) =>
    query('select distinct key from lake.coverage order by key', z.object({ key: z.string() })),
  )
  expect(stored).toEqual([{ key: '0xa' }, { key: '0xb' }])
})
