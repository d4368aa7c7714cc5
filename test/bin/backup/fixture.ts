import { join } from 'node:path'

import { z } from 'zod'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import type { Lake } from '#lake/lake.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

const [ann, email] = ['ann', 'ann@example.com']

/** Fills a store of accounts: a key, a person with a session, and a watchlist. Returns the key. */
export async function fillStore(accounts: Accounts): Promise<string> {
  const key = await createKey(accounts, { tier: 'pro', now: noon })
  const [at, isPostgres] = [new Date(noon / 1_000), (await import('#accounts/database.ts')).dialectOf(accounts)]
  const instant = isPostgres === 'postgres' ? at : at.toISOString()
  await accounts.insertInto('accounts').values({ id: ann, tier: 'free', created_at: noon, disabled_at: null }).execute()
  const user = { id: ann, name: 'Ann', email, created_at: instant }
  const flag = { email_verified: isPostgres === 'postgres' ? true : 1, updated_at: instant }
  await accounts
    .insertInto('users')
    .values({ ...user, ...flag })
    .execute()
  const watchlist = { id: 'w1', account_id: ann, name: 'mine', type: 'wallets', items: '[]', created_at: noon } as const
  await accounts.insertInto('watchlists').values(watchlist).execute()
  await accounts.insertInto('followed').values({ address: '0xa', watchlist_id: 'w1' }).execute()
  return key
}

const n_units = 6
export const keys = Array.from({ length: n_units }, (_, n) => `0x${n}`)

/** A home with six units, each in a data file of its own, one of which was replaced, and with accounts. */
export async function newStoredHome({ database }: { database?: string | undefined } = {}) {
  const home = await newHome()
  const lake = await newLake({ home, database })
  await lake.claim('real')
  for (const key of keys) await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon, { bid: 7n })] })
  await replace(lake, '0x0', 1n)
  const accounts = await openAccounts(database ?? join(home, 'accounts.db'))
  const apiKey = await fillStore(accounts)
  await accounts.destroy()
  return { home, lake, apiKey }
}

/** Reads a unit again, with another price. */
export const replace = (lake: Lake, key: string, bid: bigint): Promise<unknown> =>
  storeRows(lake, lifeOf(key), { quotes: [quote(key, noon, { bid })] })

const rowShape = z.object({ market_id: z.string(), bid: z.number() })

export const bidsOf = (lake: Lake): Promise<Record<string, number>> =>
  lake.read(async ({ query }) => {
    const rows = await query('select market_id, bid from lake.quotes order by all', rowShape)
    return Object.fromEntries(rows.map(({ market_id, bid }) => [market_id.slice('venue:'.length), bid]))
  })

/** All rows of all tables of a store. */
export async function rowsOf(accounts: Accounts): Promise<Record<string, unknown>> {
  const tables = ['accounts', 'keys', 'secrets', 'users', 'watchlists', 'followed', 'usage'] as const
  const rows = tables.map(async (name) => [name, await accounts.selectFrom(name).selectAll().execute()] as const)
  return Object.fromEntries(await Promise.all(rows))
}
