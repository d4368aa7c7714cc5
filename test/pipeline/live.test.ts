import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { watchLive, type Watched } from './watch.ts'

const speed = 60

/** But in the long form the world begins twenty minutes before the end of a busy hour. */
const busy = { seed: 1, scale: 0.04, ahead_s: 6 * 3_600 + 40 * 60 }
const world = sized(busy, busy, { seed: 11, scale: 0.4, ahead_s: 0 })

describe('a simulated world, followed at sixty times its speed beside readers', () => {
  let home: string
  let watched: Watched
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-live-'))
    watched = await watchLive({ home, ...world, speed, watch_s: sized(5, 10, 90), readers: sized(10, 50) })
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  test('has every fill in the lake once', () => {
    expect(watched.lacking).toEqual([])
    expect(watched.doubled).toEqual([])
    expect(watched.n_fills).toBeGreaterThan(20)
  })

  test('serves the odds of the venue at the instant that it names', () => {
    expect(watched.wrongOdds).toEqual([])
    expect(watched.n_odds).toBeGreaterThan(sized(20, 25, 100))
    expect(watched.n_snapshots).toBeGreaterThan(3)
  })

  test('gives no reader a wrong or missing row while small files are joined and removed', () => {
    expect(watched.faults).toEqual([])
    expect(watched.n_answers).toBeGreaterThan(sized(50, 100, 500))
    expect(watched.n_looks).toBeGreaterThan(sized(2, 2, 5))
    expect(watched.joined).toBeGreaterThan(0)
    expect(watched.deleted).toBeGreaterThan(0)
  })

  test('shows a unit that came late, inside a range that was joined, at once and for good', () => {
    expect(watched.isLateSeen).toEqual([true, true])
  })
})
