import { rm } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { openLake } from '#lake/lake.ts'
import { verifyLake } from '#lake/verify.ts'

import { lifeOf, newHome, newLake, noon, quote, storeRows } from './fixture.ts'

test('a data file that is missing or changed is named', async () => {
  const lake = await newLake()
  for (const key of ['0xa', '0xb', '0xc']) await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon)] })
  expect(await verifyLake(lake)).toEqual({ n_files: 3, faults: [] })
  const [a = '', b = '', c = ''] = await lake.storage.list('lake')
  await lake.storage.delete(a)
  const bent = (await lake.local.get(b)) ?? Buffer.alloc(0)
  bent[40] = (bent[40] ?? 0) ^ 1
  await lake.storage.put(b, bent)
  const faults = [
    { path: a, problem: 'missing' },
    { path: b, problem: 'changed' },
  ]
  expect(await verifyLake(lake)).toMatchObject({ n_files: 3, faults })
  expect(await lake.storage.has(c)).toBe(true)
})

test('a lake whose catalog is gone is refused, and nothing is written', async () => {
  const home = await newHome()
  const lake = await newLake({ home })
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('m', noon)] })
  await lake.close()
  for (const end of ['', '-wal', '-shm']) await rm(`${home}/catalog.sqlite${end}`, { force: true })
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(openLake(home, { threads: 1, memory: '256MB' })).rejects.toThrow(
      /\/lake: data files without their catalog; expected .*catalog\.sqlite/,
    )
  }
})
