import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { pullAll } from '#activities/pull.ts'
import type { Pulled } from '#activities/source.ts'
import type { Lake } from '#lake/lake.ts'
import { listRaw } from '#lake/raw.ts'
import type { Unit } from '#lake/unit.ts'
import { newLake, noon, quote } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { second, tinyHttp, tinySource, unitOf } from './tiny.ts'

const unit = unitOf('0xa')
const quotesAt = (...seconds: number[]) => seconds.map((s) => quote('0xa', noon - s * second, { bid: BigInt(s) }))

/** Pulls a unit from an upstream of which this is read. */
const pull = (lake: Lake, pulled: Partial<Pulled>, of: Unit = unit) => {
  const source = tinySource({
    pull: async ({ key }, { get }) => {
      await get({ host: 'polymarket_data', path: '/quotes', query: { key } }, z.unknown())
      return { rows: {}, refused: [], state: 'complete', ...pulled }
    },
  })
  const { http } = tinyHttp({ '0xa': [] })
  return pullAll({ lake, http, keepRaw: true, concurrency: 1 }, () => source, [of], noon)
}

const anyRow = z.record(z.string(), z.unknown())
const coverageOf = (lake: Lake) =>
  lake.read(({ query }) => query('select * from lake.coverage order by dataset', anyRow))

describe('an upstream that does not have a unit', () => {
  const gone = { state: 'unavailable', reason: 'answered 404' } as const

  test.each<[string, Partial<Pulled>, Unit]>([
    ['rows', { rows: { quotes: quotesAt(500, 400) } }, unit],
    ['rows that may be cut off', { rows: { quotes: quotesAt(500) }, state: 'unproved' }, unit],
    ['the answer that there are none', {}, unit],
    ['a closed history', { rows: { quotes: quotesAt(500) } }, { ...unit, to: 0 }],
  ])('takes nothing away where there are %s: it is a failure that says so', async (_, before, of) => {
    const lake = await newLake()
    await pull(lake, before, of)
    const [files, covered] = [await parquetFiles(lake.home), await coverageOf(lake)]
    const tally = await pull(lake, gone, of)
    expect(tally).toMatchObject({ units: 0, failed: 1 })
    expect(tally.failures[0]?.reason).toBe(
      'the upstream says that it does not have this unit, which is stored and kept: answered 404',
    )
    expect(await parquetFiles(lake.home)).toEqual(files)
    expect(await coverageOf(lake)).toEqual(covered)
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
  test('covers the time from which it is whole, under the path of the whole', async () => {
    const lake = await newLake()
    const from = noon - 450 * second
    await pull(lake, { rows: { quotes: quotesAt(400) }, state: 'unproved', from })
    expect(Object.keys(await parquetFiles(lake.home))).toEqual(['quotes/v1/venue_quotes/venue/70/0xa.parquet'])
    const [entry] = await coverageOf(lake)
    expect(entry).toMatchObject({ state: 'unproved', from_at: new Date(from / 1000) })
    // It is not whole before it began.
    const later = await newLake()
    await pull(later, { state: 'unproved', from }, { ...unit, from: noon })
    expect((await coverageOf(later))[0]).toMatchObject({ from_at: new Date(noon / 1000) })
  })
})
