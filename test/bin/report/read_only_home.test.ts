import { access, chmod, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { withReadableHome } from '#bin/report/read_only_home.ts'
import { parseConfig } from '#config.ts'
import { openLake } from '#lake/lake.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

const limits = { threads: 1, memory: '200MB' }

/** The stored keys as a command reads them, and the folder in which it read. */
const keysOf = (home: string, isWritable: boolean) =>
  withReadableHome(
    parseConfig({ TAPELINE_HOME: home }),
    async (config) => {
      const lake = await openLake(config.home, limits)
      const keys = await lake.read(({ query }) =>
        query('select distinct market_id from lake.quotes order by 1', z.object({ market_id: z.string() })),
      )
      await lake.close()
      return { keys: keys.map(({ market_id }) => market_id), home: config.home }
    },
    async () => isWritable,
  )

test('a home that cannot be written is read, and stays as it is', async () => {
  const home = await newHome()
  const writer = await openLake(home, limits)
  await storeRows(writer, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  await writer.close()
  const file = join(home, 'catalog.sqlite')
  await chmod(file, 0o444)
  const names = ['catalog.sqlite', 'lake']
  // SQLite removes the log of a closed database when its last reader is gone.
  await eventually(async () => expect(await readdir(home)).toEqual(names))
  const before = await readFile(file)
  const read = await keysOf(home, false)
  expect(read.keys).toEqual(['venue:a'])
  expect(read.home).not.toBe(home)
  await expect(access(read.home)).rejects.toThrow('ENOENT')
  expect((await readFile(file)).equals(before)).toBe(true)
  expect(await readdir(home)).toEqual(names)
})

test('a read-only home shows what its writer has just committed', async () => {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  await storeRows(lake, lifeOf('0xb'), { quotes: [quote('b', noon)] })
  expect((await keysOf(lake.home, false)).keys).toEqual(['venue:a', 'venue:b'])
})

test('a home that can be written is read in place', async () => {
  const { home } = await newLake()
  expect((await keysOf(home, true)).home).toBe(home)
})

test('a home that does not exist is an empty folder, and is not created', async () => {
  const missing = join(await newHome(), 'missing')
  const read = await keysOf(missing, true)
  expect(read.keys).toEqual([])
  for (const folder of [missing, read.home]) await expect(access(folder)).rejects.toThrow('ENOENT')
})
