import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { parseConfig } from '#config.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { polymarketActivity } from '#sources/markets/polymarket/polymarket_activity.ts'

import { planWith, store, temporaryLake } from './fake.ts'
import { condition, hex, token, wallet } from './wire.ts'

const at = Date.UTC(2026, 10, 20) * 1000
const unit: Unit = {
  source: 'polymarket_activity',
  kind: 'history',
  part: 'polymarket',
  key: wallet(1),
  from: 0,
  to: null,
  params: [],
}

const isActivity = ({ name }: Source): boolean => name === polymarketActivity.name

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

describe('the plan', () => {
  const second = 1_000_000
  const day = 86_400 * second
  const fillsOf = (n: number, count: number, ts: number) =>
    Array.from({ length: count }, (_, i) => ({
      venue: 'polymarket',
      token_id: token(1),
      ts,
      tx: hex(i),
      trader: wallet(n),
      side: 'buy',
      price: 1n,
      size: 1n,
      seq: 0,
      market_id: null,
      role: null,
      cash_usd: null,
      fee_usd: null,
    }))
  const trades: Unit = { ...unit, source: 'polymarket_trades', key: condition(1) }
  const plan = async (keys: string[] = [], window: { at?: number; from?: number; includeOpen?: boolean } = {}) =>
    (await planWith(polymarketActivity, lake, { at, keys, ...window }))
      .map(({ key }) => Number.parseInt(key, 16) - 0xa000)
      .toSorted((a, b) => a - b)
  const read = (n: number, to: number, state: 'head' | 'unavailable' | 'unverified', checked = at) =>
    store(lake, { ...unit, key: wallet(n) }, { activity: [], fills: [] }, { at: checked, to, state })

  test('has the accounts with 20 fills that were never read, or traded since, or were read a day ago', async () => {
    const at1 = at - 10 * day
    const traded = [1, 2, 3, 4, 5].flatMap((n) => fillsOf(n, 20, at1))
    await store(lake, trades, { fills: [...traded, ...fillsOf(6, 19, at1)] }, { at })
    expect(await plan()).toEqual([1, 2, 3, 4, 5])
    await read(1, at1 + second, 'head')
    await read(2, at1, 'head')
    await read(3, at1 + second, 'head', at - day - second)
    await read(4, at1 + second, 'unavailable', at - 1_000 * second)
    expect(await plan()).toEqual([2, 3, 5])
    // An outage may look like an account that the venue does not have, so it is read again after a day.
    await read(4, at1 + second, 'unavailable', at - day - second)
    expect(await plan()).toEqual([2, 3, 4, 5])
    await read(4, at1 + second, 'unverified', at - 1_000 * second)
    expect(await plan()).toEqual([2, 3, 5])
    await read(4, at1 + second, 'unverified', at - day - second)
    expect(await plan()).toEqual([2, 3, 4, 5])
  })

  test('has the accounts with as many fills as the environment sets', async () => {
    const set = parseConfig({ TAPELINE_POLYMARKET_MIN_FILLS: '7' }).sources.find(isActivity)
    const fills = [...fillsOf(1, 7, at - day), ...fillsOf(2, 6, at - day)]
    await store(lake, trades, { fills }, { at })
    expect(await plan()).toEqual([])
    expect(await planWith(set ?? polymarketActivity, lake, { at })).toMatchObject([{ key: wallet(1) }])
    await read(1, at - day + second, 'head', at - 2 * day)
    await read(2, at - day + second, 'head', at - 2 * day)
    // The second one counts as requested, and is read once a day.
    const later = { at: at + 40 * day }
    expect(await planWith(set ?? polymarketActivity, lake, later)).toMatchObject([{ key: wallet(2) }])
  })

  test('has those of the interval alone, and of the others those that were read before', async () => {
    const fills = [1, 2, 3].flatMap((n) => fillsOf(n, 20, at - (10 + n) * day))
    await store(lake, trades, { fills }, { at })
    expect(await plan([], { from: at - 11 * day })).toEqual([1])
    expect(await plan([], { from: at - 11 * day + second })).toEqual([])
    await read(3, at - 20 * day, 'head')
    expect(await plan([], { from: at - 11 * day })).toEqual([1, 3])
    expect(await plan([wallet(9)], { from: at })).toEqual([9])
  })

  test('has those that could not be read before the interval, if that is wanted', async () => {
    await store(lake, trades, { fills: fillsOf(1, 20, at - 40 * day) }, { at })
    const failure = { datasets: ['activity', 'fills'] as const, precedence: 20, reason: 'x', asked: [], checkedAt: at }
    for (const n of [1, 2]) await storeFailure(lake, { ...unit, key: wallet(n) }, failure)
    expect(await plan()).toEqual([1])
    expect(await plan([], { from: at - day })).toEqual([])
    expect(await plan([], { from: at - day, includeOpen: true })).toEqual([1, 2])
  })

  test('has accounts with fewer fills that were once requested: after they traded, and once a day', async () => {
    await store(lake, trades, { fills: [...fillsOf(1, 1, at - 2 * day), ...fillsOf(2, 1, at - 90 * day)] }, { at })
    expect(await plan()).toEqual([])
    await read(1, at - 2 * day, 'head')
    await read(2, at, 'head')
    await read(3, at, 'head', at - day)
    expect(await plan()).toEqual([1])
    expect(await plan([], { at: at + second })).toEqual([1, 3])
    expect(await plan([], { at: at + day + second })).toEqual([1, 2, 3])
  })

  test('leaves those in peace that have not traded for a month', async () => {
    await store(lake, trades, { fills: [...fillsOf(1, 20, at - 30 * day), ...fillsOf(2, 20, at - 31 * day)] }, { at })
    for (const n of [1, 2]) await read(n, at - day, 'head', at - 2 * day)
    expect(await plan()).toEqual([1])
  })

  test('reads an account with a proof from an hour before its end, and all others from the first day', async () => {
    const fills = [1, 2, 3, 4].flatMap((n) => fillsOf(n, 20, at - day))
    await store(lake, trades, { fills }, { at })
    const to = at - 2 * day
    await read(1, to, 'head')
    await store(lake, { ...unit, key: wallet(2) }, { activity: [], fills: [] }, { at, to, state: 'unverified' })
    await store(lake, { ...unit, key: wallet(3) }, { activity: [], fills: [] }, { at, to, state: 'quarantined' })
    const asked = async (keys: string[] = []) =>
      Object.fromEntries(
        (await planWith(polymarketActivity, lake, { at, keys })).map(({ key, params }) => [key, params]),
      )
    const start = String(to / second - 3_600)
    expect(await asked()).toEqual({ [wallet(1)]: [start], [wallet(2)]: [], [wallet(3)]: [], [wallet(4)]: [] })
    expect(await asked([wallet(1)])).toEqual({ [wallet(1)]: [] })
  })

  describe('of a follow, beside the feed', () => {
    const minute = 60 * second
    const hour = 60 * minute
    const feed: Unit = {
      ...unit,
      source: 'polymarket_feed',
      kind: 'hour',
      key: '',
      from: at - 5 * hour,
      to: at - 4 * hour,
    }
    const market_id = `polymarket:${condition(1)}`
    const storeFills = async (of: Unit, fills: ReturnType<typeof fillsOf>, to: number) =>
      store(lake, of, { fills: fills.map((fill) => ({ ...fill, market_id })) }, { at, to, state: 'head' })
    const planned = (more: object = {}) => plan([], { includeOpen: true, ...more })

    test('counts trades of both once, by its market as far as that was read', async () => {
      const [early, late] = [at - 5 * hour, at - 4 * hour - minute]
      await storeFills(trades, [...fillsOf(1, 10, early), ...fillsOf(2, 19, early)], late)
      const fills = [...fillsOf(1, 10, early), ...fillsOf(1, 9, late), ...fillsOf(2, 19, early), ...fillsOf(2, 1, late)]
      await storeFills(feed, fills, at - 4 * hour)
      expect(await planned()).toEqual([2])
      const other = { ...trades, key: condition(2) }
      await store(lake, other, { fills: fillsOf(1, 1, early) }, { at, to: at, state: 'head' })
      expect(await planned()).toEqual([1, 2])
    })

    test('looks at trades that are ten minutes old, and leaves an account alone for as long', async () => {
      const [old, young] = [at - 10 * minute - 1, at - 10 * minute]
      await storeFills(feed, fillsOf(3, 1, at - 4 * hour), at - 4 * hour)
      const head = { ...feed, from: at - hour, to: at }
      await storeFills(head, [...fillsOf(1, 20, old), ...fillsOf(2, 19, old), ...fillsOf(2, 1, young)], at - 5 * minute)
      expect(await planned()).toEqual([1])
      expect(await planned({ at: at + second, to: at + second })).toEqual([1, 2])
      // Without a follow, of an interval.
      expect(await plan()).toEqual([1, 2])
      await read(1, old, 'head', at - 10 * minute)
      await read(2, old, 'head', at - 10 * minute + second)
      expect(await planned()).toEqual([1])
      expect(await planned({ at: at + second, to: at + second })).toEqual([1, 2])
    })
  })

  test('has requested accounts with any activity', async () => {
    expect(await plan([wallet(7), `polymarket:${wallet(7)}`, wallet(8).toUpperCase().replace('0X', '0x')])).toEqual([
      7, 8,
    ])
    await expect(plan(['somebody'])).rejects.toThrow('expected an address')
  })
})
