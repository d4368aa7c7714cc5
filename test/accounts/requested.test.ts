import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { deferRequested, dropRequested, listRequested, requestIngestion, strangersAmong } from '#accounts/requested.ts'

import { describeStores } from './stores.ts'

const now = Date.UTC(2026, 2, 1, 12) * 1_000

describeStores(({ open }) => {
  let accounts: Accounts
  beforeEach(async () => {
    accounts = await open()
  })

  test('addresses wait in the order of their first requests', async () => {
    await requestIngestion(accounts, { addresses: ['0xb', '0xc'], now })
    await requestIngestion(accounts, { addresses: ['0xa', '0xb'], now: now + 1 })
    expect(await listRequested(accounts)).toEqual([
      { address: '0xb', asked_at: now },
      { address: '0xc', asked_at: now },
      { address: '0xa', asked_at: now + 1 },
    ])
    expect(await listRequested(accounts, { most: 1 })).toEqual([{ address: '0xb', asked_at: now }])
    expect(await listRequested(accounts, { most: 1, without: ['0xb', '0xc'] })).toEqual([
      { address: '0xa', asked_at: now + 1 },
    ])
  })

  test('accounts that were read are no longer requested', async () => {
    await requestIngestion(accounts, { addresses: ['0xa', '0xb'], now })
    await dropRequested(accounts, ['0xb', '0xnever'])
    expect((await listRequested(accounts)).map(({ address }) => address)).toEqual(['0xa'])
  })

  test('no accounts are none to drop, to put off or to find', async () => {
    await requestIngestion(accounts, { addresses: ['0xa'], now })
    await dropRequested(accounts, [])
    await deferRequested(accounts, [], now + 1)
    expect(await strangersAmong(accounts, [])).toEqual([])
    expect(await listRequested(accounts)).toEqual([{ address: '0xa', asked_at: now }])
  })

  test('requests for random addresses cannot fill the disk', async () => {
    const many = (from: number, n: number) => Array.from({ length: n }, (_, i) => `0x${from + i}`)
    for (let from = 0; from < 100_000; from += 10_000)
      await requestIngestion(accounts, { addresses: many(from, 10_000), now })
    await requestIngestion(accounts, { addresses: ['one more'], now: now - 1 })
    expect((await listRequested(accounts, { most: 1 }))[0]?.address).not.toBe('one more')
  })
})
