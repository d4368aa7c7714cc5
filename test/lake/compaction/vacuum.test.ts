import { utimes } from 'node:fs/promises'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { backupName, pinBackup } from '#lake/backup_pin.ts'
import { catalogTime } from '#lake/catalog/catalog.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot, pinSnapshot, unpinSnapshot } from '#lake/snapshot.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { DAY, HOUR, machineClock } from '#time.ts'

import { mergeAll } from './merge_all.ts'

const day_ms = DAY / 1_000
const store = (lake: Lake, n: number) => storeRows(lake, lifeOf('0xa'), { quotes: [quote(`m${n}`, noon)] })
const seenAt = (lake: Lake, snapshot: number) =>
  lake.read(
    async ({ query }) =>
      (await query('select market_id as id from lake.quotes', z.object({ id: z.string() }))).map(({ id }) => id),
    snapshot,
  )
const files = async ({ storage }: Lake): Promise<number> => (await storage.list('lake')).length
/** Makes all files of a lake two days old. */
const age = async ({ local }: Lake): Promise<void> => {
  const then = new Date(Date.now() - 2 * day_ms)
  for (const path of await local.list('lake')) await utimes(local.locate(path), then, then)
}

test('the files of snapshots of less than a day ago are kept, and all other files are removed', async () => {
  const lake = await newLake()
  for (const n of [1, 2, 3]) await store(lake, n)
  const last = await latestSnapshot(lake.catalog)
  expect(await vacuum(lake, { now: machineClock(), keep_ms: day_ms })).toEqual({ deleted: [], n_snapshots: 0 })
  expect(await seenAt(lake, last - 2)).toEqual(['venue:m1'])
  const later = { now: machineClock() + DAY + HOUR, keep_ms: day_ms }
  expect((await vacuum(lake, { ...later, dryRun: true })).deleted).toEqual([])
  expect(await files(lake)).toBe(3)
  expect(await vacuum(lake, later)).toMatchObject({
    deleted: [expect.any(String), expect.any(String)],
    n_snapshots: last,
  })
  expect(await files(lake)).toBe(1)
  await expect(seenAt(lake, last - 1)).rejects.toThrow(
    `lake snapshot ${last - 1}: it is not kept; expected one from ${last} to ${last}`,
  )
  expect(await seenAt(lake, last)).toEqual(['venue:m3'])
})

test('a pinned snapshot keeps its files and its coverage until it is unpinned', async () => {
  const lake = await newLake()
  await store(lake, 1)
  const pinned = await latestSnapshot(lake.catalog)
  await pinSnapshot(lake, 'report', pinned)
  for (const n of [2, 3]) await store(lake, n)
  const later = { now: machineClock() + 2 * DAY, keep_ms: day_ms }
  expect((await vacuum(lake, later)).deleted).toHaveLength(1)
  expect(await seenAt(lake, pinned)).toEqual(['venue:m1'])
  const [entry] = await lake.read(
    ({ query }) => query('select count(*) as n from lake.coverage', z.object({ n: z.bigint() })),
    pinned,
  )
  expect(entry?.n).toBe(1n)
  await unpinSnapshot(lake, 'report')
  expect((await vacuum(lake, later)).deleted).toHaveLength(1)
  expect(await files(lake)).toBe(1)
})

test('the snapshot of a backup is kept while the backup runs, and for an hour after it was killed', async () => {
  const lake = await newLake()
  await store(lake, 1)
  const pinned = await latestSnapshot(lake.catalog)
  await pinBackup(lake, pinned)
  for (const n of [2, 3]) await store(lake, n)
  const now = machineClock() + 2 * DAY
  const lease = { name: backupName, owner: 'a process', expires_ms: Math.round((now - HOUR) / 1_000) + 1 }
  await lake.catalog.db.insertInto('tapeline_leases').values(lease).execute()
  expect((await vacuum(lake, { now, keep_ms: day_ms })).deleted).toHaveLength(1)
  expect(await seenAt(lake, pinned)).toEqual(['venue:m1'])
  expect((await vacuum(lake, { now: now + 2_000, keep_ms: day_ms })).deleted).toHaveLength(1)
  await expect(pinBackup(lake, pinned)).rejects.toThrow('it is not kept')
})

test('of older snapshots the last one of each interval stays, with its files', async () => {
  const lake = await newLake()
  const now = machineClock()
  const minutes = [185, 184, 183, 175, 174, 62, 61, 59, 1]
  for (const [n, ago] of minutes.entries()) {
    await store(lake, n)
    const at = { snapshot_time: catalogTime(Math.floor(now / 600e6) * 600e6 - ago * 60e6) }
    const id = await latestSnapshot(lake.catalog)
    await lake.catalog.db.updateTable('ducklake_snapshot').set(at).where('snapshot_id', '=', id).execute()
  }
  await age(lake)
  const last = await latestSnapshot(lake.catalog)
  await pinSnapshot(lake, 'report', last - 8)
  const thin = { after_ms: HOUR / 1_000, every_ms: 600_000 }
  const { deleted } = await vacuum(lake, { now: Math.floor(now / 600e6) * 600e6, keep_ms: day_ms, thin })
  // Ten minutes end at 180, 170 and 60 minutes ago; the last snapshot of an hour ago stays, and one is pinned.
  const kept = new Map([
    [8, 0],
    [6, 2],
    [4, 4],
    [2, 6],
    [1, 7],
    [0, 8],
  ])
  for (const [back, n] of kept) expect(await seenAt(lake, last - back)).toEqual([`venue:m${n}`])
  for (const back of [7, 5, 3]) await expect(seenAt(lake, last - back)).rejects.toThrow('it is not kept')
  expect(deleted).toHaveLength(3)
  expect(await files(lake)).toBe(6)
  expect((await vacuum(lake, { now, keep_ms: day_ms, thin })).deleted).toEqual([])
})

test('files that no commit names go when they are a day old, and no other file', async () => {
  const lake = await newLake()
  await store(lake, 1)
  const killed = 'lake/quotes/v1/venue_quotes/venue/70/0xa.000000000000.parquet'
  await lake.storage.put(killed, Buffer.from('of a writer that was killed'))
  await lake.storage.put('lake/notes.txt', Buffer.from('of the owner'))
  const now = { now: machineClock(), keep_ms: day_ms }
  expect((await vacuum(lake, now)).deleted).toEqual([])
  await age(lake)
  expect((await vacuum(lake, { ...now, dryRun: true })).deleted).toEqual([killed])
  expect((await vacuum(lake, now)).deleted).toEqual([killed])
  expect(await files(lake)).toBe(2)
})

test('rows of a merged unit that are stored again take no file from an older snapshot, and leave none', async () => {
  const lake = await newLake()
  for (const key of ['0xa', '0xb']) await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon)] })
  const before = await latestSnapshot(lake.catalog)
  await mergeAll(lake)
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('0xa', noon)] })
  for (const snapshot of [before, await latestSnapshot(lake.catalog)])
    expect((await seenAt(lake, snapshot)).toSorted()).toEqual(['venue:0xa', 'venue:0xb'])
  await vacuum(lake, { now: machineClock() + 2 * DAY, keep_ms: day_ms })
  expect(await files(lake)).toBe(1)
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('0xa', noon)] })
  expect(await files(lake)).toBe(1)
})

test('of two processes that merge the same files one does, and the other takes nothing away', async () => {
  const lake = await newLake()
  for (const key of ['0xa', '0xb']) await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon)] })
  const merges = await Promise.allSettled([mergeAll(lake), mergeAll(lake)])
  expect(merges.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await seenAt(lake, await latestSnapshot(lake.catalog))).toSorted()).toEqual(['venue:0xa', 'venue:0xb'])
})

test('rows that come back under the name of a file that is about to go are there', async () => {
  const lake = await newLake()
  await store(lake, 1)
  await store(lake, 2)
  await vacuum(lake, { now: machineClock() + 2 * DAY, keep_ms: 10 * day_ms })
  await age(lake)
  // The file of the first rows has the name that the third commit gives its file again.
  await store(lake, 1)
  await vacuum(lake, { now: machineClock() + HOUR, keep_ms: 1_000 })
  expect(await seenAt(lake, await latestSnapshot(lake.catalog))).toEqual(['venue:m1'])
})
