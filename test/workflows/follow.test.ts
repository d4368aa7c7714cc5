import { describe, expect, test } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { startWorkflow } from '#engine'
import type { Unit } from '#lake/units/unit.ts'
import { eventually } from '#test/run/eventually.ts'
import { pause, resume } from '#workflows/control.ts'
import { follow } from '#workflows/follow.ts'
import type { FollowRequest } from '#workflows/follow_state.ts'

const request: FollowRequest = {
  group: 'live',
  part: 'venue',
  sources: ['feed', 'odds'],
  from: 5,
}
const step = 60

const unit = (source: string, n: number): Unit => ({
  source,
  kind: 'history',
  part: 'venue',
  key: String(n).padStart(5, '0'),
  from: 0,
  to: null,
  params: [],
})

/** A world whose clock is stepped by the test. At each instant a source has as many units as `unitsOf` says. */
function world(unitsOf: (source: string, at: number) => number = () => 1) {
  const said: string[] = []
  let now = step
  const activities: Pick<Activities, 'tick' | 'plan' | 'pull'> = {
    tick: async ({ sources, reached }) => ({
      due: sources.filter((source) => (reached[source] ?? -1) < now).map((source) => ({ source, at: now })),
      wait_ms: 1,
    }),
    plan: async ({ source, part, at, to, from, includeOpen, after, limit }) => {
      expect({ part, to, from, includeOpen }).toEqual({ part: 'venue', to: at, from: 5, includeOpen: true })
      said.push(`plan ${source} ${at}`)
      const all = Array.from({ length: unitsOf(source, at) }, (_, n) => unit(source, n))
      const left = all.filter(({ key }) => key > after)
      const units = left.slice(0, limit)
      return { units, last: units.at(-1)?.key ?? after, due: left.length }
    },
    pull: async ({ units, at }) => {
      said.push(`pull ${units[0]?.source} ${at} ${units[0]?.key}+${units.length - 1}`)
      return { units: units.length, rows: 2, quarantined: 0, bytes: 3, failed: 0, failures: [] }
    },
  }
  const set = (at: number): void => {
    now = at
  }
  return { activities, said, set }
}

/** Starts a follow; it ends with the test's cancel. */
function start(activities: object, of = request) {
  const handle = startWorkflow(follow, { args: [of], activities })
  const end = async (): Promise<void> => {
    handle.cancel()
    await expect(handle.result).rejects.toThrow('cancelled')
  }
  return { handle, end }
}

describe('a follow', () => {
  test('reads its sources in their order at each instant that comes', async () => {
    const { activities, said, set } = world()
    const { end } = start(activities)
    await eventually(() => expect(said).toHaveLength(4))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(said).toEqual(['plan feed 60', 'pull feed 60 00000+0', 'plan odds 60', 'pull odds 60 00000+0'])
    set(180)
    await eventually(() => expect(said.at(-1)).toBe('pull odds 180 00000+0'))
    expect(said.slice(4)).toEqual(said.slice(0, 4).map((what) => what.replace('60', '180')))
    await end()
  })

  test('reads a round of many units page by page, and begins no other before it is through', async () => {
    const { activities, said, set } = world((source, at) => (source === 'feed' && at === 60 ? 4_000 : 0))
    const { end } = start(activities)
    await eventually(() => expect(said.length).toBeGreaterThan(10))
    set(120)
    await eventually(() => expect(said).toContain('plan odds 120'))
    const plans = said.filter((what) => !what.startsWith('pull'))
    const rounds = [
      ['plan feed 60', 'plan feed 60', 'plan feed 60', 'plan odds 60'],
      ['plan feed 120', 'plan odds 120'],
    ]
    expect(plans).toEqual(rounds.flat())
    expect(new Set(said.filter((what) => what.startsWith('pull'))).size).toBe(4_000 / 25)
    await end()
  })

  test('shows a failed unit of any page of a round, until a round without one', async () => {
    const { activities, set } = world((source, at) => (source === 'feed' && at === 60 ? 2_000 : 0))
    const failures = [{ unit: 'feed/venue/x', reason: 'answered 500' }]
    const pull: Activities['pull'] = async (batch) => {
      const tally = await activities.pull(batch)
      return batch.units[0]?.key === '00000' ? { ...tally, units: 24, failed: 1, failures } : tally
    }
    const { handle, end } = start({ ...activities, pull })
    const shown = () => handle.query<[], { rounds: number; fault: string | null }>({ name: 'progress' })
    await eventually(() => expect(shown()).toMatchObject({ rounds: 1, fault: 'feed/venue/x: answered 500' }))
    set(120)
    await eventually(() => expect(shown()).toMatchObject({ rounds: 2, fault: null }))
    await end()
  })

  test('counts the rounds of each source in which more units failed than were read, over all pages', async () => {
    const { activities, set } = world((source, at) => (source === 'feed' && at < 180 ? 2_000 : 1))
    let failing: unknown
    const failures = [{ unit: 'feed/venue/x', reason: 'answered 403' }]
    const tick: Activities['tick'] = async (request) => {
      ;({ failing } = request)
      expect(request.part).toBe('venue')
      return activities.tick(request)
    }
    const pull: Activities['pull'] = async (batch) => {
      const tally = await activities.pull(batch)
      const isBad = batch.units[0]?.source === 'feed' && batch.at < 180 && batch.units[0].key < '01950'
      return isBad ? { ...tally, units: 0, failed: batch.units.length, failures } : tally
    }
    const { end } = start({ ...activities, tick, pull })
    await eventually(() => expect(failing).toEqual({ feed: { rounds: 1, fault: 'answered 403' } }))
    set(120)
    await eventually(() => expect(failing).toEqual({ feed: { rounds: 2, fault: 'answered 403' } }))
    set(180)
    await eventually(() => expect(failing).toEqual({}))
    await end()
  })

  test('continues as a new run at its position', async () => {
    const { activities, said, set } = world()
    const { handle, end } = start(activities)
    for (let round = 1; round <= 120; round++) {
      set(round * step)
      await eventually(() => expect(said.at(-1)).toBe(`pull odds ${round * step} 00000+0`), 1)
    }
    await eventually(() =>
      expect(handle.query({ name: 'progress' })).toMatchObject({
        rounds: 120,
        rows: 480,
        reached: { feed: 120 * step, odds: 120 * step },
      }),
    )
    expect(said).toHaveLength(120 * 4)
    await end()
  })

  test('stands still while it is paused', async () => {
    const { activities, said, set } = world()
    const { handle, end } = start(activities)
    await eventually(() => expect(said.at(-1)).toBe('pull odds 60 00000+0'))
    handle.signal(pause)
    await new Promise((resolve) => setTimeout(resolve, 10))
    set(120)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(said.at(-1)).toBe('pull odds 60 00000+0')
    handle.signal(resume)
    await eventually(() => expect(said.at(-1)).toBe('pull odds 120 00000+0'))
    await end()
  })
})
