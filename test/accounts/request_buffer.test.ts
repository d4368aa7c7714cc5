import { expect, test } from 'vitest'

import { openRequestBuffer } from '#accounts/request_buffer.ts'
import { dropRequested, listRequested, requestIngestion } from '#accounts/requested.ts'

import { describeStores } from './stores.ts'

describeStores(({ open }) => {
  const opened = async () => {
    const accounts = await open()
    const buffer = openRequestBuffer(accounts, () => 7)
    const list = async () => (await listRequested(accounts)).map(({ address }) => address)
    return { accounts, buffer, list }
  }

  test('addresses are written together, each once', async () => {
    const { buffer, list } = await opened()
    expect([buffer.add(['0xa', '0xb']), buffer.add(['0xb']), buffer.add(['0xc'])]).toEqual([true, true, true])
    expect(await list()).toEqual([])
    await Promise.all([buffer.flush(), buffer.flush()])
    expect(await list()).toEqual(['0xa', '0xb', '0xc'])
  })

  test('a failed write loses nothing', async () => {
    const { accounts, buffer, list } = await opened()
    await accounts.schema.alterTable('wanted').renameTo('away').execute()
    buffer.add(['0xa'])
    await expect(buffer.flush()).rejects.toThrow()
    buffer.add(['0xb'])
    await accounts.schema.alterTable('away').renameTo('wanted').execute()
    await buffer.flush()
    expect(await list()).toEqual(['0xa', '0xb'])
  })

  test('a full store refuses addresses until it has room', async () => {
    const { accounts, buffer, list } = await opened()
    for (let from = 0; from < 100_000; from += 10_000) {
      const addresses = Array.from({ length: 10_000 }, (_, i) => `0x${from + i}`)
      await requestIngestion(accounts, { addresses, now: 1 })
    }
    buffer.add(['0xa'])
    await buffer.flush()
    expect(buffer.add(['0xb'])).toBe(false)
    await dropRequested(accounts, ['0x1', '0x2'])
    await buffer.flush()
    expect(buffer.add(['0xb'])).toBe(true)
    await dropRequested(accounts, await list())
    await buffer.flush()
    expect((await listRequested(accounts, { most: 200_000 })).map(({ address }) => address)).toContain('0xb')
  })
})
