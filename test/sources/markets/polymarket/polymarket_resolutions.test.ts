import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { polymarketResolutions } from '#sources/markets/polymarket/polymarket_resolutions.ts'
import { describeMarket, gammaMarket } from '#sources/markets/polymarket/wire/gamma_rows.ts'

import { fakeGet, planWith, readWith, store, temporaryLake, type Upstream } from './fake.ts'
import { condition, gammaMarketBody, hex, resolutionBody, wonClobMarket } from './wire.ts'

const hour = 3_600_000_000
const day = 24 * hour
const from = Date.UTC(2026, 10, 20, 12) * 1000
const at = from + 10 * day

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const unitOf = (...markets: number[]): Unit => ({
  source: 'polymarket_resolutions',
  kind: 'hour',
  part: 'polymarket',
  key: '',
  from,
  to: from + hour,
  params: markets.map(condition),
})

type Body = Record<string, unknown>

/** v2 with these rows, null for a venue without it; and the CLOB. */
const venue =
  (rows: readonly Body[] | null, clob: readonly Body[] = []): Upstream =>
  (path, query) => {
    if (path === '/v2/resolutions' && rows !== null) {
      const asked = query.get('condition')?.split(',') ?? []
      return { body: { data: rows.filter((row) => asked.includes(String(row['condition_id']))) } }
    }
    const market = clob.find((body) => path === `/markets/${String(body['condition_id'])}`)
    return market === undefined ? { status: 404 } : { body: market }
  }

const read = async (upstream: Upstream, unit: Unit, more: { at?: number; until?: number } = {}) => {
  const { get, asked } = fakeGet(upstream)
  const reading = await readWith(polymarketResolutions, unit, { lake, get, at, ...more })
  return { ...reading, asked, resolutions: reading.rows.resolutions ?? [] }
}

const resolvedAt = Date.parse('2026-11-20T12:30:00Z') * 1000

describe('an hour by v2', () => {
  test('has final payouts, twenty markets a request', async () => {
    const numbers = Array.from({ length: 23 }, (_, n) => n + 1)
    const rows = numbers.map((n) =>
      resolutionBody(n, n === 2 ? { payouts: [500_000, 500_000], transaction_hash: hex(7) } : {}),
    )
    const { resolutions, asked, state, proof } = await read(venue(rows), unitOf(...numbers))
    expect(asked.map((route) => route.split('%2C').length)).toEqual([20, 3])
    expect(resolutions.slice(0, 2)).toEqual([
      {
        market_id: `polymarket:${condition(1)}`,
        ts: resolvedAt,
        venue: 'polymarket',
        payouts: [1_000_000n, 0n],
        status: 'resolved',
        tx: null,
      },
      expect.objectContaining({ payouts: [500_000n, 500_000n], tx: hex(7) }),
    ])
    expect([state, proof]).toEqual(['complete', 'v2: 23 of 23 markets are resolved'])
  })

  test('grows until each market is resolved, and is unverified when a week has passed', async () => {
    const disputed = venue([resolutionBody(1), resolutionBody(2, { status: 'disputed' })])
    const early = await read(disputed, unitOf(1, 2), { at: from + 2 * hour })
    expect([early.resolutions.length, early.state]).toEqual([1, 'growing'])
    const late = await read(disputed, unitOf(1, 2))
    expect([late.state, late.reason]).toEqual(['unverified', `1 not resolved: ${condition(2)}`])
  })

  test('leaves what was resolved at or after `until`', async () => {
    const { resolutions, state } = await read(venue([resolutionBody(1)]), unitOf(1), {
      at: from + hour,
      until: resolvedAt,
    })
    expect([resolutions, state]).toEqual([[], 'growing'])
  })

  test('keeps a correction beside what it corrects, and the same row once', async () => {
    const corrected = resolutionBody(1, { payouts: [0, 1_000_000], resolved_at: '2026-11-21T00:00:00Z' })
    const { resolutions } = await read(venue([resolutionBody(1), resolutionBody(1), corrected]), unitOf(1))
    expect(resolutions.map(({ payouts }) => payouts[0])).toEqual([1_000_000n, 0n])
  })

  test('has the payouts of a scalar market, of which each may be rounded', async () => {
    const { resolutions, rejected } = await read(venue([resolutionBody(1, { payouts: [333_333, 666_666] })]), unitOf(1))
    expect([resolutions.map(({ payouts }) => payouts), rejected]).toEqual([[[333_333n, 666_666n]], []])
  })

  test('takes a winner from the CLOB where v2 has a price and no payouts, at the time that v2 says', async () => {
    const priced = resolutionBody(1, { payouts: undefined, price: '1000000000000000000' })
    const { resolutions, state } = await read(venue([priced], [wonClobMarket(1, [false, true])]), unitOf(1))
    expect(resolutions).toEqual([expect.objectContaining({ ts: resolvedAt, payouts: [0n, 1_000_000n] })])
    expect(state).toBe('complete')
  })

  test('requests unresolved markets from the CLOB after a day', async () => {
    const upstream = venue([resolutionBody(1)], [wonClobMarket(2, [false, true])])
    const early = await read(upstream, unitOf(1, 2, 3), { at: from + hour + day })
    expect([early.resolutions.length, early.state]).toEqual([1, 'growing'])
    expect(early.asked.filter((route) => route.startsWith('/markets'))).toEqual([])
    const later = from + hour + day + 1
    const late = await read(upstream, unitOf(1, 2, 3), { at: later })
    expect(late.asked.filter((route) => route.startsWith('/markets'))).toEqual(
      [2, 3].map((n) => `/markets/${condition(n)}`),
    )
    expect(late.resolutions.map(({ market_id, ts }) => [market_id, ts])).toEqual([
      [`polymarket:${condition(1)}`, resolvedAt],
      [`polymarket:${condition(2)}`, later],
    ])
    expect([late.state, late.reason]).toEqual(['growing', `1 not resolved: ${condition(3)}`])
  })

  test.each([
    [
      'payouts that do not add up',
      { payouts: [400_000, 500_000] },
      'payouts: expected millionths that add up to a million',
    ],
    ['a negative payout', { payouts: [-1, 1_000_001] }, 'payouts.0'],
    ['a market that was not requested', { condition_id: condition(5) }, 'expected a requested market'],
  ])('refuses %s', async (_, body, reason) => {
    const bad = resolutionBody(1, body)
    const { resolutions, rejected, state } = await read(() => ({ body: { data: [bad] } }), unitOf(1), { at: from })
    expect([resolutions, state]).toEqual([[], 'growing'])
    expect(rejected).toEqual([
      { dataset: 'resolutions', path: '/v2/resolutions', reason: expect.stringContaining(reason), body: bad },
    ])
  })
})

test('a stored payout stays if the venue no longer has it, unless the market moved to another hour', async () => {
  const first = await read(venue([resolutionBody(1), resolutionBody(2)]), unitOf(1, 2, 3), { at: from + hour })
  await store(lake, unitOf(1, 2, 3), first.rows, { at: from + hour, state: 'head' })
  const gone = venue(null, [])
  expect(await read(gone, unitOf(1, 2, 3))).toMatchObject({ state: 'unverified', rows: first.rows })
  expect((await read(gone, unitOf(2, 3))).resolutions).toEqual(first.resolutions.slice(1))
})

describe('an hour by the CLOB, where v2 is absent', () => {
  test('has the winner, seen now; a market that it does not know stays open', async () => {
    const { resolutions, state, proof } = await read(venue(null, [wonClobMarket(1, [true, false])]), unitOf(1, 2), {
      at: from + hour,
    })
    expect(resolutions).toEqual([expect.objectContaining({ ts: from + hour, payouts: [1_000_000n, 0n], tx: null })])
    expect([state, proof]).toEqual(['growing', 'v2 is absent, the CLOB: 1 of 2 markets are resolved'])
  })

  test('keeps the instant at which a winner was first seen', async () => {
    const upstream = venue(null, [wonClobMarket(1, [true, false])])
    const first = await read(upstream, unitOf(1, 2), { at: from + hour })
    await store(lake, unitOf(1, 2), first.rows, { at: from + hour, state: 'head' })
    const again = await read(upstream, unitOf(1, 2), { at: from + 5 * hour })
    expect(again.resolutions.map(({ ts }) => ts)).toEqual([from + hour])
  })
})

describe('the plan', () => {
  const observation: Unit = { ...unitOf(), source: 'polymarket_markets', kind: 'observation', from: at, to: at }
  const iso = (ts: number) => new Date(ts / 1000).toISOString()
  const market = (n: number, body: Body) => describeMarket(gammaMarket.parse(gammaMarketBody(n, body)), at)
  const closed = (n: number, ts: number) => market(n, { closed: true, closedTime: iso(ts) })
  const plan = async (window: { from?: number; to?: number; keys?: string[]; includeOpen?: boolean } = {}) =>
    (await planWith(polymarketResolutions, lake, { at, to: at + hour, ...window })).map((unit) => [
      (unit.from - from) / hour,
      unit.params.map((id) => Number.parseInt(id, 16) - 0xc000),
      unit.forceRefresh,
    ])

  test('has the hours in which markets closed, with their markets', async () => {
    const markets = [
      closed(2, from + hour - 1),
      closed(1, from),
      closed(3, from + hour),
      market(4, {}),
      market(5, { closed: true, endDate: iso(from + 3 * hour) }),
      // Closed long before its scheduled end: the hour in which it was seen closed.
      market(6, { closed: true, endDate: '2030-01-01T00:00:00Z' }),
      market(7, { closed: true, endDate: null, createdAt: iso(from - hour) }),
    ]
    await store(lake, observation, { markets }, { at })
    expect(await plan()).toEqual([
      [-1, [7], true],
      [0, [1, 2], true],
      [1, [3], true],
      [3, [5], true],
      [240, [6], true],
    ])
    expect((await plan({ from: from + hour, to: from + 2 * hour })).map(([n]) => n)).toEqual([1])
    expect((await plan({ keys: [`polymarket:${condition(2)}`] })).map(([n]) => n)).toEqual([0])
  })

  test('keeps a market in the hour in which it was first seen closed, however often it is described', async () => {
    const early = from - 3 * hour
    const describe = (n: number, seen_at: number, body: Body) =>
      describeMarket(gammaMarket.parse(gammaMarketBody(n, body)), seen_at)
    for (const [seen_at, question] of [
      [early, 'A?'],
      [from, 'B?'],
    ] as const) {
      const body = { question, closed: true, endDate: '2030-01-01T00:00:00Z' }
      const markets = [describe(1, seen_at, body), describe(2, seen_at, { ...body, endDate: null, createdAt: null })]
      await store(lake, { ...observation, from: seen_at, to: seen_at }, { markets }, { at })
    }
    expect(await plan()).toEqual([[-3, [1, 2], true]])
  })

  test('has the hours that were left open before the interval, if that is wanted', async () => {
    const markets = [0, 1, 2, 3, 4].map((n) => closed(n + 1, from + n * hour))
    await store(lake, observation, { markets }, { at })
    const hourOf = (n: number): Unit => ({ ...unitOf(n + 1), from: from + n * hour, to: from + (n + 1) * hour })
    await store(lake, hourOf(0), { resolutions: [] }, { at, state: 'head' })
    await store(lake, hourOf(1), { resolutions: [] }, { at, state: 'unverified' })
    await store(lake, hourOf(2), { resolutions: [] }, { at, state: 'done' })
    // Fills of the market of hour 3 are stored, whose hour never was.
    const fills: Unit = { ...unitOf(), source: 'polymarket_trades', kind: 'history', key: condition(4), to: null }
    await store(lake, fills, { fills: [] }, { at, state: 'head' })
    const window = { from: from + day }
    expect(await plan(window)).toEqual([])
    expect((await plan({ ...window, includeOpen: true })).map(([n]) => n)).toEqual([0, 3])
  })

  test('is stale while a market lacks its resolution, each time in the first week and then once a day', async () => {
    const hourOf = (ts: number): Unit => ({ ...unitOf(1), from: ts, to: ts + hour })
    await store(lake, observation, { markets: [closed(1, from), closed(2, at - day)] }, { at })
    const states = async () => (await plan()).map(([, ask, forceRefresh]) => [ask, forceRefresh])
    for (const ts of [from, at - day]) await store(lake, hourOf(ts), { resolutions: [] }, { at })
    expect(await states()).toEqual([
      [[1], false],
      [[2], true],
    ])
    await store(lake, hourOf(from), { resolutions: [] }, { at: at - day - 1 })
    expect((await states())[0]).toEqual([[1], true])
    const { rows } = await read(venue([resolutionBody(1)]), unitOf(1))
    await store(lake, unitOf(1), rows, { at })
    expect((await states())[0]).toEqual([[1], false])
  })
})
