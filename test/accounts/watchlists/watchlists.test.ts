import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { runOnce } from '#accounts/idempotency.ts'
import { followingOf } from '#accounts/profile.ts'
import { listRequested, requestIngestion } from '#accounts/requested.ts'
import { listFollowed, requestFollowed } from '#accounts/watchlists/followed.ts'
import { createWatchlist, deleteWatchlist, listWatchlists, type Watchlist } from '#accounts/watchlists/watchlists.ts'
import { describeStores, newAccount, noon } from '#test/accounts/stores.ts'

const week = 7 * 86_400_000_000
const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`

describeStores((stores) => {
  let place: string
  let accounts: Accounts
  beforeEach(async () => {
    place = await stores.place()
    accounts = await stores.open(place)
  })

  type New = { account_id: string; addresses?: string[]; most?: number; now?: number; in?: Accounts }
  const write = async <T>(account_id: string, work: (db: Accounts) => Promise<T>, of = accounts): Promise<T> => {
    let result: T | undefined
    await runOnce(of, { account_id, key: null, fingerprint: '', now: noon }, async (db) => {
      result = await work(db)
      return { status: 201, headers: [], body: '' }
    })
    return result as T
  }
  const create = (of: New) => {
    const { account_id, addresses = [], most = 50, now = noon } = of
    const row = { account_id, name: 'one', type: 'wallets' as const, items: addresses, addresses, most, now }
    return write(account_id, (db) => createWatchlist(db, row), of.in)
  }
  const remove = (account_id: string, id: string) => write(account_id, (db) => deleteWatchlist(db, { account_id, id }))

  test('of 50 writes at once exactly as many succeed as the tier has', async () => {
    const account_id = await newAccount(accounts)
    const other = await newAccount(accounts)
    // Two connections of one process to SQLite would wait for each other for ever.
    const node = stores.name === 'PostgreSQL' ? await stores.open(place) : accounts
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n) => create({ account_id, most: 5, in: n % 2 === 0 ? accounts : node })),
    )
    expect(made.filter((one) => one !== null)).toHaveLength(5)
    expect(await listWatchlists(accounts, account_id)).toHaveLength(5)
    expect(await create({ account_id: other, most: 5 })).not.toBeNull()
    const [first] = await listWatchlists(accounts, account_id)
    expect(await remove(account_id, first?.id ?? '')).toBe(true)
    expect(await create({ account_id, most: 5 })).not.toBeNull()
    expect(await create({ account_id, most: 5 })).toBeNull()
  })

  test('any sequence of creations and deletions leaves the lists of a model, the newest first', async () => {
    const step = fc.record({
      account: fc.nat(1),
      // A deletion names a list of any account, by its number.
      isDeletion: fc.boolean(),
      list: fc.nat(7),
      wallets: fc.uniqueArray(fc.nat(5), { maxLength: 3 }),
      now: fc.nat(4),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const owners = [await newAccount(accounts), await newAccount(accounts)] as const
        const made: (Watchlist & { account_id: string })[] = []
        const gone = new Set<string>()
        for (const { account, isDeletion, list, wallets, now } of steps) {
          const account_id = owners[account] ?? ''
          const known = made[list]
          if (isDeletion) {
            const isOwn = known?.account_id === account_id && !gone.has(known.id)
            expect(await remove(account_id, known?.id ?? 'unknown')).toBe(isOwn)
            if (isOwn) gone.add(known.id)
            continue
          }
          const at = noon + now * 700
          const created = await create({ account_id, addresses: wallets.map(addressOf), now: at, most: 3 })
          const own = made.filter((one) => one.account_id === account_id && !gone.has(one.id))
          expect(created === null).toBe(own.length >= 3)
          if (created) made.push({ ...created, account_id })
        }
        for (const account_id of owners) {
          const own = made.filter((one) => one.account_id === account_id && !gone.has(one.id))
          const expected = own
            .map(({ account_id: _, ...one }) => one)
            .toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1))
          expect(await listWatchlists(accounts, account_id)).toEqual(expected)
          const following = new Set(own.flatMap(({ items }) => items))
          expect(await followingOf(accounts, account_id)).toEqual([...following].toSorted())
        }
        const all = new Set(made.filter(({ id }) => !gone.has(id)).flatMap(({ items }) => items))
        const since = (address: string): number =>
          Math.min(
            ...made.filter(({ id, items }) => !gone.has(id) && items.includes(address)).map((one) => one.created_at),
          )
        expect((await listFollowed(accounts)).filter((one) => all.has(one))).toEqual(
          [...all].toSorted((a, b) => since(a) - since(b) || (a < b ? -1 : 1)),
        )
        for (const { id, account_id } of made) await remove(account_id, id)
        expect(await listFollowed(accounts)).toEqual([])
      }),
      { numRuns: 20 },
    )
  })

  test('a followed address is requested once with its related addresses, and again after a week', async () => {
    const account_id = await newAccount(accounts)
    const solana = 'So11111111111111111111111111111111111111112'
    await create({ account_id, addresses: [addressOf(1), addressOf(2), solana] })
    const request = (now: number) =>
      requestFollowed(accounts, { now, withRelated: (address) => [address, `${address}-proxy`] })
    const take = async () => {
      const keys = (await listRequested(accounts)).map(({ address }) => address)
      await accounts.deleteFrom('wanted').execute()
      return keys
    }
    await request(noon)
    const all = [addressOf(1), addressOf(2), solana]
    expect(await take()).toEqual(all.flatMap((one) => [one, `${one}-proxy`]).toSorted())
    await create({ account_id, addresses: [addressOf(2), addressOf(3)] })
    await request(noon + week - 1)
    expect(await take()).toEqual([addressOf(3), `${addressOf(3)}-proxy`])
    await request(noon + week)
    expect(await take()).toHaveLength(6)
    await request(noon + week)
    expect(await take()).toEqual([])
  })

  test('the longest followed address comes first, by a watchlist or an alert', async () => {
    const account_id = await newAccount(accounts)
    await create({ account_id, addresses: [addressOf(3), addressOf(2)], now: noon + 2_000 })
    const alert = { account_id, type: 'wallet' as const, entity: 'x', threshold: '{}', state: '{}' }
    const alerts = [
      { ...alert, id: 'first', address: addressOf(3), created_at: noon },
      { ...alert, id: 'second', address: addressOf(1), created_at: noon + 9_000 },
      { ...alert, id: 'third', type: 'market' as const, address: null, created_at: noon },
    ]
    await accounts.insertInto('alerts').values(alerts).execute()
    expect(await listFollowed(accounts)).toEqual([3, 2, 1].map(addressOf))
  })

  test('followed addresses wait behind the requests of callers, and each is requested in the end', async () => {
    const account_id = await newAccount(accounts)
    const followed = Array.from({ length: 70 }, (_, n) => addressOf(n))
    await create({ account_id, addresses: followed })
    await requestIngestion(accounts, { addresses: Array.from({ length: 40 }, (_, n) => `0xcaller${n}`), now: noon })
    const request = () => requestFollowed(accounts, { now: noon, withRelated: (address) => [address] })
    await request()
    expect(await listRequested(accounts)).toHaveLength(40)
    const seen: string[] = []
    for (let n = 0; n < 4; n++) {
      await accounts.deleteFrom('wanted').execute()
      await request()
      seen.push(...(await listRequested(accounts)).map(({ address }) => address))
    }
    expect(seen.toSorted()).toEqual(followed)
  })

  test('an address that no account follows is forgotten, and requested anew when an account follows it', async () => {
    const account_id = await newAccount(accounts)
    const request = async () => {
      await accounts.deleteFrom('wanted').execute()
      await requestFollowed(accounts, { now: noon, withRelated: (address) => [address] })
      return (await listRequested(accounts)).map(({ address }) => address)
    }
    const list = await create({ account_id, addresses: [addressOf(1)] })
    expect(await request()).toEqual([addressOf(1)])
    await remove(account_id, list?.id ?? '')
    await create({ account_id, addresses: [addressOf(2)] })
    expect(await request()).toEqual([addressOf(2)])
    await create({ account_id, addresses: [addressOf(1)] })
    expect(await request()).toEqual([addressOf(1)])
  })
})
