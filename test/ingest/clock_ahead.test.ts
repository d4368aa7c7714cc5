import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { createActivities } from '#activities/index.ts'
import { noteShown } from '#ingest/http/get.ts'
import type { Http } from '#ingest/http/http.ts'
import { parseShape } from '#ingest/http/response.ts'
import type { ReadContext, ReadResult, PlannedSource } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newLake, noon, quote } from '#test/lake/fixture.ts'
import { HOUR, type Micros } from '#time.ts'

import { second, tinyHost, tinySource, tinyTools, unitOf } from './tiny.ts'

const MINUTE = 60 * second
const SHIFT = 6 * HOUR
const first = noon - 5 * HOUR
/** The upstream has a row each twenty minutes, and shows those that have happened. */
const rowsUntil = (at: Micros): Micros[] =>
  Array.from({ length: Math.ceil((at - first) / (20 * MINUTE)) }, (_, n) => first + n * 20 * MINUTE)

const shape = z.object({ rows: z.array(z.number()) })
const upstream =
  (real: Micros, isDated: boolean, type = 'application/json; charset=utf-8'): Http =>
  async ({ host = tinyHost.name, path }, answer, onReply) => {
    const json = { rows: rowsUntil(real) }
    const headers: Record<string, string> = isDated
      ? { date: new Date(real / 1000).toUTCString(), 'content-type': type }
      : {}
    const key = { host, path, query: '', status: 200, body: JSON.stringify(json) }
    await onReply?.({ ...key, headers, world: 'real', asked: [host], sent: 1 })
    return parseShape(host, path, json, answer)
  }

/** Reads the rows of a unit, after those that are stored of a head. */
async function read(unit: Unit, { get, until, stored, storedRows }: ReadContext): Promise<ReadResult> {
  const { rows } = await get({ host: tinyHost.name, path: '/quotes' }, shape)
  const before = await stored()
  const from = before?.state === 'head' && before.to !== null ? before.to : unit.from
  const kept = from === unit.from ? [] : await storedRows('quotes', from)
  const end = Math.min(until, unit.to ?? until)
  const read = rows.filter((ts) => ts >= from && ts < end).map((ts) => quote(unit.key, ts))
  return { rows: { quotes: [...kept, ...read] }, rejected: [], state: 'complete', proof: 'all', to: end }
}

const hours = tinySource({
  name: 'venue_hours',
  unit: 'hour',
  datasets: ['quotes'],
  read,
  plan: async ({ from, to }) => {
    const units: Unit[] = []
    for (let hour = from - (from % HOUR); hour < to; hour += HOUR)
      units.push(unitOf('', { source: 'venue_hours', kind: 'hour', from: hour, to: hour + HOUR }))
    return units
  },
})
/** The number of rows that the upstream shows at an instant. */
const list = tinySource({
  name: 'venue_list',
  unit: 'observation',
  datasets: ['quotes'],
  lag_s: 0,
  settle_s: 0,
  read: async (unit, { get }) => {
    const { rows } = await get({ host: tinyHost.name, path: '/quotes' }, shape)
    const quotes = [quote('', unit.from, { bid: BigInt(rows.length) })]
    return { rows: { quotes }, rejected: [], state: 'complete', proof: 'all' }
  },
  plan: async ({ at }) => [unitOf('', { source: 'venue_list', kind: 'observation', from: at, to: at })],
})
/** An account that is left alone for ten minutes after it was read, as its plan asks the lake. */
const account = tinySource({
  datasets: ['quotes'],
  read,
  plan: async ({ lake, at, refresh }) => {
    const [row] = await lake.query(
      `select coalesce(epoch_us(max(checked_at) filter (state <> 'missing')), 0)::double as read_us
       from lake.coverage where source = 'venue_quotes'`,
      z.object({ read_us: z.number() }),
    )
    return refresh || (row?.read_us ?? 0) <= at - 10 * MINUTE ? [unitOf('0xa')] : []
  },
})

/** Reads what is due by a clock that is ahead of the real time, or behind it. */
async function readDue(
  lake: Lake,
  source: PlannedSource,
  { real, ahead = 0, ...of }: { real: Micros; ahead?: Micros; refresh?: boolean; isDated?: boolean; type?: string },
) {
  const clock = real + ahead
  const { refresh = false, isDated = true } = of
  const activities = createActivities({ ...tinyTools(lake, source, clock), http: upstream(real, isDated, of.type) })
  const request = { source: source.name, at: clock, from: first, to: clock, keys: [], refresh, limit: 500, after: '' }
  const { units } = await activities.plan(request)
  return activities.pull({ units, at: clock, rate: null })
}

const stored = async (lake: Lake): Promise<Micros[]> => {
  const row = z.object({ us: z.bigint().transform(Number) })
  const rows = await lake.read(({ query }) => query('select epoch_us(ts) as us from lake.quotes order by ts', row))
  return rows.map(({ us }) => us)
}

/** The rows that a right clock reads. */
const shown = (real: Micros): Micros[] => rowsUntil(real).filter((ts) => ts < real - MINUTE)

describe.each([
  ['hours', hours],
  ['an account', account],
])('after a clock was six hours ahead, the right one reads all rows of %s', (_, source) => {
  test.each([
    ['at once', HOUR],
    ['before the wrong instant', 3 * HOUR],
    ['after it', 9 * HOUR],
  ])('%s', async (_when, later) => {
    const lake = await newLake()
    await readDue(lake, source, { real: noon, ahead: SHIFT })
    await readDue(lake, source, { real: noon + later })
    expect(await stored(lake)).toEqual(shown(noon + later))
  })

  test('of an upstream that states no time', async () => {
    const lake = await newLake()
    await readDue(lake, source, { real: noon, ahead: SHIFT, isDated: false })
    await readDue(lake, source, { real: noon + HOUR, isDated: false })
    expect(await stored(lake)).toEqual(shown(noon + HOUR))
  })

  test('in a refresh', async () => {
    const lake = await newLake()
    await readDue(lake, source, { real: noon, ahead: SHIFT, isDated: false })
    await readDue(lake, source, { real: noon + HOUR, refresh: true })
    expect(await stored(lake)).toEqual(shown(noon + HOUR))
  })
})

test('a clock that is behind replaces no later reading, also in a refresh', async () => {
  const lake = await newLake()
  await readDue(lake, hours, { real: noon })
  const before = await stored(lake)
  await readDue(lake, hours, { real: noon + HOUR, ahead: -3 * HOUR })
  await readDue(lake, hours, { real: noon + HOUR, ahead: -3 * HOUR, refresh: true })
  expect(await stored(lake)).toEqual(before)
})

test('a reading claims no more than the clock of the upstream allows, and says why', async () => {
  const lake = await newLake()
  await readDue(lake, account, { real: noon, ahead: SHIFT })
  const entries = await lake.catalog.db.selectFrom('tapeline_coverage').selectAll().execute()
  const reason = 'clocks of this machine and of the upstream: more than ten minutes apart; expected the same time'
  expect(entries).toMatchObject([{ state: 'head', to_at: noon - MINUTE, checked_at: noon, reason }])
})

test('the Date of a page or a feed is not the time of its upstream', async () => {
  const lake = await newLake()
  const own = noon + 3 * HOUR
  // A cache keeps the response for three hours.
  await readDue(lake, account, { real: noon, ahead: own - noon, type: 'application/rss+xml' })
  const entries = await lake.catalog.db.selectFrom('tapeline_coverage').selectAll().execute()
  expect(entries).toMatchObject([{ to_at: own - MINUTE, checked_at: own, reason: null }])
  const noted = (type?: string): Micros | null => {
    const shown = { at: null }
    const headers = {
      date: new Date(noon / 1000).toUTCString(),
      ...(type === undefined ? {} : { 'content-type': type }),
    }
    noteShown(shown, { headers, world: 'real' })
    return shown.at
  }
  expect(['application/json', 'Application/JSON ;charset=utf-8'].map(noted)).toEqual([noon, noon])
  for (const type of ['text/html', 'application/feed+json', 'application/jsonp', undefined])
    expect(noted(type)).toBeNull()
})

test('an observation of an instant that has not come is missing, and is read when it comes', async () => {
  const lake = await newLake()
  const seen = () =>
    lake.read(({ query }) =>
      query(
        'select epoch_us(ts)::double as ts, (bid * 1000000)::int as n from lake.quotes',
        z.record(z.string(), z.number()),
      ),
    )
  await readDue(lake, list, { real: noon, ahead: SHIFT })
  const entries = await lake.catalog.db.selectFrom('tapeline_coverage').selectAll().execute()
  const reason =
    "observation of 2026-11-20 19:05:00.000000: more than ten minutes ahead of the upstream's clock; " +
    'expected an instant that has come'
  expect(entries).toMatchObject([{ state: 'missing', reason }])
  expect(await seen()).toEqual([])
  await readDue(lake, list, { real: noon + SHIFT })
  expect(await seen()).toEqual([{ ts: noon + SHIFT, n: rowsUntil(noon + SHIFT).length }])
})

test('readings by clocks that are ahead, behind or apart by seconds lose no row and double none', async () => {
  const ahead = fc.constantFrom(0, 0, 30 * second, -30 * second, SHIFT, -SHIFT)
  const reading = fc.record({ wait: fc.integer({ min: 20, max: 600 }).map((n) => n * MINUTE), ahead })
  await fc.assert(
    fc.asyncProperty(fc.array(reading, { minLength: 1, maxLength: 4 }), async (readings) => {
      const lake = await newLake()
      let real = noon
      let before: Micros[] = []
      for (const { wait, ahead: by } of [...readings, { wait: HOUR, ahead: 0 }]) {
        real += wait
        await readDue(lake, account, { real, ahead: by })
        const rows = await stored(lake)
        expect(rows.slice(0, before.length)).toEqual(before)
        expect(new Set(rows).size).toBe(rows.length)
        before = rows
      }
      expect(before).toEqual(shown(real))
    }),
    { numRuns: 5 },
  )
})
