import { appendFile } from 'node:fs/promises'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { joinedPath } from '#lake/compaction/paths.ts'
import { vacuum, type Collected } from '#lake/compaction/vacuum.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { rowsPath } from '#lake/units/unit.ts'
import { currentFiles, lakeViews } from '#lake/views.ts'
import { newLake } from '#test/lake/fixture.ts'

import { compact, day, hour, hourAt, keysTogether, life, over, seen, start, store, watched } from './compacted.ts'

const keep_ms = 86_400_000
const collect = (lake: Lake, now: number, more = {}): Promise<Collected> => vacuum(lake, { now, keep_ms, ...more })

const hours = Array.from({ length: 6 }, (_, n) => hourAt(start + n * hour))
const lives = keysTogether(9).map(life)
const folder = 'lake/quotes/v1/venue_feed/venue'

/** A lake in which six hours and nine lives were just joined. */
async function joinedLake(): Promise<Lake & { home: string }> {
  const lake = await newLake()
  for (const unit of [...hours, ...lives]) await store(lake, unit)
  await compact(lake)
  return lake
}

const listed = async (lake: Lake): Promise<string[]> =>
  (await lake.storage.list('lake')).filter((path) => path !== 'lake/gc.json')

const current = async (lake: Lake): Promise<string[]> => {
  const files = await Promise.all(['quotes', 'coverage'].map((table) => currentFiles(lake.storage, `lake/${table}/v1`)))
  return files.flatMap(({ units, joined }) => [...units, ...joined])
}

describe('what was superseded', () => {
  test('goes a day after it was first seen, and nothing else', async () => {
    const lake = await joinedLake()
    const before = await seen(lake)
    const files = await listed(lake)
    const now = start + 400 * day
    expect(await collect(lake, now)).toEqual({ deleted: [], n_waiting: 30 + 4, damaged: [] })
    expect(await collect(lake, now + day - 1)).toMatchObject({ deleted: [], n_waiting: 34 })
    expect(await listed(lake)).toEqual(files)
    const { deleted, n_waiting } = await collect(lake, now + day)
    expect([deleted.length, n_waiting]).toEqual([34, 0])
    expect((await listed(lake)).filter((path) => !/manifest|keys/.test(path)).sort()).toEqual(
      (await current(lake)).sort(),
    )
    expect(await seen(lake)).toEqual(before)
    expect(await collect(lake, now + day)).toEqual({ deleted: [], n_waiting: 0, damaged: [] })
    expect(await seen(lake)).toEqual(before)
  })

  test('is reported in a dry run, and stays', async () => {
    const lake = await joinedLake()
    const now = start + 400 * day
    await collect(lake, now)
    const files = await lake.storage.list('lake')
    const dry = await collect(lake, now + day, { dryRun: true })
    expect(await lake.storage.list('lake')).toEqual(files)
    expect((await collect(lake, now + day)).deleted).toEqual(dry.deleted)
    expect(dry.deleted).toHaveLength(34)
  })

  test('goes in pieces where a call may delete no more, and the next one goes on', async () => {
    const lake = await joinedLake()
    const before = await seen(lake)
    const now = start + 400 * day
    await collect(lake, now)
    let n_deleted = 0
    for (let n = 0; n < 5; n++) {
      n_deleted += (await collect(lake, now + day, { maxFiles: 10 })).deleted.length
      expect(await seen(lake)).toEqual(before)
    }
    expect(n_deleted).toBe(34)
  })

  test('by a late unit is the joined file of before, which whoever read its manifest still finds', async () => {
    const lake = await joinedLake()
    const now = start + 400 * day
    const [old] = (await currentFiles(lake.storage, folder)).joined
    await collect(lake, now)
    await store(lake, hourAt(start), { version: 2n })
    await collect(lake, now + hour)
    expect((await collect(lake, now + day)).deleted).not.toContain(old)
    expect((await collect(lake, now + day + hour)).deleted).toContain(old)
    expect((await seen(lake)).rows).toMatchObject({ 'venue_feed/venue/2026-11-19T00': '2 x 2' })
  })

  test('before it counted, by a crash, goes too', async () => {
    const lake = await newLake()
    for (const unit of hours) await store(lake, unit)
    const before = await seen(lake)
    const storage = watched(lake.storage, {
      after: (verb, path) => {
        if (verb === 'put' && path.includes('/joined/')) throw new Error('killed')
      },
    })
    await expect(compact(over(lake, storage))).rejects.toThrow('killed')
    const [orphan] = (await listed(lake)).filter((path) => path.endsWith('.parquet') && path.includes('/joined/'))
    const now = start + 400 * day
    await collect(lake, now)
    expect((await collect(lake, now + day)).deleted).toEqual([orphan])
    expect(await seen(lake)).toEqual(before)
  })

  test('is not what was noted while it was being written, and counts since', async () => {
    const lake = await newLake()
    for (const unit of hours) await store(lake, unit)
    const before = await seen(lake)
    const now = start + 400 * day
    const storage = watched(lake.storage, {
      after: async (verb, path) => {
        if (verb === 'put' && path.startsWith(joinedPath(folder))) await collect(lake, now)
      },
    })
    await compact(over(lake, storage))
    // Replaced before any other look at it: by the note of then it would have been superseded for a day.
    const [old] = (await currentFiles(lake.storage, folder)).joined
    await store(lake, hourAt(start), { version: 2n })
    expect((await collect(lake, now + day)).deleted).not.toContain(old)
    expect(await seen(lake)).toEqual({ ...before, rows: { ...before.rows, 'venue_feed/venue/2026-11-19T00': '2 x 2' } })
  })
})

describe('a joined file that is not what it was', () => {
  test.each(['damaged', 'gone'])('is reported when it is %s, and what it holds is kept', async (how) => {
    const lake = await joinedLake()
    const now = start + 400 * day
    await collect(lake, now)
    const [joined = ''] = (await currentFiles(lake.storage, folder)).joined
    if (how === 'gone') await lake.storage.delete(joined)
    else await appendFile(lake.storage.locate(joined), 'x')
    const { deleted, damaged } = await collect(lake, now + day)
    expect(damaged).toEqual([joined])
    expect(deleted.filter((path) => path.startsWith(folder) && !path.includes('/joined/'))).toEqual([])
    expect(deleted.length).toBeGreaterThan(20)
    expect(await listed(lake)).toContain(rowsPath(datasets.quotes, hourAt(start)))
  })
})

test('lives whose own files are gone are not looked up by readers, and are found by who stores one', async () => {
  const lake = await joinedLake()
  const before = await seen(lake)
  const now = start + 400 * day
  for (const at of [now, now + day, now + day + hour]) await collect(lake, at)
  let n_keys = 0
  const storage = watched(lake.storage, {
    before: (verb, path) => {
      if (verb === 'get' && path.includes('/keys-')) n_keys += 1
    },
  })
  expect(await seen(over(lake, storage))).toEqual(before)
  expect(n_keys).toBe(0)
  const [first] = lives
  if (first === undefined) throw new Error('there are lives')
  await store(over(lake, storage), first, { version: 2n })
  expect(n_keys).toBeGreaterThan(0)
  const { rows } = await seen(lake)
  expect(Object.values(rows).filter((each) => each === '2 x 2')).toHaveLength(1)
  expect(Object.keys(rows)).toEqual(Object.keys(before.rows))
})

test('views that are held outlive what they name', async () => {
  const lake = await newLake()
  for (const unit of hours) await store(lake, unit)
  const pins = `${lake.home}/held`
  const views = await lakeViews(lake.storage, pins)
  const connection = await lake.writer.connect()
  const count = async (): Promise<unknown> => {
    const counts = ['quotes', 'coverage'].map(
      (table) => `(select count(*) from (${views.find(({ name }) => name === table)?.select ?? ''}))`,
    )
    return (await connection.runAndReadAll(`select ${counts.join(', ')}`)).getRowsJson()[0]
  }
  expect(await count()).toEqual(['12', '6'])
  await compact(lake)
  const now = start + 400 * day
  for (const at of [now, now + day]) await collect(lake, at)
  expect(await count()).toEqual(['12', '6'])
  expect((await listed(lake)).filter((path) => /T0\d\./.test(path))).toEqual([])
})

test('twice at a time, killed at any step, it takes nothing that counts', async () => {
  const lake = await joinedLake()
  await store(lake, hourAt(start), { version: 2n })
  const before = await seen(lake)
  const now = start + 400 * day
  await collect(lake, now)
  for (let n = 1; n < 80; n += 7) {
    let left = n
    const storage = watched(lake.storage, {
      before: (verb) => {
        if (verb === 'delete' || verb === 'put' || verb === 'putIfMatch' || verb === 'get') left -= 1
        if (left < 0) throw new Error('killed')
      },
    })
    await Promise.allSettled([collect(over(lake, storage), now + day), collect(lake, now + hour)])
    expect(await seen(lake)).toEqual(before)
  }
  await Promise.all([collect(lake, now + 2 * day), collect(lake, now + 2 * day)])
  expect(await seen(lake)).toEqual(before)
  expect((await listed(lake)).filter((path) => !/manifest|keys/.test(path)).sort()).toEqual(
    (await current(lake)).sort(),
  )
  expect(
    await lake.read(({ query }) => query('select count(*) as n from lake.quotes', z.object({ n: z.bigint() }))),
  ).toEqual([{ n: 30n }])
})
