import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, test, vi } from 'vitest'

import { exposeSources, keepWatching } from '#bin/report/source_metrics.ts'
import type { Lake } from '#lake/lake.ts'

afterEach(() => void vi.useRealTimers())

test('an update that takes longer than the interval takes the place of the next ones', async () => {
  vi.useFakeTimers()
  const waiting: (() => void)[] = []
  const read = (): Promise<never[]> => new Promise((resolve) => waiting.push(() => resolve([])))
  const end = keepWatching({ read } as unknown as Lake, {
    show: exposeSources(new Registry()),
    log: pino({ level: 'silent' }),
  })
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(waiting).toHaveLength(1)
  waiting[0]?.()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(waiting).toHaveLength(2)
  let isEnded = false
  const ended = end().then(() => (isEnded = true))
  await vi.advanceTimersByTimeAsync(60_000)
  expect([waiting.length, isEnded]).toEqual([2, false])
  waiting[1]?.()
  await ended
})
