import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { createSlots } from '#engine/slots.ts'

const never = new AbortController().signal

/** Work of named owners that ends when the test says so. */
function bench(most: number) {
  const slots = createSlots(most)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const progress = new Map<string, () => void>()
  const begin = (name: string, cancelled = never): Promise<string> =>
    slots.run(name.slice(0, 1), cancelled, async (progressed) => {
      begun.push(name)
      progress.set(name, progressed)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { begin, begun, end, progress }
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('slots', () => {
  test('let so much work run at once, and no more', async () => {
    const { begin, begun, end } = bench(2)
    const work = ['a1', 'b1', 'c1', 'd1'].map((name) => begin(name))
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['a1', 'b1'])
    await end('b1')
    expect(begun).toEqual(['a1', 'b1', 'c1'])
    await end('a1')
    await end('c1')
    await end('d1')
    expect(await Promise.all(work)).toEqual(['a1', 'b1', 'c1', 'd1'])
  })

  test('are given to the owner with the least running work, then to the owner served longest ago', async () => {
    const { begin, begun, end } = bench(2)
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) void begin(name)
    await vi.advanceTimersByTimeAsync(0)
    for (const name of ['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4']) await end(name)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4'])
  })

  test('are freed by work that fails', async () => {
    const slots = createSlots(1)
    await expect(slots.run('a', never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await slots.run('b', never, async () => 'done')).toBe('done')
  })

  test('are not held by work that hangs: once it reports no progress for a minute, other work runs beside it', async () => {
    const { begin, begun, end, progress } = bench(1)
    void begin('a1')
    void begin('b1')
    await vi.advanceTimersByTimeAsync(59_000)
    progress.get('a1')?.()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(begun).toEqual(['a1'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(begun).toEqual(['a1', 'b1'])
    // Its end frees no second slot.
    await end('a1')
    void begin('c1')
    void begin('d1')
    await end('b1')
    expect(begun).toEqual(['a1', 'b1', 'c1'])
  })

  test('are not waited for by work that was cancelled', async () => {
    const { begin, begun, end } = bench(1)
    const stop = new AbortController()
    void begin('a1')
    const outcome = begin('b1', stop.signal).catch((error: unknown) => error)
    void begin('c1')
    await vi.advanceTimersByTimeAsync(0)
    stop.abort(new Error('enough'))
    expect(await outcome).toEqual(new Error('enough'))
    await end('a1')
    expect(begun).toEqual(['a1', 'c1'])
    await expect(begin('b2', stop.signal)).rejects.toThrow('enough')
  })
})
