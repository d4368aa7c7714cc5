import { sql } from 'kysely'
import { expect, test } from 'vitest'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { listOpenAlerts } from '#accounts/alerts/firings.ts'
import { claimMessage, dueMessages } from '#accounts/alerts/outbox.ts'
import { dialectOf } from '#accounts/database.ts'
import { findKey, createKey } from '#accounts/keys.ts'
import { messagingOf } from '#accounts/profile.ts'

import { describeStores, newAccount, noon } from './stores.ts'

const indexesOf = async (accounts: Accounts): Promise<string[]> => {
  const names =
    dialectOf(accounts) === 'postgres'
      ? sql<{ name: string }>`select indexname as name from pg_indexes where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_master where type = 'index'`
  return (await names.execute(accounts)).rows.map(({ name }) => name)
}

/** Changes the tables of chats back to those of the version that had one messenger. */
async function withoutMessengers(former: Accounts): Promise<void> {
  await sql`drop table dead_letters`.execute(former)
  await sql`drop index messaging_by_chat`.execute(former)
  await sql`alter table messaging_links drop column messenger`.execute(former)
  await sql`alter table messaging drop column messenger`.execute(former)
  await sql`alter table messaging drop column chat_id`.execute(former)
  await sql`alter table messaging add column chat_id bigint`.execute(former)
  await sql`create unique index messaging_by_chat on messaging (chat_id)`.execute(former)
  await sql`delete from kysely_migration where name >= '0009'`.execute(former)
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
    await withoutMessengers(former)
    expect(await indexesOf(former)).not.toContain('firings_by_account')
    const accounts = await open(at)
    expect(await indexesOf(accounts)).toContain('firings_by_account')
    expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
  })

  test('a store of the version with one messenger keeps its chats, alerts and messages', async () => {
    const at = await place()
    const former = await open(at)
    const [ann, bob] = [await newAccount(former), await newAccount(former)]
    await withoutMessengers(former)
    await sql`insert into messaging (account_id, handle, chat_id, linked_at)
      values (${ann}, 'ann_b', 7000000001, ${noon}), (${bob}, 'bob_b', null, null)`.execute(former)
    await sql`insert into messaging_links (account_id, token_hash, handle, expires_at)
      values (${bob}, 'a hash', 'bob_b', ${noon})`.execute(former)
    const alert = { id: 'a1', type: 'signal', entity: '*', threshold: '{}', created_at: noon } as const
    const state = { is_armed: true, baseline: null, seen_at: 7 }
    await former
      .insertInto('alerts')
      .values({ ...alert, account_id: ann, address: null, state: JSON.stringify(state) })
      .execute()
    const text = '<b>wallet: Up &amp; &lt;b&gt;down?</b>\n1 &lt; 2 &amp;lt; &amp;amp;\nNow: 3'
    const first = { account_id: ann, position: 1 }
    await former
      .insertInto('firings')
      .values({ ...first, alert_id: 'a1', cause: 'x', fired_at: noon, text })
      .execute()
    await former
      .insertInto('outbox')
      .values({ ...first, text, n_tries: 2, next_at: noon })
      .execute()

    const accounts = await open(at)
    expect(await messagingOf(accounts, ann)).toEqual({ platform: 'telegram', handle: 'ann_b', linked: true })
    expect(await messagingOf(accounts, bob)).toEqual({ platform: 'telegram', handle: 'bob_b', linked: false })
    expect(await accounts.selectFrom('messaging_links').select('messenger').execute()).toEqual([
      { messenger: 'telegram' },
    ])
    expect(await listOpenAlerts(accounts)).toMatchObject([
      { id: 'a1', account_id: ann, threshold: {}, state, is_reachable: true },
    ])
    const plain = 'wallet: Up & <b>down?\n1 < 2 &lt; &amp;\nNow: 3'
    expect(await dueMessages(accounts, { messenger: 'telegram', now: noon, limit: 9 })).toEqual([
      { ...first, text: plain, n_tries: 2, alert_id: 'a1', cause: 'x', fired_at: noon, type: 'signal', entity: '*' },
    ])
    expect(await accounts.selectFrom('firings').select('text').execute()).toEqual([{ text: plain }])
    expect(await claimMessage(accounts, first, { now: noon, until: noon + 1 })).toEqual({
      chat: { messenger: 'telegram', chat_id: '7000000001' },
    })
    const second = { account_id: bob, messenger: 'telegram', handle: 'x', chat_id: '7000000001', linked_at: noon }
    const isRefused = accounts.updateTable('messaging').set(second).where('account_id', '=', bob).execute()
    await expect(isRefused).rejects.toThrow(/unique/i)
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
