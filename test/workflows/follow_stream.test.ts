import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { startWorkflow } from '#engine'
import { pause, resume } from '#workflows/control.ts'
import { follow } from '#workflows/follow.ts'
import type { Following, FollowRequest } from '#workflows/follow_state.ts'

const request: FollowRequest = {
  group: 'posts',
  part: 'feed',
  sources: ['feed_posts'],
  from: 0,
  isStream: true,
}
const minute_ms = 60_000

/** Starts the follow of a stream whose calls take five minutes. */
function start(call: () => void = () => undefined, silence: () => string | null = () => null) {
  const called: unknown[] = []
  const activities: Pick<Activities, 'instant' | 'stream'> = {
    instant: async () => Date.now() * 1000,
    stream: async (of) => {
      called.push(of)
      call()
      await new Promise((resolve) => setTimeout(resolve, 5 * minute_ms))
      return { units: 1, rows: 10, cursor: 'x', silence: silence() }
    },
  }
  const run = startWorkflow(follow, { args: [request], activities })
  run.result.catch(() => undefined)
  return { called, run, state: () => run.query<[], Following>({ name: 'progress' }) }
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})

afterEach(() => {
  vi.useRealTimers()
})

test('a stream is read call after call, for as long as it is followed', async () => {
  const { called, run, state } = start()
  await vi.advanceTimersByTimeAsync(24 * 60 * minute_ms + 1_000)
  expect(called).toHaveLength(289)
  expect(called[0]).toEqual({ source: 'feed_posts', part: 'feed', reached: {}, failing: {} })
  expect(state()).toMatchObject({ rounds: 288, units: 288, rows: 2_880, fault: null })
  expect(state()?.reached).toEqual({ feed_posts: 24 * 60 * minute_ms * 1000 })
  run.cancel()
})

test('a failed stream is read again after growing pauses, and shows its fault until then', async () => {
  let isBroken = true
  const { called, run, state } = start(() => {
    if (isBroken) throw new Error('no route')
  })
  await vi.advanceTimersByTimeAsync(60 * minute_ms)
  expect(state()).toMatchObject({ rounds: 0, fault: 'feed_posts: no route' })
  expect(called.length).toBeLessThan(40)
  expect(called.at(-1)).toMatchObject({ failing: { feed_posts: { fault: 'no route' } } })
  isBroken = false
  await vi.advanceTimersByTimeAsync(11 * minute_ms)
  expect(state()).toMatchObject({ fault: null, failedRounds: 0 })
  expect(state()?.rounds).toBeGreaterThan(0)
  run.cancel()
})

test('a stream without messages counts its silent calls, until it has messages again', async () => {
  let silence: string | null = 'no messages yet'
  const { called, run, state } = start(undefined, () => silence)
  await vi.advanceTimersByTimeAsync(16 * minute_ms)
  expect(state()).toMatchObject({ rounds: 3, fault: 'feed_posts: no messages yet', failedRounds: 0 })
  expect(called.at(-1)).toMatchObject({ failing: { feed_posts: { rounds: 3, fault: 'no messages yet' } } })
  silence = null
  await vi.advanceTimersByTimeAsync(10 * minute_ms)
  expect(called.at(-1)).toMatchObject({ failing: {} })
  run.cancel()
})

test('a stream that is paused is not read again after the current call', async () => {
  const { called, run, state } = start()
  await vi.advanceTimersByTimeAsync(minute_ms)
  run.signal(pause)
  await vi.advanceTimersByTimeAsync(30 * minute_ms)
  expect(called).toHaveLength(1)
  run.signal(resume)
  await vi.advanceTimersByTimeAsync(6 * minute_ms)
  expect(state()).toMatchObject({ rounds: 2, isPaused: false })
  run.cancel()
})
