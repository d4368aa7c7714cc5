import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { openMembers } from '#lake/catalog/members.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { machineTimers } from '#time.ts'

import { commands, startPostgres, type PostgresServer } from './postgres.ts'

let server: PostgresServer | undefined
beforeAll(async () => {
  server = commands === undefined ? undefined : await startPostgres()
})
afterAll(() => server?.stop())

const countShape = z.object({ key: z.string(), n_read: z.bigint().nullable() })

test.skipIf(commands === undefined)('a catalog of the version that did not count the rows read', async () => {
  const [home, database] = [await newHome(), await server?.newDatabase()]
  const former = await newLake({ home, database })
  await storeRows(former, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  await former.close()
  const client = new pg.Client(database)
  await client.connect()
  const { rows } = await client.query(
    "select table_schema as schema from information_schema.columns where table_name = 'tapeline_coverage' and column_name = 'n_read'",
  )
  const [{ schema } = { schema: '' }] = z.array(z.object({ schema: z.string() })).parse(rows)
  await client.query(`alter table "${schema}".tapeline_coverage drop column n_read`)
  await client.end()
  // Two processes open it at once.
  const [lake] = await Promise.all([newLake({ home, database }), newLake({ home, database })])
  await storeRows(lake, lifeOf('0xb'), { quotes: [quote('b', noon)] }, { n_read: { quotes: 7 } })
  const counts = await lake.read(({ query }) => query('select key, n_read from lake.coverage order by key', countShape))
  expect(counts).toEqual([
    { key: '0xa', n_read: null },
    { key: '0xb', n_read: 7n },
  ])
})

test.skipIf(commands === undefined)('processes of a catalog share by leases, and end theirs', async () => {
  const [home, database] = [await newHome(), await server?.newDatabase()]
  const [one, another] = [await newLake({ home, database }), await newLake({ home, database })]
  const [first, second] = [one, another].map(({ catalog }) => openMembers({ catalog, ...machineTimers }))
  if (first === undefined || second === undefined) throw new Error('members: missing; expected two')
  onTestFinished(async () => {
    await first.close()
    await second.close()
  })
  expect(await first.share('venue')).toBe(1)
  expect(await Promise.all([second.share('venue'), second.share('another')])).toEqual([2, 1])
  expect(await first.share('venue')).toBe(2)
  await second.close()
  const left = await one.catalog.db.selectFrom('tapeline_leases').select('name').execute()
  expect(left.map(({ name }) => name.split(' ').slice(0, 2).join(' '))).toEqual(['member venue'])
})
