import { join } from 'node:path'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'
import { verifyLake } from '#lake/verify.ts'
import { runMain } from '#test/bin/run_main.ts'
import { commands, startPostgres, type PostgresServer } from '#test/lake/catalog/postgres.ts'
import { newHome, newLake } from '#test/lake/fixture.ts'

import { bidsOf, newStoredHome, replace, rowsOf } from './fixture.ts'

let server: PostgresServer | undefined
beforeAll(async () => {
  server = commands === undefined ? undefined : await startPostgres()
})
afterAll(() => server?.stop())

const envOf = (home: string, database: string | undefined) => ({
  TAPELINE_HOME: home,
  TAPELINE_THREADS: '1',
  TAPELINE_MEMORY: '256MB',
  ...(database === undefined ? {} : { DATABASE_URL: database }),
})
const storeOf = async (place: string) => {
  const accounts = await openAccounts(place)
  onTestFinished(() => accounts.destroy())
  return accounts
}

test.skipIf(commands === undefined)('from PostgreSQL to a folder, to PostgreSQL again, and on', async () => {
  const database = (await server?.newDatabase()) ?? ''
  const { home, lake, apiKey } = await newStoredHome({ database })
  const [folder, restored] = [join(await newHome(), 'b'), join(await newHome(), 'r')]
  expect(await runMain(['backup', folder], envOf(home, database))).toMatchObject({ code: 0 })
  // The folder is a home of files.
  expect((await runMain(['verify'], envOf(folder, undefined))).out).toBe('6 files verified, 0 faults\n')
  const accounts = await storeOf(join(folder, 'accounts.db'))
  expect(await findKey(accounts, apiKey)).toMatchObject({ tier: 'pro' })
  const former = await storeOf(database)

  expect((await runMain(['restore', folder], envOf(restored, database))).err).toContain(
    'DATABASE_URL: it has the catalog of a lake; expected an empty database',
  )
  const other = (await server?.newDatabase()) ?? ''
  expect(await runMain(['restore', folder], envOf(restored, other))).toMatchObject({ code: 0 })
  const again = await newLake({ home: restored, database: other })
  expect(await verifyLake(again)).toMatchObject({ n_files: 6, faults: [] })
  expect(await bidsOf(again)).toEqual(await bidsOf(lake))
  expect(await rowsOf(await storeOf(other))).toEqual(await rowsOf(former))
  expect(await coverageOf(again)).toEqual(await coverageOf(lake))
  await replace(again, '0x1', 9n)
  expect(await bidsOf(again)).toEqual({ ...(await bidsOf(lake)), '0x1': 0.000009 })
})

test.skipIf(commands === undefined)('does not replace accounts that a database has', async () => {
  const [{ home }, folder] = [await newStoredHome(), join(await newHome(), 'b')]
  await runMain(['backup', folder], envOf(home, undefined))
  const database = (await server?.newDatabase()) ?? ''
  await runMain(['key', 'create', '--tier', 'free'], envOf(home, database))
  const { code, err } = await runMain(['restore', folder], envOf(join(await newHome(), 'r'), database))
  expect({ code, err }).toEqual({
    code: 1,
    err: 'tapeline restore: DATABASE_URL: it has accounts; expected an empty database\n',
  })
})

type Opened = Awaited<ReturnType<typeof newLake>>

const coverageOf = ({ catalog }: Opened): Promise<unknown> =>
  catalog.db.selectFrom('tapeline_coverage').selectAll().where('end_snapshot', 'is', null).orderBy('unit').execute()
