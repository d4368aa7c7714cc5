import { expect, test } from 'vitest'

import { openDailyQuota } from '#accounts/quotas/daily_quota.ts'
import { mostPerDay, openRequestBuffer } from '#accounts/request_buffer.ts'
import { dropRequested, listRequested, noteEmpty, requestIngestion, strangersAmong } from '#accounts/requested.ts'

import { describeStores } from './stores.ts'

const day = 86_400_000_000
const stranger = { account_id: 'a', areTraders: false }

describeStores(({ open }) => {
  const opened = async () => {
    const accounts = await open()
    const clock = { at: 20_000 * day + 7 }
    const buffer = openRequestBuffer(accounts, () => clock.at)
    const list = async () => (await listRequested(accounts)).map(({ address }) => address)
    const request = (addresses: string[], by = stranger) => buffer.request(addresses, by)
    return { accounts, buffer, clock, list, request }
  }

  test('addresses are written together, each once', async () => {
    const { buffer, list, request } = await opened()
    const all = [await request(['0xa', '0xb']), await request(['0xb']), await request(['0xc'])]
    expect(all).toEqual(['requested', 'requested', 'requested'])
    expect(await list()).toEqual([])
    await Promise.all([buffer.flush(), buffer.flush()])
    expect(await list()).toEqual(['0xa', '0xb', '0xc'])
  })

  test('a failed write loses nothing', async () => {
    const { accounts, buffer, list, request } = await opened()
    await accounts.schema.alterTable('wanted').renameTo('away').execute()
    await request(['0xa'])
    await expect(buffer.flush()).rejects.toThrow()
    await request(['0xb'])
    await accounts.schema.alterTable('away').renameTo('wanted').execute()
    await buffer.flush()
    expect(await list()).toEqual(['0xa', '0xb'])
  })

  test('a full store refuses addresses until it has room', async () => {
    const { accounts, buffer, list, request } = await opened()
    for (let from = 0; from < 100_000; from += 10_000) {
      const addresses = Array.from({ length: 10_000 }, (_, i) => `0x${from + i}`)
      await requestIngestion(accounts, { addresses, now: 1 })
    }
    await request(['0xa'])
    await buffer.flush()
    expect(await request(['0xb'])).toBe('full')
    await dropRequested(accounts, ['0x1', '0x2'])
    await buffer.flush()
    expect(await request(['0xb'])).toBe('requested')
    await dropRequested(accounts, await list())
    await buffer.flush()
    expect((await listRequested(accounts, { most: 200_000 })).map(({ address }) => address)).toContain('0xb')
  })

  test('an account has a quota of new addresses a day, which outlives the process; others have their own', async () => {
    const { accounts, buffer, clock, request } = await opened()
    const some = Array.from({ length: mostPerDay - 1 }, (_, i) => `0x${i}`)
    expect(await request(some.slice(0, 1_000))).toBe('requested')
    await buffer.flush()
    expect(await request(some.slice(1_000))).toBe('requested')
    await buffer.flush()
    expect(await request(['0xx', '0xy'])).toBe('spent')
    // An address that waits already costs nothing.
    expect([await request(some.slice(0, 3)), await request(['0xx'])]).toEqual(['requested', 'requested'])
    await buffer.flush()
    const next = openRequestBuffer(accounts, () => clock.at)
    expect(await next.request(['0xy'], stranger)).toBe('spent')
    expect(await next.request(['0xy'], { ...stranger, account_id: 'b' })).toBe('requested')
    clock.at += day
    expect(await next.request(['0xz'], stranger)).toBe('requested')
  })

  test('a count of the day before, which is read while the day ends, is not that of the next day', async () => {
    const { accounts, clock } = await opened()
    const opening = () => openDailyQuota(accounts, { name: 'reads', most: 3, now: () => clock.at })
    const before = opening()
    await before.spend('a', 3)
    await before.flush()
    const quota = opening()
    const late = quota.spend('a', 1)
    clock.at += day
    expect([await quota.spend('b', 1), await late]).toEqual([true, false])
    expect(await quota.spend('a', 3)).toBe(true)
  })

  test('an account that no venue knew is not requested for a day, unless it has trades', async () => {
    const { accounts, buffer, clock, list, request } = await opened()
    await noteEmpty(accounts, ['0xa', '0xb'], clock.at)
    expect([await request(['0xa', '0xb']), await request(['0xa', '0xc'])]).toEqual(['empty', 'requested'])
    await buffer.flush()
    expect(await list()).toEqual(['0xc'])
    expect(await request(['0xb'], { ...stranger, areTraders: true })).toBe('requested')
    clock.at += day
    expect(await request(['0xa'])).toBe('requested')
    await buffer.flush()
    expect(await list()).toEqual(['0xc', '0xa', '0xb'])
    expect((await strangersAmong(accounts, ['0xa', '0xb', '0xc', '0xd'])).toSorted()).toEqual(['0xa', '0xc'])
  })
})
