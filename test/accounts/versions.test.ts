import { sql } from 'kysely'
import { expect, test } from 'vitest'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { dialectOf } from '#accounts/database.ts'
import { findKey, createKey } from '#accounts/keys.ts'

import { describeStores, noon } from './stores.ts'

const indexesOf = async (accounts: Accounts): Promise<string[]> => {
  const names =
    dialectOf(accounts) === 'postgres'
      ? sql<{ name: string }>`select indexname as name from pg_indexes where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_master where type = 'index'`
  return (await names.execute(accounts)).rows.map(({ name }) => name)
}

describeStores(({ open, place }) => {
  test('a store of the version without the index of firings gets it, and keeps its keys', async () => {
    const at = await place()
    const former = await open(at)
    const key = await createKey(former, { tier: 'pro', now: noon })
    await sql`drop index firings_by_account`.execute(former)
    await sql`delete from kysely_migration where name >= '0007'`.execute(former)
    await sql`drop table empty_accounts`.execute(former)
    await sql`alter table wanted drop column is_trader`.execute(former)
    expect(await indexesOf(former)).not.toContain('firings_by_account')
    const accounts = await open(at)
    expect(await indexesOf(accounts)).toContain('firings_by_account')
    expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
  })

  test('a store that a newer version has changed is refused, and stays as it is', async () => {
    const at = await place()
    const newer = await open(at)
    const key = await createKey(newer, { tier: 'pro', now: noon })
    const last = sql`insert into kysely_migration (name, timestamp) values ('9999_moods', '2099-01-01T00:00:00.000Z')`
    await last.execute(newer)
    await expect(openAccounts(at)).rejects.toThrow(
      'store of accounts: it has the migration 9999_moods, which this version does not know; ' +
        'expected the newer version that wrote it',
    )
    await sql`delete from kysely_migration where name = '9999_moods'`.execute(newer)
    expect(await findKey(await open(at), key)).toMatchObject({ tier: 'pro' })
  })
})
