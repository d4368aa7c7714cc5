import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { commitUnits } from '#lake/catalog/commit_units.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit, type UnitContents } from '#lake/units/store_unit.ts'
import { followedFrom } from '#sources/markets/polymarket/feed_coverage.ts'
import { polymarketFeed } from '#sources/markets/polymarket/polymarket_feed.ts'
import type { Micros } from '#time.ts'

import { planWith, temporaryLake } from './fake.ts'
import { bareFeed, everyTen, follow, hour, minute, one, second } from './feed_world.ts'

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

/** Notes an hour as read; without a proof something of it was not. */
const cover = (from: Micros, state: UnitContents['state'], more: Partial<UnitContents> = {}) =>
  storeUnit(
    lake,
    { source: 'polymarket_feed', kind: 'hour', part: 'polymarket', key: '', from, to: from + hour, params: [] },
    {
      rows: { fills: [] },
      rejected: [],
      precedence: 5,
      state,
      to: from + hour,
      proof: 'v2',
      asked: [],
      checkedAt: from + hour,
      ...more,
    },
  )

describe('the plan', () => {
  const planned = async (
    at: number,
    more: { includeOpen?: boolean; from?: number; to?: number } = { includeOpen: true },
  ) =>
    (await planWith(polymarketFeed, lake, { at, ...more })).map(({ from }) =>
      new Date(from / 1000).toISOString().slice(8, 13),
    )

  test('of a feed that was never read is the hour that is shown now, which the last instant of the lag decides', async () => {
    expect(await planned(one + 30 * minute)).toEqual(['20T13'])
    expect(await planned(one + 5 * minute)).toEqual(['20T12'])
    expect(await planned(one + 5 * minute + second)).toEqual(['20T13'])
    // All of time is no interval.
    expect(await planned(one + 30 * minute, { from: 0 })).toEqual(['20T13'])
  })

  test('continues from the first hour that is not done, after a pause of any length', async () => {
    let at = one + 30 * minute
    await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    expect(await planned(one + 4 * hour)).toEqual(['20T13', '20T14', '20T15', '20T16'])
    at = one + 3 * hour
    const { failures } = await follow(
      lake,
      bareFeed(everyTen, () => at),
      at,
    )
    expect(failures).toEqual([])
    expect(await planned(at + minute)).toEqual(['20T15'])
    // A hole in the middle, as a process leaves it that was killed.
    const unit = 'polymarket_feed/polymarket/2026-11-20T14'
    await commitUnits(lake.catalog, { units: [unit], files: [], coverage: [] })
    expect(await planned(one + 4 * hour)).toEqual(['20T14', '20T15', '20T16'])
  })

  test('goes back three days', async () => {
    const first = Date.UTC(2026, 9, 30, 23) * 1000
    await cover(first, 'head', { to: first + 30 * minute })
    const begins = async (at: Micros) => (await planned(at))[0]
    expect(await begins(first + 70 * hour)).toBe('30T23')
    expect(await begins(first + 73 * hour)).toBe('31T00')
  })

  test('of an interval is its hours', async () => {
    const at = one + 30 * minute
    expect(await planned(at, { from: one - 90 * minute, to: one + 9 * hour })).toEqual(['20T11', '20T12', '20T13'])
    expect(await planned(at, { from: one - 2 * hour, to: one })).toEqual(['20T11', '20T12'])
    expect(await planned(at, { from: one + hour, to: one + 2 * hour })).toEqual([])
  })
})

describe('the instant from which the feed is complete', () => {
  const from = (at: Micros) => lake.read((reader) => followedFrom(reader, at))
  const at = one + 4 * hour + 30 * minute

  test('is the start of its first hour, after the next hour is shown; there is none without a feed', async () => {
    expect(await from(at)).toBeNull()
    await cover(one, 'head', { to: one + 20 * minute })
    expect(await from(one + hour + 5 * minute)).toBeNull()
    expect(await from(one + hour + 5 * minute + second)).toBe(one)
    expect(await from(at)).toBe(one)
  })

  test('stays where hours are still to be read, in whatever order they come', async () => {
    await cover(one, 'done')
    await cover(one + 3 * hour, 'head')
    expect(await from(at)).toBe(one)
    await cover(one + 2 * hour, 'head')
    expect(await from(at)).toBe(one)
  })

  test('moves behind an hour of which a part was not read, from the next instant on', async () => {
    await cover(one, 'done')
    await cover(one + hour, 'unverified', { proof: undefined, reason: 'a gap', checkedAt: at })
    await cover(one + 2 * hour, 'done')
    expect(await from(at)).toBe(one)
    expect(await from(at + minute)).toBe(one + 2 * hour)
    await cover(one + 2 * hour, 'unavailable', { proof: undefined })
    expect(await from(at + minute)).toBe(one + 3 * hour)
  })

  test('is not delayed by rejected rows or unknown takers', async () => {
    await cover(one, 'done')
    await cover(one + hour, 'quarantined')
    await cover(one + 2 * hour, 'unverified', { reason: 'roles are unknown' })
    expect(await from(at)).toBe(one)
  })

  test('moves to where a follow reads back to after a longer pause, and stays there', async () => {
    await cover(one, 'done')
    const again = one + 100 * hour
    await cover(again, 'head')
    const backTo = again + 30 * minute - ((again + 30 * minute) % hour) - 72 * hour
    expect(await from(again + 30 * minute)).toBeNull()
    await cover(again - hour, 'done')
    expect(await from(again + 30 * minute)).toBe(backTo)
    for (let hours = 72; hours > 1; hours--) await cover(again - hours * hour, 'done')
    expect(await from(again + 30 * minute)).toBe(backTo)
    expect(await from(again + 20 * hour)).toBe(backTo)
  })

  test('is absent after the feed is no longer followed', async () => {
    await cover(one, 'done')
    expect(await from(one + 73 * hour)).toBe(one)
    expect(await from(one + 74 * hour)).toBeNull()
  })
})
