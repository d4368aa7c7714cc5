import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lookEvery } from '#bin/report/look_every.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a slow look takes the place of the next ones, an error is told, and the end waits', async () => {
  const ends: (() => void)[] = []
  const errors: unknown[] = []
  const look = (): Promise<void> =>
    new Promise((resolve, reject) => void ends.push(ends.length === 0 ? () => reject(new Error('first')) : resolve))
  const looks = lookEvery(1_000, look, (error) => void errors.push(String(error)))
  looks.now()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([ends.length, errors]).toEqual([2, ['Error: first']])
  let isEnded = false
  const ended = looks.end().then(() => (isEnded = true))
  await vi.advanceTimersByTimeAsync(5_000)
  expect([ends.length, isEnded]).toEqual([2, false])
  ends[1]?.()
  await ended
})
