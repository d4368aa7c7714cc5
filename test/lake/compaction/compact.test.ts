import { readdir } from 'node:fs/promises'

import { describe, expect, test } from 'vitest'

import { datasets } from '#lake/datasets/index.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { rowsPath } from '#lake/units/unit.ts'
import { currentFiles } from '#lake/views.ts'
import { newLake } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import {
  beside,
  compact,
  day,
  feed,
  files,
  hour,
  hourAt,
  hours,
  instantAt,
  instants,
  keysTogether,
  life,
  minute,
  seen,
  start,
  store,
  storeAll,
} from './compacted.ts'

describe('a range', () => {
  test('of hours becomes a day when the day is over and settled, and its files stay', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(26))
    const before = await seen(lake)
    const listed = await lake.storage.list('lake')
    const settled = start + day + feed.settle_s * 1_000_000
    expect(await compact(lake, { now: settled - 1 })).toMatchObject({ joins: [], isFinished: true })
    const done = await compact(lake, { now: settled })
    expect(done).toMatchObject({ n_files_joined: 48, n_conflicts: 0, isFinished: true })
    expect(done.joins.map(({ range, n_files, n_rows }) => [range, n_files, n_rows])).toEqual([
      ['2026-11-19', 24, 48],
      ['2026-11-19', 24, 24],
    ])
    expect(await files(lake)).toEqual(['2026-11-20T00.parquet', '2026-11-20T01.parquet', 'joined/2026-11-19.parquet'])
    expect(await files(lake, 'coverage')).toEqual([
      '2026-11-20T00.ndjson',
      '2026-11-20T01.ndjson',
      'joined/2026-11-19.parquet',
    ])
    expect(await seen(lake)).toEqual(before)
    expect(await lake.storage.list('lake')).toEqual(expect.arrayContaining(listed))
    expect(await compact(lake, { now: settled })).toMatchObject({ joins: [], isFinished: true })
    expect(await readdir(lake.scratch)).toEqual([])
  })

  test('of instants becomes an hour, a day, a month, as each of them is over', async () => {
    const lake = await newLake()
    await storeAll(lake, instants(14 * 3, 20 * minute))
    const before = await seen(lake)
    const after = async (now: number): Promise<string[]> => {
      await compact(lake, { now: start + now })
      return files(lake)
    }
    expect(await after(hour - 1)).toHaveLength(14 * 3)
    expect((await after(2 * hour)).slice(-3)).toEqual([
      '2026-11-19T1340.parquet',
      'joined/2026-11-19T00.parquet',
      'joined/2026-11-19T01.parquet',
    ])
    await store(lake, instantAt(start + day))
    expect(await after(day)).toEqual(['2026-11-20T0000.parquet', 'joined/2026-11-19.parquet'])
    expect(await after(13 * day)).toEqual(['joined/2026-11.parquet'])
    const unit = 'venue_odds/venue/2026-11-20T0000'
    expect(await seen(lake)).toEqual({
      rows: { ...before.rows, [unit]: '1 x 2' },
      coverage: { ...before.coverage, [unit]: 'done 2' },
    })
  })

  test('waits for a unit that is still open, but no longer than a week', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(5))
    await store(lake, hourAt(start + hour), { state: 'unverified' })
    await storeFailure(lake, hourAt(start + 7 * hour), {
      datasets: ['quotes'],
      precedence: 1,
      reason: 'no answer',
      asked: [],
      checkedAt: start,
    })
    const settled = start + day + feed.settle_s * 1_000_000
    expect(await compact(lake, { now: settled + 7 * day - 1 })).toMatchObject({ joins: [], isFinished: true })
    await compact(lake, { now: settled + 7 * day })
    expect(await files(lake)).toEqual(['joined/2026-11-19.parquet'])
    expect((await seen(lake)).coverage).toMatchObject({
      'venue_feed/venue/2026-11-19T01': 'unverified 2',
      'venue_feed/venue/2026-11-19T07': 'missing 0',
    })
  })

  test('whose rows are too many for one file is joined in its parts', async () => {
    const lake = await newLake()
    await storeAll(lake, [...hours(3), ...hours(2, start + day)])
    // What coverage says of rows is believed.
    const path = 'lake/coverage/v1/venue_feed/venue/2026-11-19T01.ndjson'
    const entry = String(await lake.storage.get(path)).replace('"n_rows":2', '"n_rows":1999995')
    await lake.storage.put(path, Buffer.from(entry))
    const { joins } = await compact(lake, { dryRun: true })
    expect(joins.map(({ folder, range }) => [folder.split('/')[1], range])).toEqual([
      ['quotes', '2026-11-19'],
      ['quotes', '2026-11-20'],
      ['coverage', '2026-11'],
    ])
  })

  test('that holds nothing, or one file, is left alone', async () => {
    const lake = await newLake()
    await store(lake, hourAt(start))
    await store(lake, hourAt(start + hour), { n_rows: 0 })
    expect((await compact(lake)).joins.map(({ folder }) => folder)).toEqual(['lake/coverage/v1/venue_feed/venue'])
    expect(await files(lake)).toEqual(['2026-11-19T00.parquet'])
  })
})

describe('lives', () => {
  const keys = keysTogether(24)

  test('that are closed are joined when they are eight, and the open ones stay', async () => {
    const lake = await newLake()
    await storeAll(lake, keys.slice(0, 7).map(life))
    await storeAll(lake, keys.slice(7, 10).map(life), { state: 'head', to: start })
    expect((await compact(lake)).joins).toEqual([])
    await store(lake, life(keys[10] ?? ''))
    const before = await seen(lake)
    expect((await compact(lake)).joins.map(({ n_files }) => n_files)).toEqual([8, 8])
    const open = keys.slice(7, 10).map((key) => `3f/${key}.parquet`)
    expect(await files(lake)).toEqual([expect.stringMatching(/^3f\/joined\/[0-9a-f]{12}\.parquet$/), ...open])
    expect(await seen(lake)).toEqual(before)
  })

  test('that an upstream does not have are closed when they have ended', async () => {
    const lake = await newLake()
    await storeAll(lake, keys.slice(0, 8).map(life), { state: 'unavailable', n_rows: 0, to: start })
    expect((await compact(lake)).joins).toEqual([])
    await storeAll(lake, keys.slice(0, 8).map(life), { state: 'unavailable', n_rows: 0, to: null })
    expect((await compact(lake)).joins.map(({ n_files }) => n_files)).toEqual([8])
  })

  test('come into files that double, so that a row is written few times', async () => {
    const lake = await newLake()
    let n_written = 0
    for (const key of keys) {
      await store(lake, life(key))
      const { joins } = await compact(lake)
      n_written += joins.filter(({ folder }) => folder.includes('quotes')).reduce((sum, { n_rows }) => sum + n_rows, 0)
    }
    // Sixteen rows, those and sixteen more, and of the last eight lives all but what waits for others.
    expect(n_written).toBe(16 + 32 + 16)
    expect(await files(lake)).toHaveLength(2)
    expect(Object.values((await seen(lake)).rows)).toEqual(keys.map(() => '1 x 2'))
  })
})

describe('the bytes', () => {
  test('of a joined file depend on its rows alone: not on when and in which steps they were joined', async () => {
    const units = [...instants(8, 10 * hour), ...hours(4), ...hours(4, start + day)]
    const lakes = await Promise.all([1, 2, 3].map(() => newLake()))
    const [whole, steps, late] = lakes
    if (whole === undefined || steps === undefined || late === undefined) throw new Error('there are three lakes')
    await storeAll(whole, units)
    await storeAll(steps, units.toReversed())
    for (const days of [1, 2, 3.1, 4.1]) await compact(steps, { now: start + days * day })
    await storeAll(late, units.slice(3, 14), { version: 7n })
    await compact(late, { now: start + 2 * day })
    await compact(late)
    await storeAll(late, units)
    const current = await Promise.all(
      lakes.map(async (lake) => {
        await compact(lake)
        const bytes = await parquetFiles(lake.home)
        const { joined } = await currentFiles(lake.storage, 'lake/quotes/v1')
        return joined.map((path) => [path, bytes[path.slice('lake/'.length)]])
      }),
    )
    expect(current[0]?.map(([path]) => path?.replaceAll(/^.*\/|\..*$/g, ''))).toEqual(['2026-11', '2026-11'])
    expect(current[1]).toEqual(current[0])
    expect(current[2]).toEqual(current[0])
  })

  test('are rows in the order of the key, with the unit that each is of', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(3), { n_rows: 3 })
    await compact(lake)
    const { joined } = await currentFiles(lake.storage, 'lake/quotes/v1')
    const connection = await lake.writer.connect()
    const sql = (order: string): string =>
      `select list([market_id, joined_from] ${order}) from read_parquet('${lake.storage.locate(joined[0] ?? '')}')`
    const [stored, ordered] = await Promise.all(
      ['', 'order by market_id'].map(async (order) => (await connection.runAndReadAll(sql(order))).getRowsJson()),
    )
    expect(stored).toEqual(ordered)
    expect(JSON.stringify(stored)).toContain('["venue:0:venue_feed/venue/2026-11-19T01","2026-11-19T01"]')
  })
})

describe('a call', () => {
  test('in a dry run says what it would do, and does nothing', async () => {
    const lake = await newLake()
    await storeAll(lake, [...hours(5), ...keysTogether(8).map(life)])
    const before = await lake.storage.list('')
    const dry = await compact(lake, { dryRun: true })
    expect(await lake.storage.list('')).toEqual(before)
    const done = await compact(lake)
    expect(dry.joins).toEqual(done.joins)
    expect(dry.n_files_joined).toBe(26)
    expect(done.bytes_before).toBeGreaterThan(done.bytes_after)
    expect(done.bytes_after).toBeGreaterThan(0)
  })

  test('ends at its limit or on a signal, and the next one goes on', async () => {
    const lake = await newLake()
    await storeAll(lake, [...hours(5), ...instants(5)])
    const before = await seen(lake)
    const stop = new AbortController()
    const first = await compact(lake, { signal: stop.signal, onProgress: () => stop.abort() })
    expect(first).toMatchObject({ isFinished: false, joins: [{ range: '2026-11' }] })
    const next = await compact(lake, { maxFiles: 1 })
    expect(next).toMatchObject({ isFinished: false, joins: [{ range: '2026-11' }] })
    expect(await seen(lake)).toEqual(before)
    expect(await compact(lake)).toMatchObject({ isFinished: true, joins: [{}, {}] })
    expect(await seen(lake)).toEqual(before)
  })

  test('beside another one loses nothing', async () => {
    const lake = await newLake()
    await storeAll(lake, [...hours(30), ...instants(20), ...keysTogether(10).map(life)])
    const before = await seen(lake)
    const done = await Promise.all([compact(lake), compact(lake), compact(lake, { now: start + day + hour })])
    expect(done.some(({ joins }) => joins.length > 0)).toBe(true)
    expect(await seen(lake)).toEqual(before)
    while (!(await compact(lake)).isFinished);
    expect(await seen(lake)).toEqual(before)
  })

  test('joins what was stored before a column was added', async () => {
    const base = await newLake()
    const lake = await beside(base)
    await storeAll(lake, hours(2))
    const path = lake.storage.locate(rowsPath(datasets.quotes, hourAt(start)))
    const connection = await lake.writer.connect()
    await connection.run(
      `create temp table old as select market_id, ts, period_s, venue, bid, ask, "last", source from '${path}'`,
    )
    await connection.run(`copy old to '${path}' (format parquet)`)
    const before = await seen(lake)
    await compact(lake)
    expect(await files(lake)).toEqual(['joined/2026-11.parquet'])
    expect(await seen(lake)).toEqual(before)
  })
})
