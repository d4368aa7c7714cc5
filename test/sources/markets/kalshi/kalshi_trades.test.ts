import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { kalshiTrades } from '#sources/markets/kalshi/kalshi_trades.ts'
import { fakeGet, planWith, readWith, store, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

import { kalshi, tradeBody, type Kalshi } from './wire.ts'

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const hour = 3_600_000_000
const noon = Date.UTC(2026, 10, 20, 12) * 1000
const at = noon + hour / 2
const hourFrom = (from: number): Unit => ({
  source: 'kalshi_trades',
  kind: 'hour',
  part: 'kalshi',
  key: '',
  from,
  to: from + hour,
  params: [],
})
const read = async (unit: Unit, venue: Kalshi, until = at - 30_000_000) => {
  const { get, asked } = fakeGet(kalshi(venue))
  const reading = await readWith(kalshiTrades, unit, { lake, get, at, until })
  return { ...reading, asked, ids: reading.rows.fills?.map(({ tx }) => tx).toSorted() }
}
const iso = (micros: number): string => new Date(micros / 1000).toISOString()

describe('an hour of trades', () => {
  test('is read by its seconds, with cursors followed to their end', async () => {
    const trades = [5, 4, 3, 2, 1].map((n) => tradeBody(`t${n}`, iso(noon + n * 1_000_000)))
    const { ids, asked, state, to, proof } = await read(hourFrom(noon), { trades })
    expect(ids).toEqual(['t1', 't2', 't3', 't4', 't5'])
    const until = at - 30_000_000
    const window = `max_ts=${until / 1e6}&min_ts=${noon / 1e6 - 1}`
    expect(asked).toEqual([
      `/markets/trades?limit=1000&${window}`,
      // A short page is requested again with its number of rows.
      `/markets/trades?limit=2&${window}`,
      `/markets/trades?cursor=2&limit=1000&${window}`,
      `/markets/trades?cursor=4&limit=1000&${window}`,
      '/historical/cutoff',
    ])
    expect([state, to]).toEqual(['complete', until])
    expect(proof).toContain('live, cursors followed to their end, 3 pages')
  })

  test('may be empty, which is complete if the list shows earlier trades', async () => {
    const trades = [tradeBody('earlier', iso(noon - hour))]
    const { ids, state, rejected } = await read(hourFrom(noon), { trades })
    expect([ids, state, rejected]).toEqual([[], 'complete', []])
    const nothing = await read(hourFrom(noon), {})
    expect([nothing.state, nothing.reason]).toEqual([
      'unverified',
      'the list shows no trade at all; expected one before the end of the hour',
    ])
  })

  test('leaves trades beside it to other units, even damaged ones', async () => {
    const trades = [
      tradeBody('late', iso(noon + hour)),
      tradeBody('in', iso(noon)),
      tradeBody('early', iso(noon - 1000)),
      tradeBody('damaged', iso(noon - 1000), { count_fp: 'x' }),
    ]
    const { ids, rejected } = await read(hourFrom(noon), { trades }, Number.MAX_SAFE_INTEGER)
    expect([ids, rejected]).toEqual([['in'], []])
  })

  test('has a row that does not parse as rejected, with its reason, once', async () => {
    const broken = tradeBody('broken', iso(noon + 5), { yes_price_dollars: '1.2000' })
    const { ids, rejected } = await read(hourFrom(noon), {
      trades: [broken, tradeBody('whole', iso(noon + 4)), broken],
    })
    expect(ids).toEqual(['whole'])
    expect(rejected.map(({ reason }) => reason)).toEqual([
      'yes_price_dollars: expected a price from 0 to 1, got 1.2000',
    ])
  })

  test('before the cutoff is read from the live list and the archive, each trade once', async () => {
    const both = tradeBody('both', iso(noon + 3))
    const { ids, asked, proof } = await read(hourFrom(noon), {
      trades: [both],
      archive: { trades: [both, tradeBody('moved', iso(noon + 2))] },
      cutoff: iso(noon + hour),
    })
    expect(ids).toEqual(['both', 'moved'])
    // The archive is read after the live list, so that a trade that moves in between is in one of both.
    expect([...new Set(asked.map((path) => path.split('?')[0]))]).toEqual([
      '/markets/trades',
      '/historical/cutoff',
      '/historical/trades',
    ])
    expect(proof).toContain('live and archive, whose cutoff is 2026-11-20 13:00:00')
  })

  test('that is open continues where it was read to, with its rows carried over', async () => {
    const stored = await read(hourFrom(noon), { trades: [tradeBody('old', iso(noon + 1_000_000))] })
    await store(lake, hourFrom(noon), stored.rows, { at: at - hour / 4, state: 'head', to: noon + hour / 4 })
    const later = [tradeBody('new', iso(noon + hour / 3)), tradeBody('old', iso(noon + 1_000_000))]
    const { ids, asked, rows } = await read(hourFrom(noon), { trades: later })
    expect(ids).toEqual(['new', 'old'])
    expect(rows.fills?.find(({ tx }) => tx === 'old')).toMatchObject({ price: 400_000n, role: 'taker' })
    expect(asked[0]).toContain(`min_ts=${(noon + hour / 4) / 1e6 - 1}`)
  })

  test('ends a list whose cursor repeats, and a list without its rows, as errors', async () => {
    const { get } = fakeGet(() => ({ body: { trades: [], cursor: 'again' } }))
    await expect(readWith(kalshiTrades, hourFrom(noon), { lake, get, at })).rejects.toThrow('cursor again: repeated')
    const { get: other } = fakeGet(() => ({ body: { rows: [] } }))
    await expect(readWith(kalshiTrades, hourFrom(noon), { lake, get: other, at })).rejects.toThrow(
      '/markets/trades: no list of trades; expected one on each page',
    )
  })

  test('is not read from a list that ignores the seconds', async () => {
    const all = Array.from({ length: 40 }, (_, n) => tradeBody(`trade-${n}`, iso(noon + hour / 4 - n * hour)))
    const { get, asked } = fakeGet((_, query) => {
      const start = Number(query.get('cursor') ?? 0)
      const end = start + Math.min(Number(query.get('limit')), 10)
      return { body: { trades: all.slice(start, end), cursor: end < all.length ? String(end) : '' } }
    })
    await expect(readWith(kalshiTrades, hourFrom(noon), { lake, get, at })).rejects.toThrow(
      /^\/markets\/trades: no row of a page is of the seconds 1795\d+ to 1795\d+; expected only rows of these seconds$/,
    )
    expect(asked).toHaveLength(3)
  })

  test('does not believe the end of a list whose cursor has another name', async () => {
    const all = Array.from({ length: 1_500 }, (_, n) => tradeBody(`trade-${n}`, iso(noon + n * 1_000_000)))
    const { get } = fakeGet((_, query) => ({ body: { trades: all.slice(0, Number(query.get('limit'))), next: 'b' } }))
    await expect(readWith(kalshiTrades, hourFrom(noon), { lake, get, at })).rejects.toThrow(
      'page: 1000 rows and no cursor, also after fewer of them; expected a cursor',
    )
  })
})

describe('the plan of trades', () => {
  const planned = async (options: { from?: number; to?: number; includeOpen?: boolean; at?: number }) =>
    (await planWith(kalshiTrades, lake, { at, ...options })).map(({ from }) => (from - noon) / hour)

  test('of a first follow is the last day, and so is an interval from 0 on', async () => {
    const day = Array.from({ length: 25 }, (_, n) => n - 24)
    expect(await planned({ includeOpen: true, from: 5 })).toEqual(day)
    expect(await planned({})).toEqual(day)
  })

  test('of an interval is its hours, from the first day of the venue on', async () => {
    expect(await planned({ from: noon - 2 * hour, to: noon })).toEqual([-2, -1])
    const [first] = await planWith(kalshiTrades, lake, { at, from: 1, to: Date.UTC(2021, 5, 29) * 1000 })
    expect(first?.from).toBe(Date.UTC(2021, 5, 28) * 1000)
  })

  test('of a follow leaves out hours that are done, or read to their end and not settled', async () => {
    await store(lake, hourFrom(noon - 3 * hour), { fills: [] }, { at, state: 'done' })
    await store(lake, hourFrom(noon - 2 * hour), { fills: [] }, { at, state: 'quarantined' })
    await store(lake, hourFrom(noon - hour), { fills: [] }, { at: noon + 60_000_000, state: 'head', to: noon })
    const soon = noon + 10 * 60_000_000
    expect(await planned({ includeOpen: true, at: soon })).toEqual([-2, 0])
    // A quarter of an hour after its end the hour is read once more, as a whole.
    expect(await planned({ includeOpen: true })).toEqual([-2, -1, 0])
  })

  test('of a follow has an hour again that was read to its end with a fault', async () => {
    const read = { at: noon + 60_000_000, to: noon }
    const soon = noon + 10 * 60_000_000
    await store(lake, hourFrom(noon - 2 * hour), { fills: [] }, { at, state: 'done' })
    await store(lake, hourFrom(noon - hour), { fills: [] }, { ...read, state: 'unverified' })
    expect(await planned({ from: noon - 2 * hour, to: noon, at: soon })).toEqual([-1])
    await store(lake, hourFrom(noon - hour), { fills: [] }, { ...read, state: 'head' })
    expect(await planned({ from: noon - 2 * hour, to: noon, at: soon })).toEqual([])
  })

  test('of a follow after a long pause is the last three days', async () => {
    await store(lake, hourFrom(noon - 500 * hour), { fills: [] }, { at, state: 'done' })
    expect((await planned({ includeOpen: true }))[0]).toBe(-72)
  })
})
