import { describe, expect, test } from 'vitest'

import { ingestUnits } from '#ingest/batch.ts'
import { carryOver } from '#ingest/carry_over.ts'
import { toRows, type ColumnBatch } from '#lake/units/column_batch.ts'
import { tinyHttp, tinySource, unitOf } from '#test/ingest/tiny.ts'
import { lifeOf, market, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

const unit = lifeOf('0xa')

/** Rows as columns, without those that are null in all rows. */
function batchOf(rows: readonly Record<string, unknown>[]): ColumnBatch {
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null))
  return { n_rows: rows.length, columns: Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])) }
}

const quotes = Array.from({ length: 5_000 }, (_, n) =>
  quote(`m${(n * 7) % 700}`, noon + n, { bid: BigInt(n), last: n % 3 === 0 ? null : 500_000n }),
)

describe('rows as columns', () => {
  test('give the bytes that the same rows give as objects', async () => {
    const [asRows, asColumns] = [await newLake(), await newLake()]
    const markets = [market('a'), market('b', { tags: ['x', 'y'], is_open: false })]
    await storeRows(asRows, unit, { quotes, markets })
    const stored = await storeRows(asColumns, unit, { quotes: batchOf(quotes), markets: batchOf(markets) })
    expect(stored.n_rows).toBe(5_002)
    expect(Object.keys(await parquetFiles(asColumns.home))).toHaveLength(2)
    expect(await parquetFiles(asColumns.home)).toEqual(await parquetFiles(asRows.home))
  })

  test('give the same bytes where all rows share a text of their key and others', async () => {
    const [asRows, asColumns] = [await newLake(), await newLake()]
    const ofOne = Array.from({ length: 3_000 }, (_, n) => quote("m'1", noon + n, { bid: BigInt(n), last: null }))
    await storeRows(asRows, unit, { quotes: ofOne })
    await storeRows(asColumns, unit, { quotes: batchOf(ofOne) })
    expect(await parquetFiles(asColumns.home)).toEqual(await parquetFiles(asRows.home))
  })

  test.each([
    ['of some chunks', 5_000, ['a', 'ab', 'b']],
    ['of two row groups', 130_000, ['a', 'ab', 'b']],
    ['of texts that UTF-16 orders in another way', 5_000, ['a', '\u{1f600}', '\u{fe30}']],
  ])('give the same bytes %s whether they lie in order or not', async (_, n_rows, ids) => {
    const [inOrder, mixed] = [await newLake(), await newLake()]
    const rowOf = (n: number) =>
      quote(ids[Math.floor((n * ids.length) / n_rows)] ?? '', noon + n, { bid: BigInt(n % 99), last: null })
    const numbers = [...Array(n_rows).keys()]
    await storeRows(inOrder, unit, { quotes: batchOf(numbers.map(rowOf)) })
    await storeRows(mixed, unit, { quotes: batchOf(numbers.map((n) => rowOf((n * 7_919) % n_rows))) })
    expect(await parquetFiles(mixed.home)).toEqual(await parquetFiles(inOrder.home))
  })

  test('come from a source as rows do, and leave no file where there are none', async () => {
    const lake = await newLake()
    const source = tinySource({
      read: async () => ({ rows: { quotes: batchOf(quotes), markets: batchOf([]) }, rejected: [], state: 'complete' }),
    })
    const tools = { lake, http: tinyHttp({}).http, keepRaw: false, concurrency: 1 }
    expect(await ingestUnits(tools, () => source, [unitOf('0xa')], noon)).toMatchObject({ units: 1, rows: 5_000 })
    expect(Object.keys(await parquetFiles(lake.home))).toHaveLength(1)
  })

  test('are put behind older rows that are kept', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: quotes.slice(0, 10) })
    const reading = {
      rejected: [],
      precedence: 1,
      state: 'unverified',
      from: noon + 5,
      to: noon,
      checkedAt: noon,
    } as const
    const { rows } = await carryOver(lake, unit, {
      ...reading,
      rows: { quotes: batchOf(quotes.slice(5, 12)) },
    })
    expect(
      toRows(rows.quotes ?? [])
        .map(({ ts }) => Number(ts))
        .toSorted((a, b) => a - b),
    ).toEqual(quotes.slice(0, 12).map(({ ts }) => ts))
  })

  test.each([
    [
      'a key that comes twice, whose first column all rows share',
      batchOf([...Array(600).keys(), 7].map((n) => quote('m1', noon + n))),
      `same key (market_id, ts, period_s): venue:m1, ${noon + 7}, 0`,
    ],
    [
      'a key that comes twice in a row',
      batchOf([...Array(600).keys()].map((n) => quote('m1', noon + Math.max(n, 1)))),
      `same key (market_id, ts, period_s): venue:m1, ${noon + 1}, 0`,
    ],
    [
      'a key that comes twice',
      batchOf([...quotes, quote('m7', noon + 1)]),
      `same key (market_id, ts, period_s): venue:m7, ${noon + 1}, 0`,
    ],
    [
      'a column that is too short',
      { columns: { ts: [noon] }, n_rows: 2 },
      'quotes: column ts of a batch has 1 values; expected 2',
    ],
    ['a column that there is not', { columns: { tss: [noon] }, n_rows: 1 }, 'quotes: unknown column tss in a batch'],
    ['no value where one is needed', { columns: { ts: [noon] }, n_rows: 1 }, 'null'],
  ])('are refused with %s, and nothing is stored', async (_, batch, reason) => {
    const lake = await newLake()
    await expect(storeRows(lake, unit, { quotes: batch })).rejects.toThrow(reason)
    expect(await lake.storage.list('lake')).toEqual([])
  })
})
