import { describe, expect, test } from 'vitest'

import { createActivities, findSource } from '#activities/index.ts'
import { plan } from '#ingest/plan.ts'
import type { PlanContext } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { storeFailure, storeUnit, type UnitContents } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import type { Micros } from '#time.ts'

import { noNetwork, second, tinySource, tinyTools, unitOf } from './tiny.ts'

const day = 86_400 * second
const unit = unitOf('0xa')

const cover = (lake: Lake, of: Unit, more: Partial<UnitContents>) =>
  storeUnit(lake, of, {
    rows: { quotes: [], markets: [] },
    rejected: [],
    precedence: 5,
    state: 'done',
    to: null,
    asked: [],
    checkedAt: noon,
    ...more,
  })

const due = async (lake: Lake, at: Micros, units: readonly Unit[] = [unit], keys: string[] = []): Promise<string[]> => {
  const source = tinySource({ plan: async () => [...units] })
  const found = await lake.read((reader) =>
    plan(source, { source: source.name, at, from: 0, to: at, keys }, { lake: reader, get: noNetwork }),
  )
  return found.units.map(({ key }) => key)
}

describe('a unit is due', () => {
  test('when it was never read, and when it could not be read', async () => {
    const lake = await newLake()
    expect(await due(lake, noon)).toEqual(['0xa'])
    const failure = { datasets: ['quotes', 'markets'] as const, precedence: 5, reason: 'x', asked: [], checkedAt: noon }
    await storeFailure(lake, unit, failure)
    expect(await due(lake, noon)).toEqual(['0xa'])
  })

  test('no more after it is done, unless the lake has rows that it lacks', async () => {
    const lake = await newLake()
    await cover(lake, unit, { state: 'done' })
    expect(await due(lake, noon + 1_000 * day)).toEqual([])
    expect(await due(lake, noon, [unit], ['0xa'])).toEqual([])
    expect(await due(lake, noon, [{ ...unit, forceRefresh: true }])).toEqual(['0xa'])
  })

  test('in any state, in a refresh', async () => {
    const lake = await newLake()
    const refreshed = async () => {
      const source = tinySource({ plan: async () => [unit] })
      const request = { source: source.name, at: noon, from: 0, to: noon, keys: [], refresh: true }
      const found = await lake.read((reader) => plan(source, request, { lake: reader, get: noNetwork }))
      return found.units.map(({ key }) => key)
    }
    for (const state of ['done', 'head', 'unavailable', 'unverified', 'quarantined'] as const) {
      await cover(lake, unit, { state, to: noon })
      expect(await refreshed(), state).toEqual(['0xa'])
    }
  })

  test('as a head when the upstream shows more than was read: later than it reaches, less the lag of a minute', async () => {
    const lake = await newLake()
    await cover(lake, unit, { state: 'head', to: noon })
    expect(await due(lake, noon)).toEqual([])
    expect(await due(lake, noon + 60 * second)).toEqual([])
    expect(await due(lake, noon + 61 * second)).toEqual(['0xa'])
    await cover(lake, unit, { state: 'head', to: null })
    expect(await due(lake, noon)).toEqual(['0xa'])
  })

  test('like a head when the upstream may cut it off and it is open, once more when it has ended, or by name', async () => {
    const lake = await newLake()
    await cover(lake, unit, { state: 'unverified', to: noon })
    expect(await due(lake, noon + 60 * second)).toEqual([])
    expect(await due(lake, noon + 61 * second)).toEqual(['0xa'])
    expect(await due(lake, noon, [unit], ['0xa'])).toEqual(['0xa'])
    // The unit settles an hour after its end.
    const ended = { ...unit, to: noon - 3_599 * second }
    expect(await due(lake, noon + second, [ended])).toEqual(['0xa'])
    await cover(lake, ended, { state: 'unverified', to: noon, checkedAt: noon + second })
    expect(await due(lake, noon + day, [ended])).toEqual([])
    expect(await due(lake, noon + day, [ended], ['0xa'])).toEqual(['0xa'])
  })

  test('again after a day and then after twice its age, when it was cut off and has ended', async () => {
    const lake = await newLake()
    const ended = { ...unit, to: noon - 7_200 * second }
    await cover(lake, ended, { state: 'unverified', to: noon, checkedAt: noon })
    const readings: number[] = []
    for (let days = 1; days <= 40; days += 1) {
      const at = noon + days * day + second
      if ((await due(lake, at, [ended])).length === 0) continue
      readings.push(days)
      await cover(lake, ended, { state: 'unverified', to: noon, checkedAt: at })
    }
    expect(readings).toEqual([1, 3, 7, 15, 31])
    // A unit of long ago is not asked again and again from its first reading on.
    const old = { ...unitOf('0xb'), to: noon - 400 * day }
    await cover(lake, old, { state: 'unverified', to: noon, checkedAt: noon })
    expect(await due(lake, noon + 399 * day, [old])).toEqual([])
    expect(await due(lake, noon + 401 * day, [old])).toEqual(['0xb'])
  })

  test('when rows of it did not parse: like a head while it is open, once a day when it has ended', async () => {
    const lake = await newLake()
    await cover(lake, unit, { state: 'quarantined', to: noon })
    expect(await due(lake, noon + 60 * second)).toEqual([])
    expect(await due(lake, noon + 61 * second)).toEqual(['0xa'])
    const ended = { ...unit, to: noon - 3_600 * second }
    expect(await due(lake, noon + day, [ended])).toEqual([])
    expect(await due(lake, noon + day + second, [ended])).toEqual(['0xa'])
    expect(await due(lake, noon, [ended], ['0xa'])).toEqual(['0xa'])
  })

  test('at once, when rows of a unit did not parse and its last reading was before its end', async () => {
    const lake = await newLake()
    const ended = { ...unit, to: noon - 7_200 * second }
    await cover(lake, ended, { state: 'quarantined', to: noon - 7_201 * second })
    expect(await due(lake, noon, [ended])).toEqual(['0xa'])
    await cover(lake, ended, { state: 'quarantined', to: noon - 7_200 * second })
    expect(await due(lake, noon, [ended])).toEqual([])
  })

  test('when a unit that the upstream does not have is requested by name, or once a day, also after its end', async () => {
    const lake = await newLake()
    await cover(lake, unit, { state: 'unavailable' })
    const ended = { ...unit, to: noon - 3_600 * second }
    expect(await due(lake, noon + day, [ended])).toEqual([])
    expect(await due(lake, noon + day + second, [ended])).toEqual(['0xa'])
    expect(await due(lake, noon, [ended], ['0xa'])).toEqual(['0xa'])
    expect(await due(lake, noon + day)).toEqual([])
    expect(await due(lake, noon + day + second)).toEqual(['0xa'])
  })

  test('by its own coverage: neither by that of another unit nor by that of another source', async () => {
    const lake = await newLake()
    await cover(lake, unitOf('0xb'), {})
    await cover(lake, { ...unit, source: 'other_quotes' }, {})
    expect(await due(lake, noon, [unit, unitOf('0xb'), unitOf('0xc')])).toEqual(
      ['0xa', '0xc'].toSorted((a, b) => (unitPath(unitOf(a)) < unitPath(unitOf(b)) ? -1 : 1)),
    )
  })
})

describe('the activities', () => {
  const keys = Array.from({ length: 57 }, (_, n) => `0x${n}`)
  const paths = keys.map((key) => unitPath(unitOf(key))).toSorted()

  async function activitiesOf(lake: Lake, clock: Micros) {
    const contexts: Omit<PlanContext, 'lake'>[] = []
    const source = tinySource({
      plan: async ({ lake: _, ...context }) => {
        contexts.push(context)
        return keys.map((key) => unitOf(key))
      },
    })
    const activities = createActivities(tinyTools(lake, source, clock))
    return { activities, contexts }
  }

  test('name the instant of a run on the grid of its source', async () => {
    const lake = await newLake()
    const { activities } = await activitiesOf(lake, noon + 59_999_999)
    expect(await activities.instant('venue_quotes')).toBe(noon)
    expect(await (await activitiesOf(lake, noon + 60_000_000)).activities.instant('venue_quotes')).toBe(
      noon + 60_000_000,
    )
  })

  test('plan page by page, in the order of paths, without units that were done in between', async () => {
    const lake = await newLake()
    const { activities, contexts } = await activitiesOf(lake, noon)
    const request = { source: 'venue_quotes', at: noon, from: 1, to: 2, keys: ['0xa'], limit: 20 }
    const seen: string[] = []
    const dues: number[] = []
    for (let after = ''; ;) {
      const { units, last, due: left } = await activities.plan({ ...request, after })
      dues.push(left)
      if (units.length === 0) {
        expect(last).toBe(after)
        break
      }
      expect(last).toBe(unitPath(units.at(-1) ?? unit))
      seen.push(...units.map(unitPath))
      for (const one of units) await cover(lake, one, {})
      after = last
    }
    expect(seen).toEqual(paths)
    expect(dues).toEqual([57, 37, 17, 0])
    for (const context of contexts) expect(context).toMatchObject({ at: noon, from: 1, to: 2, keys: ['0xa'] })
  })

  test('know their sources by name', async () => {
    const { activities } = await activitiesOf(await newLake(), noon)
    const unknown = 'source venue_fills: unknown; expected one of venue_quotes'
    await expect(activities.instant('venue_fills')).rejects.toThrow(unknown)
    expect(() => findSource([tinySource()], 'venue_fills')).toThrow(unknown)
  })
})

test('a source is refused with a name that cannot be a folder and a heading, or with blocks but no watermark', () => {
  expect(() => tinySource({ name: 'Venue Quotes' })).toThrow('source name Venue Quotes: invalid; expected snake_case')
  expect(() => tinySource({ unit: 'blocks' })).toThrow(
    'source venue_quotes: no watermark; expected one for units of blocks',
  )
})

describe('a plan reads the coverage', () => {
  /** The path prefixes that a plan of so many units reads. */
  const readBy = async (n: number): Promise<unknown[]> => {
    const asked: unknown[] = []
    const query: LakeReader['query'] = async (_sql, _row, _values, only) => {
      asked.push(only)
      return []
    }
    const units = Array.from({ length: n }, (_, key) => unitOf(String(key)))
    const source = tinySource({ plan: async () => units })
    const request = { source: source.name, at: noon, from: 0, to: noon, keys: [] }
    const found = await plan(source, request, { lake: { query }, get: noNetwork })
    expect(found.units).toHaveLength(n)
    return asked
  }

  test('of nothing where its sources plan nothing', async () => {
    expect(await readBy(0)).toEqual([])
  })

  test('of a few units alone, and of many with all of their part', async () => {
    expect(await readBy(2)).toEqual([{ coverage: [unitPath(unitOf('0')), unitPath(unitOf('1'))] }])
    expect(await readBy(51)).toEqual([{ coverage: ['venue_quotes/venue/'] }])
  })
})
