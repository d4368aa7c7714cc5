import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { IdempotencyMismatch, runOnce } from '#accounts/idempotency.ts'
import { createKey, findKey } from '#accounts/keys.ts'

import { describeStores } from './stores.ts'

const hour = 3_600_000_000
const noon = Date.UTC(2026, 2, 1, 12) * 1_000

type Account = 'a' | 'b'
type Write = { account?: Account; key?: string | null; fingerprint?: string; now?: number; store?: Accounts }

describeStores(({ open, place, name }) => {
  let at: string
  let accounts: Accounts
  let ids: { a: string; b: string }

  const newAccount = async (): Promise<string> => {
    const caller = await findKey(accounts, await createKey(accounts, { tier: 'pro', now: noon }))
    return caller?.account_id ?? ''
  }

  beforeEach(async () => {
    at = await place()
    accounts = await open(at)
    ids = { a: await newAccount(), b: await newAccount() }
  })

  let n_made = 0
  /** Creates a row and answers with its name. */
  const write = ({ account = 'a', key = 'k', fingerprint = 'f', now = noon, store = accounts }: Write = {}) =>
    runOnce(store, { account_id: ids[account], key, fingerprint, now }, async (db) => {
      const made = `made-${n_made++}`
      await db.insertInto('secrets').values({ name: made, value: account }).execute()
      return { status: 201, headers: [['Location', `/x?id=${made}`]], body: JSON.stringify({ name: made }) }
    })

  const made = async () =>
    (await accounts.selectFrom('secrets').select('name').where('name', 'like', 'made-%').execute()).length

  test('a repeated key returns the first status, headers and body, and changes nothing', async () => {
    const first = await write()
    expect([first.isReplay, first.response.status]).toEqual([false, 201])
    expect(await write()).toEqual({ response: first.response, isReplay: true })
    expect(await made()).toBe(1)
  })

  test('without a key every request runs', async () => {
    await write({ key: null })
    await write({ key: null })
    expect(await made()).toBe(2)
  })

  test('a key with another fingerprint is refused, and the stored response stays', async () => {
    const { response } = await write()
    await expect(write({ fingerprint: 'g' })).rejects.toThrow(IdempotencyMismatch)
    expect(await write()).toEqual({ response, isReplay: true })
    expect(await made()).toBe(1)
  })

  test('a key belongs to one account', async () => {
    const a = await write({ account: 'a' })
    const b = await write({ account: 'b', fingerprint: 'g' })
    expect([b.isReplay, b.response.body === a.response.body]).toEqual([false, false])
  })

  test('a key expires after 24 hours, and is deleted then', async () => {
    await write()
    expect((await write({ now: noon + 24 * hour - 1 })).isReplay).toBe(true)
    await write({ account: 'b', now: noon + 24 * hour })
    expect(await accounts.selectFrom('idempotency_keys').select('account_id').execute()).toEqual([
      { account_id: ids.b },
    ])
    expect((await write({ now: noon + 24 * hour, fingerprint: 'g' })).isReplay).toBe(false)
  })

  test('an error rolls back the change and leaves the key free', async () => {
    const failing = runOnce(accounts, { account_id: ids.a, key: 'k', fingerprint: 'f', now: noon }, async (db) => {
      await db.insertInto('secrets').values({ name: 'made-half', value: 'x' }).execute()
      throw new Error('the write fails')
    })
    await expect(failing).rejects.toThrow('the write fails')
    expect(await made()).toBe(0)
    expect((await write()).isReplay).toBe(false)
  })

  test('requests at the same moment run once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => write()))
    expect(results.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
    expect(new Set(results.map(({ response }) => response.body)).size).toBe(1)
    expect(await made()).toBe(1)
  })

  test('another process with the same store returns the stored response', async () => {
    const other = await open(at)
    const { response } = await write()
    expect(await write({ store: other })).toEqual({ response, isReplay: true })
  })

  test('any sequence of requests has the effects of its distinct keys', async () => {
    const request = fc.record({
      account: fc.constantFrom<Account>('a', 'b'),
      key: fc.constantFrom(null, '1', '2'),
      fingerprint: fc.constantFrom('f', 'g'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 12 }), async (requests) => {
        await accounts.deleteFrom('idempotency_keys').execute()
        const before = await made()
        const first = new Map<string, { fingerprint: string; body: string }>()
        let n_expected = 0
        for (const one of requests) {
          const id = `${one.account} ${one.key}`
          const known = one.key === null ? undefined : first.get(id)
          const result = await write(one).catch((error: unknown) => error)
          if (known && known.fingerprint !== one.fingerprint) {
            expect(result).toBeInstanceOf(IdempotencyMismatch)
            continue
          }
          if (!known) n_expected++
          expect(result).toMatchObject({
            isReplay: known !== undefined,
            ...(known && { response: { body: known.body } }),
          })
          const { body } = (result as Awaited<ReturnType<typeof write>>).response
          if (!known) first.set(id, { fingerprint: one.fingerprint, body })
        }
        expect((await made()) - before).toBe(n_expected)
      }),
      { numRuns: 30 },
    )
  })

  test('requests at the same moment of two nodes run once', async () => {
    const other = await open(at)
    // One after the other on SQLite, where a second handle of a process would wait for the first.
    const stores = name === 'SQLite' ? [accounts] : [accounts, other]
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => write({ store: stores[i % stores.length] ?? other })),
    )
    expect(results.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
    expect(await made()).toBe(1)
  })
})
