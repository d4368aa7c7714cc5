import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { startWorkflow, type WorkflowHandle } from '#engine'
import { createSlots } from '#engine/slots.ts'
import { nextDue } from '#ingest/next_due.ts'
import { tinySource, unitOf } from '#test/ingest/tiny.ts'
import { follow } from '#workflows/follow.ts'
import type { Following } from '#workflows/follow_state.ts'

const minute_ms = 60_000
const sources = [tinySource({ name: 'venue_quotes', grid_s: 60 })]

/** Units that were read in 24 hours and so on are of no interest here: each part has one unit at each instant. */
const tally = { units: 1, rows: 1, quarantined: 0, bytes: 1, failed: 0, failures: [] }

/** Plans by part, at the instants of the fake clock. */
function upstream(pull: Activities['pull'], planOf: (part: string) => void = () => undefined) {
  const plans: string[] = []
  const activities: Pick<Activities, 'tick' | 'plan' | 'pull'> = {
    tick: async ({ reached }) => nextDue(sources, reached, { now: Date.now() * 1000, speed: 1 }),
    plan: async ({ part = '', after }) => {
      plans.push(part)
      planOf(part)
      return { units: [unitOf(part, { part })], last: after, due: 1 }
    },
    pull,
  }
  return { activities, plans }
}

/** Follows parts side by side, sharing few slots, as one process does. */
function followAll(parts: readonly string[], activities: object) {
  const slots = { pull: createSlots(2), plan: createSlots(1) }
  const runs = new Map<string, WorkflowHandle<never>>()
  for (const part of parts) {
    const args: Parameters<typeof follow> = [{ group: 'quotes', part, sources: ['venue_quotes'], from: 0 }]
    const run = startWorkflow(follow, { id: `follow-${part}-quotes`, args, activities, slots })
    run.result.catch(() => undefined)
    runs.set(part, run)
  }
  const state = (part: string): Following => {
    const found = runs.get(part)?.query<[], Following>({ name: 'progress' })
    if (found === undefined) throw new Error(`${part} does not run`)
    return found
  }
  return { state, end: () => runs.forEach((run) => run.cancel()) }
}

const healthy = Array.from({ length: 20 }, (_, n) => `part${n}`)

beforeEach(() => {
  vi.useFakeTimers({ now: minute_ms })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('parts that are followed side by side', () => {
  test('keep their pace beside parts whose pull hangs for ever', async () => {
    const hanging = ['hung0', 'hung1', 'hung2']
    const { activities } = upstream(async ({ units: [unit] }) => {
      if (hanging.includes(unit?.part ?? '')) await new Promise(() => undefined)
      return tally
    })
    const { state, end } = followAll([...hanging, ...healthy], activities)
    // Each pair of them holds all slots for a minute.
    await vi.advanceTimersByTimeAsync(4 * minute_ms)
    const before = healthy.map((part) => state(part).rounds)
    await vi.advanceTimersByTimeAsync(10 * minute_ms)
    expect(healthy.map((part, n) => state(part).rounds - (before[n] ?? 0))).toEqual(healthy.map(() => 10))
    for (const part of healthy) expect(state(part)).toMatchObject({ fault: null, failedRounds: 0 })
    for (const part of hanging) expect(state(part)).toMatchObject({ rounds: 0, reached: {} })
    end()
  })

  test('keep their pace beside a part that fails always, which rests longer and longer and shows its fault', async () => {
    const { activities, plans } = upstream(
      async () => tally,
      (part) => {
        if (part === 'broken') throw new Error('no such block')
      },
    )
    const { state, end } = followAll(['broken', ...healthy], activities)
    await vi.advanceTimersByTimeAsync(60 * minute_ms)
    for (const part of healthy) expect(state(part)).toMatchObject({ rounds: 61, fault: null })
    const { failedRounds, fault, rounds } = state('broken')
    expect({ fault, rounds }).toEqual({ fault: 'venue_quotes: no such block', rounds: 0 })
    // Five pauses lead up to five minutes, and each round makes ten attempts, 15 seconds in all.
    expect(failedRounds).toBeGreaterThanOrEqual(14)
    expect(failedRounds).toBeLessThanOrEqual(17)
    expect(plans.filter((part) => part === 'broken')).toHaveLength(failedRounds * 10)
    end()
  })

  test('continue without a fault after a successful round', async () => {
    let isBroken = true
    const { activities } = upstream(
      async () => tally,
      () => {
        if (isBroken) throw new Error('no such block')
      },
    )
    const { state, end } = followAll(['part'], activities)
    await vi.advanceTimersByTimeAsync(minute_ms)
    expect(state('part').failedRounds).toBeGreaterThan(1)
    isBroken = false
    await vi.advanceTimersByTimeAsync(5 * minute_ms)
    expect(state('part')).toMatchObject({ failedRounds: 0, fault: null })
    expect(state('part').rounds).toBeGreaterThan(1)
    end()
  })

  test('show the units that could not be read', async () => {
    const failures = [{ unit: 'venue_quotes/part/x', reason: 'answered 500' }]
    const { activities } = upstream(async () => ({ ...tally, units: 0, failed: 1, failures }))
    const { state, end } = followAll(['part'], activities)
    await vi.advanceTimersByTimeAsync(minute_ms)
    expect(state('part')).toMatchObject({ failedRounds: 0, fault: 'venue_quotes/part/x: answered 500' })
    end()
  })

  test('poll the clock twice a round, whatever its length', async () => {
    const { activities } = upstream(async () => tally)
    const tick = vi.fn(activities.tick)
    const { state, end } = followAll(['part'], { ...activities, tick })
    await vi.advanceTimersByTimeAsync(10 * minute_ms)
    expect(state('part').rounds).toBe(11)
    expect(tick.mock.calls.length).toBeLessThanOrEqual(22)
    end()
  })
})
