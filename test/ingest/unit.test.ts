import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { ingestUnits, type Tally } from '#ingest/batch.ts'
import type { Http } from '#ingest/http/http.ts'
import type { ReadContext, Source } from '#ingest/source.ts'
import { WorldMismatch, type Lake } from '#lake/lake.ts'
import { listRaw, readRaw } from '#lake/units/raw_responses.ts'
import { rawPath, type Unit } from '#lake/units/unit.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { until } from '#test/run/eventually.ts'
import type { Micros } from '#time.ts'

import { readItems, second, tinyHttp, tinySource, unitOf } from './tiny.ts'

const noon_s = noon / second
const listing = {
  '0xa': [
    { ts: noon_s - 200, bid: 1 },
    { ts: noon_s - 60, bid: 2 },
    { ts: noon_s - 61, bid: 3 },
    { ts: noon_s + 5, bid: 4 },
  ],
  '0xb': [{ ts: noon_s - 100, bid: 5 }, 'rubbish'],
}

type Options = { http?: Http; source?: Source; at?: Micros; keepRaw?: boolean; concurrency?: number }
const pull = (
  lake: Lake,
  units: readonly Unit[],
  { http = tinyHttp(listing).http, source = tinySource(), at = noon, keepRaw = false, concurrency = 2 }: Options = {},
): Promise<Tally> => ingestUnits({ lake, http, keepRaw, concurrency }, () => source, units, at)

const anyRow = z.record(z.string(), z.unknown())
const rowsOf = (lake: Lake, sql: string) => lake.read(({ query }) => query(sql, anyRow))
const coverageOf = (lake: Lake, key: string) =>
  rowsOf(
    lake,
    `select dataset, state, epoch_us(to_at) as to_us, n_rows::int as n, reason, proof, asked from lake.coverage
     where key = '${key}' order by dataset`,
  )

describe('a unit that is pulled', () => {
  test('stores rows, coverage of every dataset and quarantine, and is counted', async () => {
    const lake = await newLake()
    const tally = await pull(lake, [unitOf('0xa'), unitOf('0xb')])
    expect(tally).toMatchObject({ units: 2, rows: 3, quarantined: 1, failed: 0, failures: [] })
    expect(tally.bytes).toBeGreaterThan(1_000)
    // Of 0xa the instant less the lag of a minute is the end: the next pull reads rows at or after it.
    expect(await rowsOf(lake, 'select market_id, (bid * 10000)::int as bid from lake.quotes order by bid')).toEqual([
      { market_id: 'venue:0xa', bid: 1 },
      { market_id: 'venue:0xa', bid: 3 },
      { market_id: 'venue:0xb', bid: 5 },
    ])
    expect(await rowsOf(lake, 'select reason, path, body from lake.quarantine')).toEqual([
      { reason: 'not an item', path: '/quotes', body: 'rubbish' },
    ])
    const head = { state: 'head', to_us: BigInt(noon - 60 * second), reason: null, proof: 'the last page says so' }
    expect(await coverageOf(lake, '0xa')).toEqual([
      { ...head, dataset: 'markets', n: 0, asked: ['polymarket_data'] },
      { ...head, dataset: 'quotes', n: 2, asked: ['polymarket_data'] },
    ])
  })

  test('is closed once it has ended and settled, and then nothing is held back', async () => {
    const settled = noon - 3_600 * second
    for (const [to, state, to_us, n] of [
      [settled, 'done', null, 4],
      [settled + 1, 'head', BigInt(noon - 60 * second), 2],
      [null, 'head', BigInt(noon - 60 * second), 2],
    ] as const) {
      const lake = await newLake()
      await pull(lake, [unitOf('0xa', { to })])
      expect(await coverageOf(lake, '0xa')).toContainEqual(
        expect.objectContaining({ dataset: 'quotes', state, to_us, n }),
      )
    }
  })

  test('of an hour is closed up to its end', async () => {
    const to = noon - 7_200 * second
    const lake = await newLake()
    const hour = { ...unitOf('', { from: to - 3_600 * second, to }), kind: 'hour' as const }
    const { http } = tinyHttp({ '': listing['0xa'] })
    await pull(lake, [hour], { http })
    expect(await coverageOf(lake, '')).toContainEqual(expect.objectContaining({ state: 'done', to_us: BigInt(to) }))
  })

  test.each([
    ['complete', 'done', null],
    ['growing', 'head', null],
    ['unverified', 'unverified', 'cut off at page 100'],
    ['unavailable', 'unavailable', 'cut off at page 100'],
  ] as const)('that has ended and is %s is %s', async (said, state, reason) => {
    const lake = await newLake()
    const source = tinySource({
      read: async (unit, context) => ({
        ...(await readItems(unit, context)),
        state: said,
        ...(reason === null ? {} : { reason }),
      }),
    })
    await pull(lake, [unitOf('0xa', { to: 0 })], { source })
    expect(await coverageOf(lake, '0xa')).toContainEqual(expect.objectContaining({ state, reason, n: 4 }))
  })

  test.each([
    ['complete', '1 row did not parse'],
    ['growing', '1 row did not parse; for a reason'],
    ['unverified', '1 row did not parse; for a reason'],
  ] as const)('of which a row did not parse is quarantined, however %s it is', async (said, reason) => {
    const lake = await newLake()
    const source = tinySource({
      read: async (unit, context) => ({
        ...(await readItems(unit, context)),
        state: said,
        ...(said === 'complete' ? {} : { reason: 'for a reason' }),
      }),
    })
    await pull(lake, [unitOf('0xb', { to: 0 })], { source })
    expect(await coverageOf(lake, '0xb')).toContainEqual(
      expect.objectContaining({ dataset: 'quotes', state: 'quarantined', reason, n: 1, to_us: null }),
    )
  })

  test('may read the lake while others write it', async () => {
    const lake = await newLake()
    const counts: unknown[] = []
    const source = tinySource({
      read: async (unit, context: ReadContext) => {
        const pulled = await readItems(unit, context)
        const sql = 'select count(*)::int as n from lake.quotes where market_id <> $own'
        counts.push(await context.lake.query(sql, z.object({ n: z.number() }), { own: `venue:${unit.key}` }))
        return pulled
      },
    })
    await pull(lake, [unitOf('0xb'), unitOf('0xa')], { source, concurrency: 1 })
    expect(counts).toEqual([[{ n: 0 }], [{ n: 1 }]])
  })

  test('gives the same files when it is pulled again, or by many at a time', async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`0x${n}`, listing['0xa']]))
    const units = Object.keys(many).map((key) => unitOf(key))
    const lakes = [await newLake(), await newLake()]
    for (const [n, lake] of lakes.entries()) {
      const { http } = tinyHttp(many, { pause: () => new Promise((resolve) => setTimeout(resolve, n)) })
      await pull(lake, n === 0 ? units : units.toReversed(), { http, concurrency: n === 0 ? 1 : 8 })
    }
    const [first, second] = await Promise.all(lakes.map(({ home }) => parquetFiles(home)))
    expect(Object.keys(first ?? {})).toHaveLength(12)
    expect(second).toEqual(first)
  })

  test('shares the way with at most so many others', async () => {
    const now = { running: 0, most: 0 }
    const units = Array.from({ length: 9 }, (_, n) => unitOf(`0x${n}`))
    const source = tinySource({
      read: async (unit, context) => {
        now.most = Math.max(now.most, ++now.running)
        const pulled = await readItems(unit, context)
        now.running -= 1
        return pulled
      },
    })
    const stock = Object.fromEntries(units.map(({ key }) => [key, []]))
    // The first readings wait for each other, however long a busy machine takes to begin them.
    const { http } = tinyHttp(stock, { pause: () => until(() => now.most >= 3) })
    await pull(await newLake(), units, { source, http, concurrency: 3 })
    expect(now.most).toBe(3)
  })
})

describe('a unit that cannot be read', () => {
  test('is noted with its reason and stops no other', async () => {
    const lake = await newLake()
    const units = ['0x404', '0xa', '0x405'].map((key) => unitOf(key))
    const tally = await pull(lake, units, { keepRaw: true })
    expect(tally).toMatchObject({ units: 1, failed: 2 })
    const reason = 'polymarket_data /quotes answered 404 (1 attempt): no such key'
    expect(tally.failures.map((failure) => failure.reason)).toEqual([reason, reason])
    expect(await coverageOf(lake, '0x404')).toEqual(
      ['markets', 'quotes'].map((dataset) => ({
        dataset,
        state: 'missing',
        to_us: null,
        n: 0,
        reason,
        proof: null,
        asked: ['polymarket_data'],
      })),
    )
    expect(await listRaw(lake, 'venue_quotes')).toEqual([rawPath(unitOf('0xa'))])
  })

  test('leaves its stored rows', async () => {
    const lake = await newLake()
    await pull(lake, [unitOf('0xa')], { keepRaw: true })
    const before = await parquetFiles(lake.home)
    const covered = await coverageOf(lake, '0xa')
    expect(await pull(lake, [unitOf('0xa')], { http: tinyHttp({}).http })).toMatchObject({ failed: 1 })
    expect(await parquetFiles(lake.home)).toEqual(before)
    expect(await coverageOf(lake, '0xa')).toEqual(covered)
    expect(await listRaw(lake, 'venue_quotes')).toHaveLength(1)
  })

  test('is reported by name up to ten times, and counted', async () => {
    const units = Array.from({ length: 13 }, (_, n) => unitOf(`0xnone${n}`))
    const tally = await pull(await newLake(), units)
    expect(tally.failed).toBe(13)
    expect(tally.failures).toHaveLength(10)
    expect(tally.failures[0]).toMatchObject({ unit: expect.stringMatching(/^venue_quotes\/venue\/0xnone/) })
  })
})

describe('raw answers', () => {
  test('are kept as they came, with the unit and its instant', async () => {
    const lake = await newLake()
    const unit = unitOf('0xa', { params: ['token'] })
    await pull(lake, [unit], { keepRaw: true })
    const { replies, ...about } = await readRaw(lake, rawPath(unit))
    expect(about).toEqual({ unit, at: noon })
    expect(replies.map(({ host, path, query, status }) => [host, path, query, status])).toEqual([
      ['polymarket_data', '/quotes', 'key=0xa&offset=0', 200],
      ['polymarket_data', '/quotes', 'key=0xa&offset=2', 200],
    ])
    expect(replies[1]?.body).toBe(JSON.stringify({ items: listing['0xa'].slice(2), more: false }))
  })

  test('are not stored if that is disabled, and older responses are removed', async () => {
    const lake = await newLake()
    await pull(lake, [unitOf('0xa'), unitOf('0xb')], { keepRaw: true })
    await pull(lake, [unitOf('0xa')], { keepRaw: false })
    expect(await listRaw(lake, 'venue_quotes')).toEqual([rawPath(unitOf('0xb'))])
  })
})

describe('the world', () => {
  test('of the answers is that of the lake', async () => {
    const [real, simulated] = [await newLake(), await newLake()]
    await pull(real, [unitOf('0xa')])
    await pull(simulated, [unitOf('0xa')], { http: tinyHttp(listing, { world: () => 'seed-7' }).http })
    expect([await real.world(), await simulated.world()]).toEqual(['real', 'seed-7'])
  })

  test('of another world ends the run: nothing of it is stored, and no more requests are sent', async () => {
    const lake = await newLake()
    await lake.claim('seed-7')
    const { http, asked } = tinyHttp(
      { ...listing, ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`0x${n}`, []])) },
      { world: (key) => (key === '0xb' ? 'real' : 'seed-7') },
    )
    const units = ['0xa', '0xb', ...Array.from({ length: 20 }, (_, n) => `0x${n}`)].map((key) => unitOf(key))
    await expect(pull(lake, units, { http, concurrency: 2 })).rejects.toThrow(WorldMismatch)
    expect(await coverageOf(lake, '0xb')).toEqual([])
    // The readings under way have ended and are stored. No reading begins after them.
    expect(await coverageOf(lake, '0xa')).toHaveLength(2)
    const before = asked.length
    expect(before).toBeLessThan(8)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(asked).toHaveLength(before)
  })

  test('the end of the run ends it too, and is no fault of a unit', async () => {
    const lake = await newLake()
    const http: Http = () => Promise.reject(new DOMException('This operation was aborted', 'AbortError'))
    await expect(pull(lake, [unitOf('0xa'), unitOf('0xb')], { http })).rejects.toThrow('aborted')
    expect(await rowsOf(lake, 'select * from lake.coverage')).toEqual([])
  })
})
