import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { openCatalog } from '#lake/catalog/catalog.ts'
import { openDatabase } from '#lake/catalog/database.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { lifeOf, market, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

import { age, contentsOf, removeCatalog } from './fixture.ts'

const limits = { threads: 1, memory: '256MB' }
const repair = (home: string) => repairLake({ home, limits, database: undefined })
const store = (lake: Lake, key: string, price: number) =>
  storeRows(
    lake,
    lifeOf(key),
    { quotes: [quote(key, noon, { bid: BigInt(price) })], markets: [market(key)] },
    { state: 'done' },
  )

/** A closed lake of three units, and its contents. */
async function newClosed(): Promise<{ home: string; contents: string[] }> {
  const home = await newHome()
  const lake = await newLake({ home })
  for (const [n, key] of ['0xa', '0xb', '0xc'].entries()) await store(lake, key, n + 1)
  const contents = await contentsOf(lake)
  await lake.close()
  return { home, contents }
}

test.each([
  ['is garbage', () => Buffer.from('no catalog '.repeat(1_000))],
  ['is empty', () => Buffer.alloc(0)],
  ['has lost a page', (file: Buffer) => file.fill(255, 8_192, 12_288)],
])('a catalog that %s is kept under another name and rebuilt', async (_, damage) => {
  const { home, contents } = await newClosed()
  const file = join(home, 'catalog.sqlite')
  const bytes = await readFile(file)
  for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`, { force: true })
  await writeFile(file, damage(bytes))
  expect(await repair(home)).toEqual({ rebuilt: { n_files: 6, n_units: 3 }, damaged: [], n_missing: 0 })
  expect((await readdir(home)).filter((name) => name.startsWith('catalog.sqlite.damaged-'))).not.toEqual([])
  expect(await contentsOf(await newLake({ home }))).toEqual(contents)
})

test('a whole catalog stays as it is', async () => {
  const { home, contents } = await newClosed()
  const before = await readFile(join(home, 'catalog.sqlite'))
  expect(await repair(home)).toEqual({ rebuilt: null, damaged: [], n_missing: 0 })
  expect(await readFile(join(home, 'catalog.sqlite'))).toEqual(before)
  expect(await contentsOf(await newLake({ home }))).toEqual(contents)
})

test('a catalog that the machine does not open stays as it is', async () => {
  const closed = await newClosed()
  // SQLite shares the index of a log within a process, and opens it once.
  const home = await newHome()
  for (const name of ['lake', 'catalog.sqlite'])
    await cp(join(closed.home, name), join(home, name), { recursive: true })
  const file = join(home, 'catalog.sqlite')
  const before = await readFile(file)
  // SQLite cannot open its log, as with too many open files.
  await mkdir(`${file}-wal`)
  await expect(repair(home)).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
  expect(await readFile(file)).toEqual(before)
  expect(await readdir(home)).not.toContainEqual(expect.stringContaining('.damaged-'))
})

test('a repair that did not end is refused, and repeated', async () => {
  const { home, contents } = await newClosed()
  await removeCatalog(home)
  const catalog = await openCatalog(openDatabase(join(home, 'catalog.sqlite')), home, true)
  await catalog.close()
  await expect(openLake(home, limits)).rejects.toThrow('its rebuild did not end; expected another `tapeline repair`')
  expect(await repair(home)).toMatchObject({ rebuilt: { n_files: 6 } })
  expect(await contentsOf(await newLake({ home }))).toEqual(contents)
})

test('a process whose catalog was removed or replaced commits nothing', async () => {
  const home = await newHome()
  const lake = await newLake({ home })
  await store(lake, '0xa', 1)
  await removeCatalog(home)
  await expect(store(lake, '0xb', 1)).rejects.toThrow(/catalog\.sqlite: removed or replaced while it was open/)
  await repair(home)
  await expect(store(lake, '0xb', 1)).rejects.toThrow(/removed or replaced/)
})

test('the newest reading whose files are all there counts', async () => {
  const home = await newHome()
  const lake = await newLake({ home })
  await store(lake, '0xa', 1)
  for (const path of await lake.storage.list('lake')) await age(lake, path, 20)
  const contents = await contentsOf(lake)
  // A writer that is killed before its second file and its commit.
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('a', noon), quote('b', noon)], markets: [market('a')] })
  const newer = (await lake.storage.list('lake/markets')).filter(
    (path) => !contents.join().includes(path.slice(-20, -8)),
  )
  expect(newer.length).toBeGreaterThan(0)
  for (const path of newer) await lake.storage.delete(path)
  await lake.close()
  await removeCatalog(home)
  await repair(home)
  expect(await contentsOf(await newLake({ home }))).toEqual(contents)
})

test.each([false, true])(
  'damaged files are set aside, and their units are read again (merged: %s)',
  async (isMerged) => {
    const home = await newHome()
    const lake = await newLake({ home })
    for (const [n, key] of ['0xa', '0xb', '0xc', '0xd'].entries()) await store(lake, key, n + 1)
    if (isMerged) await mergeAll(lake)
    const contents = await contentsOf(lake)
    const [bent = '', missing = ''] = (await lake.storage.list('lake/quotes'))
      .filter((path) => !isMerged || path.includes('/merged/'))
      .toReversed()
    const bytes = (await lake.local.get(bent)) ?? Buffer.alloc(0)
    await lake.storage.put(bent, bytes.fill(7, 20, 30))
    if (missing !== '') await lake.storage.delete(missing)
    const damaged = [bent, missing]
      .filter((path) => path !== '')
      .map((path) => ({ path, problem: path === bent ? 'changed' : 'missing' }))
    expect(await repair(home)).toMatchObject({
      rebuilt: null,
      damaged: damaged.toReversed(),
      n_missing: isMerged ? 4 : 2,
    })
    expect(await lake.local.get(`damaged/${bent}`)).toEqual(bytes)
    const states = await lake.read(({ query }) =>
      query(`select reason from lake.coverage where state = 'missing'`, z.object({ reason: z.string() })),
    )
    expect(states).toHaveLength(isMerged ? 8 : 4)
    expect(new Set(states.map(({ reason }) => reason))).toEqual(
      new Set(damaged.map(({ path, problem }) => `${path}: ${problem}`)),
    )
    for (const [n, key] of ['0xa', '0xb', '0xc', '0xd'].entries()) await store(lake, key, n + 1)
    expect(await contentsOf(lake)).toEqual(contents)
    expect(await repair(home)).toEqual({ rebuilt: null, damaged: [], n_missing: 0 })
  },
)

test('with a lost catalog, damaged files are set aside too', async () => {
  const { home, contents } = await newClosed()
  const lake = await newLake({ home })
  const [a = '', b = '', whole = ''] = await lake.storage.list('lake/markets')
  const key = /0x[abc]/.exec(whole)?.[0] ?? 'none'
  await lake.storage.put(a, Buffer.from('no Parquet'))
  await lake.storage.delete(b)
  await lake.close()
  await removeCatalog(home)
  const { rebuilt, damaged, n_missing } = await repair(home)
  expect([rebuilt, n_missing]).toEqual([{ n_files: 4, n_units: 1 }, 2])
  expect(damaged).toMatchObject([{ path: a, problem: expect.stringContaining('its digest is') }])
  const again = await newLake({ home })
  // The rows of the whole files are not lost, since not every unit can be read again.
  const isLost = (row: string) => /^(markets|coverage) /.test(row) && !row.includes(key)
  expect(await contentsOf(again)).toEqual(contents.filter((row) => !isLost(row)))
  expect(await repair(home)).toEqual({ rebuilt: null, damaged: [], n_missing: 0 })
  for (const [n, key] of ['0xa', '0xb', '0xc'].entries()) await store(again, key, n + 1)
  expect(await contentsOf(again)).toEqual(contents)
})

test('a rebuilt lake has the units that were merged with a unit of a damaged file', async () => {
  const home = await newHome()
  const lake = await newLake({ home })
  for (const [n, key] of ['0xa', '0xb', '0xc'].entries()) await store(lake, key, n + 1)
  const contents = await contentsOf(lake)
  const [bent = ''] = (await lake.storage.list('lake/quotes')).filter((path) => path.includes('0xa'))
  await lake.storage.put(bent, Buffer.from('no Parquet'))
  expect(await repair(home)).toMatchObject({ n_missing: 1 })
  // The markets of the damaged unit are still stored, and are merged with those of the others.
  await mergeAll(lake)
  await lake.close()
  await removeCatalog(home)
  expect(await repair(home)).toMatchObject({ damaged: [], n_missing: 0 })
  const again = await newLake({ home })
  expect(await contentsOf(again)).toEqual(contents.filter((row) => !/^(quotes|coverage) .*0xa/.test(row)))
  await store(again, '0xa', 1)
  expect(await contentsOf(again)).toEqual(contents)
})
