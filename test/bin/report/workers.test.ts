import { afterEach, expect, test, vi } from 'vitest'

import { watchWorkers } from '#bin/report/workers.ts'

afterEach(() => void vi.useRealTimers())

test('a queue without a worker is reported once, and again when a worker serves it', async () => {
  vi.useFakeTimers()
  const state: { queue: string | null; isDown: boolean } = { queue: null, isDown: false }
  const lines: string[] = []
  const unservedQueue = async (): Promise<string | null> => {
    if (state.isDown) throw new Error('no response')
    return state.queue
  }
  const end = watchWorkers({ unservedQueue }, 'ingest', {
    output: { write: (text) => void lines.push(text) },
    pause_ms: 10,
  })
  await vi.advanceTimersByTimeAsync(30)
  expect(lines).toEqual([])
  state.queue = 'tapeline'
  await vi.advanceTimersByTimeAsync(50)
  const unserved =
    'task queue tapeline: no worker serves it, and its runs wait; expected `tapeline worker` with the same home\n'
  expect(lines).toEqual([unserved])
  state.isDown = true
  await vi.advanceTimersByTimeAsync(50)
  Object.assign(state, { queue: null, isDown: false })
  await vi.advanceTimersByTimeAsync(50)
  expect(lines).toEqual([unserved, 'task queue tapeline: a worker serves it again\n'])
  await end()
  state.queue = 'tapeline'
  await vi.advanceTimersByTimeAsync(50)
  expect(lines).toHaveLength(2)
})
