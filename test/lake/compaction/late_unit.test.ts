import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { datasets } from '#lake/datasets/index.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { storedCoverage, storedSelect } from '#lake/units/stored_unit.ts'
import { rowsPath } from '#lake/units/unit.ts'
import { newLake, quote, storeRows } from '#test/lake/fixture.ts'

import {
  compact,
  day,
  expectedOf,
  files,
  hour,
  hourAt,
  hours,
  instantAt,
  instants,
  keysTogether,
  life,
  minute,
  over,
  seen,
  start,
  store,
  storeAll,
  watched,
} from './compacted.ts'
describe('a late unit', () => {
  const late = hourAt(start + 2 * hour)
  const name = 'venue_feed/venue/2026-11-19T02'
  const ranges: [string, number][] = [
    ['day', 2 * day],
    ['month', 30 * day],
  ]

  test.each(ranges)('inside a joined %s that never held it is seen, with its coverage', async (_, now) => {
    const lake = await newLake()
    const units = hours(26).filter(({ from }) => from !== late.from)
    await storeAll(lake, units)
    await compact(lake, { now: start + now })
    await store(lake, late, { n_rows: 5 })
    const { rows, coverage: entries } = await seen(lake)
    expect(rows).toEqual({ ...expectedOf(units, '1 x 2'), [name]: '1 x 5' })
    expect(entries).toEqual({ ...expectedOf(units, 'done 2'), [name]: 'done 5' })
  })

  test('inside a joined hour of instants is seen', async () => {
    const lake = await newLake()
    const units = instants(12).filter((_, n) => n !== 6)
    await storeAll(lake, units)
    await compact(lake, { now: start + hour })
    expect(await files(lake)).toEqual(['joined/2026-11-19T00.parquet'])
    await store(lake, instantAt(start + 30 * minute), { n_rows: 4 })
    expect((await seen(lake)).rows).toEqual({
      ...expectedOf(units, '1 x 2'),
      'venue_odds/venue/2026-11-19T0030': '1 x 4',
    })
  })

  test('that was joined is replaced, emptied and filled again, whatever its rows look like', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(5))
    // Rows of an hour need not be of its time: a resolution is of the hour in which its market closed.
    await storeRows(lake, late, { quotes: [quote(`x:${name}`, start + 90 * day)] }, { state: 'done', to: late.to })
    await compact(lake)
    const others = expectedOf(
      hours(5).filter(({ from }) => from !== late.from),
      '1 x 2',
    )
    for (const [version, n_rows] of [
      [2n, 3],
      [3n, 0],
      [4n, 1],
    ] as const) {
      await store(lake, late, { version, n_rows })
      const { rows, coverage: entries } = await seen(lake)
      expect(rows).toEqual(n_rows === 0 ? others : { ...others, [name]: `${version} x ${n_rows}` })
      expect(entries[name]).toBe(`done ${n_rows}`)
    }
  })

  test('of lives that were joined is replaced in the joined file', async () => {
    const lake = await newLake()
    const units = keysTogether(9).map(life)
    await storeAll(lake, units)
    await compact(lake)
    const [first, second] = units
    if (first === undefined || second === undefined) throw new Error('there are nine lives')
    await store(lake, first, { version: 2n, n_rows: 4 })
    await store(lake, second, { n_rows: 0 })
    const { rows } = await seen(lake)
    expect(Object.values(rows).toSorted()).toEqual([...units.slice(2).map(() => '1 x 2'), '2 x 4'])
    expect(await files(lake)).toHaveLength(1)
    // An emptied one is still joined: the file that it once had must not come back.
    await store(lake, second, { version: 3n })
    expect(Object.values((await seen(lake)).rows).filter((each) => each === '3 x 2')).toHaveLength(1)
  })

  test('that says what is stored changes nothing', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(5))
    await compact(lake)
    const before = await lake.storage.list('lake')
    await store(lake, late)
    expect(await lake.storage.list('lake')).toEqual(before)
  })

  test('is stored beside others of its range, at once, and none is lost', async () => {
    const lake = await newLake()
    const units = hours(24)
    await storeAll(lake, units.slice(0, 12))
    await compact(lake)
    await Promise.all(units.slice(6, 18).map((unit) => store(lake, unit, { version: 2n, n_rows: 3 })))
    expect((await seen(lake)).rows).toEqual({
      ...expectedOf(units.slice(0, 6), '1 x 2'),
      ...expectedOf(units.slice(6, 18), '2 x 3'),
    })
  })

  test('that is stored while its range is being joined makes the joining give up', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(5))
    let n = 0
    const storage = watched(lake.storage, {
      before: async (verb, path) => {
        if (verb === 'put' && path.includes('quotes') && n++ === 0) await store(lake, late, { version: 2n })
      },
    })
    const done = await compact(over(lake, storage))
    expect(done).toMatchObject({ n_conflicts: 1, isFinished: false })
    expect((await seen(lake)).rows).toMatchObject({ [name]: '2 x 2' })
    expect(await compact(lake)).toMatchObject({ n_conflicts: 0, isFinished: true })
    expect((await seen(lake)).rows).toEqual({ ...expectedOf(hours(5), '1 x 2'), [name]: '2 x 2' })
  })

  test('is found by who asks for what is stored of it', async () => {
    const lake = await newLake()
    await storeAll(lake, hours(5))
    const instants = { from: late.from, to: late.to, checked_at: late.from }
    const entry = { dataset: 'quotes', state: 'done', n_rows: 2, ...instants, reason: null }
    const rowsOf = async (): Promise<unknown[]> => {
      const sql = `select market_id from ${await storedSelect(lake, 'quotes', late)} order by 1`
      return lake.read(({ query }) => query(sql, z.object({ market_id: z.string() })))
    }
    const rows = [`venue:0:${name}`, `venue:1:${name}`].map((market_id) => ({ market_id }))
    expect([await storedCoverage(lake, late), await rowsOf()]).toEqual([[entry], rows])
    await compact(lake)
    await lake.storage.delete(rowsPath(datasets.quotes, late))
    expect([await storedCoverage(lake, late), await rowsOf()]).toEqual([[entry], rows])
    expect(await storedCoverage(lake, hourAt(start + 9 * hour))).toEqual([])
    const failure = { datasets: ['quotes'] as const, precedence: 1, reason: 'no', asked: [], checkedAt: start }
    await storeFailure(lake, late, failure)
    expect(await storedCoverage(lake, late)).toEqual([entry])
  })
})
