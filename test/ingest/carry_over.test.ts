import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { ingestUnits, type Tally } from '#ingest/batch.ts'
import { reparse } from '#ingest/reparse.ts'
import type { ReadResult } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { listRaw } from '#lake/units/raw_responses.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newLake, noon, quote } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { DAY, type Micros } from '#time.ts'

import { second, tinyHttp, tinySource, unitOf } from './tiny.ts'

const unit = unitOf('0xa')
const quotesAt = (...seconds: number[]) => seconds.map((s) => quote('0xa', noon - s * second, { bid: BigInt(s) }))

/** Pulls a unit from an upstream of which this is read. */
const pull = (lake: Lake, pulled: Partial<ReadResult>, of: Unit = unit, at: Micros = noon) => {
  const { http } = tinyHttp({ '0xa': [] })
  return ingestUnits({ lake, http, keepRaw: true, concurrency: 1 }, () => sourceOf(pulled), [of], at)
}

const sourceOf = (pulled: Partial<ReadResult>) =>
  tinySource({
    read: async ({ key }, { get }) => {
      await get({ host: 'polymarket_data', path: '/quotes', query: { key } }, z.unknown())
      return { rows: {}, rejected: [], state: 'complete', ...pulled }
    },
  })

const anyRow = z.record(z.string(), z.unknown())
const coverageOf = (lake: Lake) =>
  lake.read(({ query }) => query('select * from lake.coverage order by dataset', anyRow))

/** The entries after a reading was refused: only the reason is another. */
const refused = (entries: readonly Record<string, unknown>[], { failures }: Tally) =>
  entries.map((entry) => ({ ...entry, reason: failures[0]?.reason, reason_code: 'refused' }))

describe('an upstream that does not have a unit', () => {
  const gone = { state: 'unavailable', reason: 'answered 404' } as const

  test.each<[string, Partial<ReadResult>, Unit]>([
    ['rows', { rows: { quotes: quotesAt(500, 400) } }, unit],
    ['rows that may be cut off', { rows: { quotes: quotesAt(500) }, state: 'unverified' }, unit],
    ['the answer that there are none', {}, unit],
    ['a closed history', { rows: { quotes: quotesAt(500) } }, { ...unit, to: 0 }],
  ])('takes nothing away where there are %s: it is a failure that says so', async (_, before, of) => {
    const lake = await newLake()
    await pull(lake, before, of)
    const [files, covered] = [await parquetFiles(lake.home), await coverageOf(lake)]
    const tally = await pull(lake, gone, of)
    expect(tally).toMatchObject({ units: 0, failed: 1 })
    expect(tally.failures[0]?.reason).toBe('unit: unavailable upstream, but stored; the stored rows stay: answered 404')
    expect(await parquetFiles(lake.home)).toEqual(files)
    expect(await coverageOf(lake)).toEqual(refused(covered, tally))
    expect(await listRaw(lake, 'venue_quotes')).toHaveLength(1)
  })

  test('is noted where nothing is stored, again and again, until it has it', async () => {
    const lake = await newLake()
    for (const expected of ['unavailable', 'unavailable']) {
      expect(await pull(lake, gone)).toMatchObject({ units: 1, failed: 0 })
      expect(await coverageOf(lake)).toContainEqual(expect.objectContaining({ state: expected }))
    }
    expect(await pull(lake, { rows: { quotes: quotesAt(500) } })).toMatchObject({ units: 1, rows: 1 })
  })
})

describe('a life that was cut off', () => {
  test('keeps the rows that a clock which was ahead has read, and claims none of its time', async () => {
    const lake = await newLake()
    await pull(lake, { rows: { quotes: quotesAt(500) } }, unit, noon + DAY)
    const from = noon - 300 * second
    await pull(lake, { rows: { quotes: quotesAt(200) }, state: 'unverified', from })
    expect((await coverageOf(lake)).find(({ dataset }) => dataset === 'quotes')).toMatchObject({
      n_rows: 2n,
      from_at: new Date(from / 1000),
      checked_at: new Date(noon / 1000),
    })
  })

  test('covers the time from which it is whole, under the path of the whole', async () => {
    const lake = await newLake()
    const from = noon - 450 * second
    await pull(lake, { rows: { quotes: quotesAt(400) }, state: 'unverified', from })
    expect(Object.keys(await parquetFiles(lake.home))).toEqual(['quotes/v1/venue_quotes/venue/70/0xa.parquet'])
    const [entry] = await coverageOf(lake)
    expect(entry).toMatchObject({ state: 'unverified', from_at: new Date(from / 1000) })
    // A unit is not covered before its start.
    const later = await newLake()
    await pull(later, { state: 'unverified', from }, { ...unit, from: noon })
    expect((await coverageOf(later))[0]).toMatchObject({ from_at: new Date(noon / 1000) })
  })
})

describe('a reading that is not proved', () => {
  const from = noon - 450 * second
  const cutOff = { rows: { quotes: quotesAt(400, 300) }, state: 'unverified', reason: 'cut off', from } as const
  const storedQuotes = (lake: Lake) =>
    lake.read(({ query }) => query('select * from lake.quotes order by all', z.record(z.string(), z.unknown())))
  const quotesOf = async (lake: Lake) => (await coverageOf(lake)).find(({ dataset }) => dataset === 'quotes')

  test('carries over stored rows that the upstream no longer shows, unchanged', async () => {
    const [lake, whole] = [await newLake(), await newLake()]
    await pull(lake, { rows: { quotes: quotesAt(500, 400) } })
    expect(await pull(lake, cutOff)).toMatchObject({ units: 1, rows: 3 })
    await pull(whole, { rows: { quotes: quotesAt(500, 400, 300) } })
    expect(await storedQuotes(lake)).toEqual(await storedQuotes(whole))
    const kept = {
      state: 'unverified',
      from_at: new Date(0),
      reason: 'cut off; 1 older row carried over from an earlier reading',
    }
    expect(await quotesOf(lake)).toMatchObject(kept)
    // Each later reading keeps the rows too, and so does a reparse.
    await pull(lake, cutOff)
    await reparse(lake, sourceOf(cutOff), () => undefined)
    expect(await storedQuotes(lake)).toEqual(await storedQuotes(whole))
    expect(await quotesOf(lake)).toMatchObject(kept)
  })

  test('covers only the time after a gap, and carries over older rows', async () => {
    const lake = await newLake()
    // The reading covers the time up to its instant less the lag of a minute.
    await pull(lake, { rows: { quotes: quotesAt(500) } }, unit, from + 59 * second)
    await pull(lake, cutOff)
    expect(await quotesOf(lake)).toMatchObject({ n_rows: 3n, from_at: new Date(from / 1000) })
    const touching = await newLake()
    await pull(touching, { rows: { quotes: quotesAt(500) } }, unit, from + 60 * second)
    await pull(touching, cutOff)
    expect(await quotesOf(touching)).toMatchObject({ n_rows: 3n, from_at: new Date(0) })
  })

  test.each<[string, Partial<ReadResult>]>([
    ['may be cut off', { ...cutOff, rows: { quotes: quotesAt(300) } }],
    ['may be cut off, while as many rows came', { ...cutOff, rows: { quotes: quotesAt(300, 50) } }],
    [
      'has a row that did not parse',
      {
        ...cutOff,
        rows: { quotes: quotesAt(300) },
        state: 'complete',
        rejected: [{ dataset: 'quotes', reason: 'x', body: 1 }],
      },
    ],
  ])('that %s is a failure where it lacks a stored row', async (_, reading) => {
    const lake = await newLake()
    await pull(lake, { rows: { quotes: quotesAt(500, 400, 350) } })
    const [files, covered] = [await parquetFiles(lake.home), await coverageOf(lake)]
    const tally = await pull(lake, reading)
    expect(tally).toMatchObject({ units: 0, failed: 1 })
    expect(tally.failures[0]?.reason).toMatch(
      /^quotes: (3 rows became 2|2 of 3 rows are missing); the stored rows stay: .*cut off/,
    )
    expect(await parquetFiles(lake.home)).toEqual(files)
    expect(await coverageOf(lake)).toEqual(refused(covered, tally))
  })

  test('whose rows do not parse any more is refused, and one with further such rows quarantines them', async () => {
    const lake = await newLake()
    await pull(lake, { rows: { quotes: quotesAt(500, 400) } })
    const rejected = [1, 2].map((body) => ({ dataset: 'quotes' as const, reason: 'a new wire', body }))
    const { failures } = await pull(lake, { rejected })
    expect(failures[0]?.reason).toBe('quotes: 2 rows became 0; the stored rows stay: 2 rows did not parse')
    expect(await pull(lake, { rows: { quotes: quotesAt(500, 400) }, rejected })).toMatchObject({ quarantined: 2 })
    expect(await quotesOf(lake)).toMatchObject({ state: 'quarantined', n_rows: 2n })
  })
})
