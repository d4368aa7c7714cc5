import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { nextDue } from '#ingest/next_due.ts'

import { tinySource } from './tiny.ts'

const minute = 60_000_000
const every = (name: string, grid_s: number) => tinySource({ name, grid_s })
const sources = [every('fast', 60), every('slow', 300)]

describe('a tick', () => {
  test('names the instants of each grid that have come', () => {
    expect(nextDue(sources, {}, { now: 7 * minute + 5, speed: 1 }).due).toEqual([
      { source: 'fast', at: 7 * minute },
      { source: 'slow', at: 5 * minute },
    ])
    const reached = { fast: 7 * minute, slow: 5 * minute }
    expect(nextDue(sources, reached, { now: 9 * minute, speed: 1 }).due).toEqual([{ source: 'fast', at: 9 * minute }])
  })

  test('says how long the next one is off, in time of the machine, and at most an hour', () => {
    const reached = { fast: 7 * minute, slow: 5 * minute }
    expect(nextDue(sources, reached, { now: 8 * minute - 3_000_000, speed: 1 })).toEqual({ due: [], wait_ms: 3_000 })
    expect(nextDue(sources, reached, { now: 7 * minute, speed: 60 })).toEqual({ due: [], wait_ms: 1_000 })
    expect(nextDue(sources, reached, { now: 7 * minute, speed: 1 }).wait_ms).toBe(60_000)
    const daily = [every('daily', 86_400)]
    expect(nextDue(daily, { daily: 0 }, { now: 7 * minute, speed: 1 }).wait_ms).toBe(3_600_000)
    // A clock that is stepped does not say when.
    expect(nextDue(sources, reached, { now: 7 * minute, speed: 1_000_000 }).wait_ms).toBe(50)
  })

  test('goes on after a clock that was ahead is set back, and waits out less than a step of its grid', () => {
    const years = 5 * 365 * 1_440 * minute
    const reached = { fast: years, slow: years }
    expect(nextDue(sources, reached, { now: 7 * minute, speed: 1 }).due).toEqual([
      { source: 'fast', at: 7 * minute },
      { source: 'slow', at: 5 * minute },
    ])
    const second = { fast: 7 * minute, slow: 5 * minute }
    expect(nextDue(sources, second, { now: 5 * minute - 1_000_000, speed: 1 }).due).toEqual([
      { source: 'fast', at: 4 * minute },
    ])
  })

  test('never names an instant twice, nor one that has not come', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 * minute }), { maxLength: 30 }), (steps) => {
        let now = 0
        const reached: Record<string, number> = {}
        for (const step of steps) {
          now += step
          for (const { source, at } of nextDue(sources, reached, { now, speed: 1 }).due) {
            expect(at).toBeGreaterThan(reached[source] ?? -1)
            expect(at).toBeLessThanOrEqual(now)
            reached[source] = at
          }
        }
      }),
    )
  })
})
