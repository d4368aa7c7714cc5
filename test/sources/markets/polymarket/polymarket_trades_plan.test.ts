import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import { storeFailure, storeUnit, type UnitContents } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { polymarketTrades } from '#sources/markets/polymarket/polymarket_trades.ts'

import { planWith, store, temporaryLake } from './fake.ts'
import { condition, token } from './wire.ts'

const at = Date.UTC(2026, 10, 20) * 1000
const created = Date.UTC(2026, 8, 1) * 1000
const unit: Unit = {
  source: 'polymarket_trades',
  kind: 'history',
  part: 'polymarket',
  key: condition(1),
  from: created,
  to: null,
  params: [],
}

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const describeMarket = (
  n: number,
  created_at: number | null,
  closed_at: number | null,
  more: { status?: string; seen_at?: number } = {},
) => ({
  market_id: `polymarket:${condition(n)}`,
  seen_at: at,
  venue: 'polymarket',
  event_id: 'polymarket:1',
  question: '?',
  labels: ['Yes', 'No'],
  token_ids: [token(1), token(2)],
  category: null,
  tags: [],
  url: null,
  status: 'open',
  is_open: true,
  created_at,
  starts_at: null,
  starts_by: null,
  ends_at: null,
  closed_at,
  collateral: 'USDC',
  taker_fee_rate: null,
  maker_fee_rate: null,
  fee_exponent: null,
  neg_risk_id: null,
  neg_risk_index: null,
  volume_usd: null,
  ...more,
})
const day = 86_400_000_000
const observation: Unit = { ...unit, source: 'polymarket_markets', kind: 'observation', key: '', from: at, to: at }
const plan = async (window: { from?: number; to?: number; keys?: string[] }) => {
  const resolution = { venue: 'polymarket', payouts: [1_000_000n, 0n], status: 'resolved', tx: null }
  const resolved = (n: number, ts: number) => ({ ...resolution, market_id: `polymarket:${condition(n)}`, ts })
  const rows = {
    markets: [
      describeMarket(1, created, null),
      describeMarket(2, created, created + 5 * day),
      describeMarket(3, created, created + 5 * day),
      describeMarket(4, null, null),
    ],
    resolutions: [resolved(2, created + 6 * day), resolved(3, created + 4 * day)],
  }
  await store(lake, observation, rows, { at })
  const units = await planWith(polymarketTrades, lake, { at, ...window })
  return units
    .map(({ key, from, to }) => [Number.parseInt(key, 16) - 0xc000, from, to])
    .toSorted(([a], [b]) => Number(a) - Number(b))
}

test('the plan has each market from its creation to the later of closing and resolution, in the order of paths', async () => {
  const units = await plan({})
  expect(units).toEqual([
    [1, created, null],
    [2, created, created + 6 * day],
    [3, created, created + 5 * day],
    [4, 0, null],
  ])
  const paths = await planWith(polymarketTrades, lake, { at })
  expect(paths.map(unitPath)).toEqual(paths.map(unitPath).toSorted())
})

test('the plan has those that lived in the interval', async () => {
  expect((await plan({ from: created + 6 * day })).map(([n]) => n)).toEqual([1, 4])
  expect((await plan({ to: created })).map(([n]) => n)).toEqual([4])
})

const observe = (seen_at: number, ...markets: ReturnType<typeof describeMarket>[]) =>
  store(
    lake,
    { ...observation, from: seen_at, to: seen_at },
    { markets: markets.map((row) => ({ ...row, seen_at })) },
    { at },
  )
const numbersOf = async (window: { at?: number; from?: number; keys?: string[]; includeOpen?: boolean }) =>
  (await planWith(polymarketTrades, lake, { at, ...window }))
    .map(({ key }) => Number.parseInt(key, 16) - 0xc000)
    .toSorted((a, b) => a - b)

test('the plan ends a market at its close, also while its resolution is unknown', async () => {
  const seen = created + 8 * day
  await observe(
    seen,
    describeMarket(1, created, created + 5 * day, { status: 'closed' }),
    describeMarket(2, created, created + 5 * day, { status: 'resolved' }),
    // Closed before it was seen so.
    describeMarket(3, created, null, { status: 'closed' }),
    describeMarket(4, created, null, { status: 'paused' }),
    describeMarket(5, created, created + 5 * day, { status: 'closed' }),
  )
  // Open again.
  await observe(seen + day, describeMarket(5, created, null, { status: 'open' }))
  const planned = async (from: number) => numbersOf({ from })
  expect(await planned(created + 5 * day - 1)).toEqual([1, 2, 3, 4, 5])
  expect(await planned(created + 5 * day)).toEqual([3, 4, 5])
  expect(await planned(seen)).toEqual([4, 5])
  const units = await planWith(polymarketTrades, lake, { at })
  expect(units.map(({ to }) => to)).toEqual([null, null, null, null, null])
})

test('the plan reads a market that is over and not resolved once a day', async () => {
  const closed = at - day
  await observe(
    closed,
    describeMarket(1, created, closed, { status: 'closed' }),
    describeMarket(2, created, closed + 1, { status: 'closed' }),
    describeMarket(3, created, null, { status: 'open' }),
  )
  for (const n of [1, 2, 3]) {
    await store(lake, { ...unit, key: condition(n) }, { fills: [] }, { at: at - 60, to: at - 60, state: 'head' })
  }
  expect(await numbersOf({})).toEqual([2, 3])
  expect(await numbersOf({ keys: [condition(1)] })).toEqual([1])
  expect(await numbersOf({ at: at - 60 + day })).toEqual([1, 2, 3])
})

test('the plan has units left open before the interval, with `includeOpen`', async () => {
  const states = ['head', 'quarantined', 'unverified', 'done', 'unavailable'] as const
  const closed = created + 5 * day
  const numbers = [1, 2, 3, 4, 5, 6, 7]
  await observe(closed, ...numbers.map((n) => describeMarket(n, created, closed, { status: 'closed' })))
  for (const [n, state] of states.entries()) {
    await store(lake, { ...unit, key: condition(n + 1) }, { fills: [] }, { at: closed, state })
  }
  const failure = { datasets: ['fills'] as const, precedence: 10, reason: 'x', asked: [], checkedAt: closed }
  await storeFailure(lake, { ...unit, key: condition(6) }, failure)
  expect(await numbersOf({ from: closed })).toEqual([])
  expect(await numbersOf({ from: closed, includeOpen: true })).toEqual([1, 2, 3, 6])
})

test('the plan has markets requested by name, with or without the venue, also markets unknown to the lake', async () => {
  const keys = [`polymarket:${condition(2)}`, condition(9).toUpperCase().replace('0X', '0x')]
  expect(await plan({ keys })).toEqual([
    [2, created, created + 6 * day],
    [9, 0, null],
  ])
  expect(await plan({ keys, from: created + 6 * day })).toEqual([[9, 0, null]])
  await expect(plan({ keys: ['everything'] })).rejects.toThrow('expected a condition id')
})

describe('the plan of a follow, beside the feed', () => {
  const hour = 3_600_000_000
  /** The feed is complete from here on. */
  const followed = at - 5 * hour
  const followFeed = async (from = followed, proof: string | null = 'v2') => {
    const feed: Unit = { ...unit, source: 'polymarket_feed', kind: 'hour', key: '', from, to: from + hour }
    const state = proof === null ? 'unverified' : 'done'
    const contents = { rows: { fills: [] }, rejected: [], precedence: 5, asked: [], checkedAt: from + hour }
    await storeUnit(lake, feed, { ...contents, state, to: from + hour, proof: proof ?? undefined })
  }
  const read = (n: number, to: number | null, state: UnitContents['state'] = 'head') =>
    store(lake, { ...unit, key: condition(n) }, { fills: [] }, { at: to ?? at, to, state })
  const planned = (more: object = {}) => numbersOf({ includeOpen: true, ...more })

  test('has of the open markets those that began before the feed and were not read up to it', async () => {
    await observe(
      at,
      describeMarket(1, created, null),
      describeMarket(2, created, null),
      describeMarket(3, created, null),
      describeMarket(4, followed - 1, null),
      describeMarket(5, followed, null),
      describeMarket(6, null, null),
      describeMarket(7, created, null),
    )
    await read(1, followed - 1)
    await read(2, followed)
    await read(3, followed - 1, 'unverified')
    await read(7, followed, 'quarantined')
    expect(await planned()).toEqual([1, 2, 3, 4, 5, 6, 7])
    await followFeed()
    expect(await planned()).toEqual([1, 3, 4, 6])
    // A request for an interval or for a market plans it in full.
    expect(await numbersOf({})).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await numbersOf({ keys: [condition(2), condition(5)], includeOpen: true })).toEqual([2, 5])
  })

  test('has all that lived through a break of the feed', async () => {
    await observe(
      at,
      describeMarket(1, created, null),
      describeMarket(2, followed + hour, null),
      describeMarket(3, at - hour, null),
    )
    await read(1, followed + hour)
    await followFeed()
    expect(await planned()).toEqual([])
    await followFeed(followed + 2 * hour, null)
    expect(await planned()).toEqual([1, 2])
  })

  test('has resolved markets after they settled until they are done, and once a day markets that the venue does not have', async () => {
    const resolved = (n: number, ts: number) => ({
      market_id: `polymarket:${condition(n)}`,
      ts,
      venue: 'polymarket',
      payouts: [1_000_000n, 0n],
      status: 'resolved',
      tx: null,
    })
    const markets = [1, 2, 3, 4].map((n) => describeMarket(n, at - 4 * hour, at - day, { status: 'resolved' }))
    const waiting = describeMarket(5, at - 4 * hour, at - day, { status: 'closed' })
    const resolutions = [resolved(1, at - day), resolved(2, at - day + 1), resolved(3, at - day), resolved(4, at - day)]
    await store(lake, observation, { markets: [...markets, waiting], resolutions }, { at })
    await followFeed()
    await read(3, null, 'done')
    await read(4, at, 'unavailable')
    expect(await planned()).toEqual([1, 4])
    expect(await planned({ at: at + 1 })).toEqual([1, 2, 4])
  })

  test('uses the descriptions of a market that were seen by then', async () => {
    await observe(at - hour, describeMarket(1, created, null))
    await observe(at, describeMarket(2, created, null))
    expect(await planned({ at: at - hour })).toEqual([1])
    expect(await planned({ at })).toEqual([1, 2])
  })
})
