import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { withLease } from '#storage/lease.ts'
import { etagOf, type Storage } from '#storage/storage.ts'

const path = 'marts/lease.json'
let at_ms: number
const now = () => at_ms * 1000

/** A storage in memory: a lease asks for no more than these. */
function memory(): { storage: Storage; files: Map<string, Buffer> } {
  const files = new Map<string, Buffer>()
  const refuse = () => Promise.reject(new Error('a lease does not ask for this'))
  return {
    files,
    storage: {
      list: refuse,
      pin: refuse,
      put: refuse,
      has: refuse,
      modifiedAt: refuse,
      locate: String,
      get: async (name) => files.get(name),
      delete: async (name) => void files.delete(name),
      putIfMatch: async (name, body, etag) => {
        const stored = files.get(name)
        if ((stored === undefined ? null : etagOf(stored)) !== etag) return false
        files.set(name, body)
        return true
      },
    },
  }
}

/** Lets time pass, for timers and for the clock that is handed in. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(0)
  for (let left = ms; left > 0; left -= 1_000) {
    at_ms += 1_000
    await vi.advanceTimersByTimeAsync(1_000)
  }
}

/** Work that ends on a signal. */
function work() {
  let end = (): void => undefined
  const done = new Promise<string>((resolve) => {
    end = () => resolve('done')
  })
  return { run: () => done, end }
}

beforeEach(() => {
  at_ms = Date.UTC(2026, 10, 20)
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a lease', () => {
  test('lets one work at a time, and says for how long the other waits', async () => {
    const { storage, files } = memory()
    const first = work()
    const result = withLease(storage, path, now, first.run)
    await pass(4_000)
    await expect(withLease(storage, path, now, async () => 'never')).rejects.toThrow(
      'another process is building marts in this home; its lease runs for 26 s more',
    )
    first.end()
    expect(await result).toBe('done')
    expect(files.size).toBe(0)
    expect(await withLease(storage, path, now, async () => 'next')).toBe('next')
  })

  test('of 20 who ask at once is given to one', async () => {
    const { storage } = memory()
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => withLease(storage, path, now, () => vi.advanceTimersByTimeAsync(1_000))),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is renewed for as long as the work takes', async () => {
    const { storage } = memory()
    const first = work()
    const result = withLease(storage, path, now, first.run)
    await pass(10 * 60_000)
    await expect(withLease(storage, path, now, async () => 'never')).rejects.toThrow('its lease runs for')
    first.end()
    expect(await result).toBe('done')
  })

  test('of a process that died runs out', async () => {
    const { storage, files } = memory()
    files.set(path, Buffer.from(JSON.stringify({ owner: 'dead', expires_at: at_ms + 30_000 })))
    await pass(29_000)
    await expect(withLease(storage, path, now, async () => 'never')).rejects.toThrow('for 1 s more')
    await pass(1_000)
    expect(await withLease(storage, path, now, async () => 'mine')).toBe('mine')
    expect(files.size).toBe(0)
  })

  test('is given back when the work fails', async () => {
    const { storage, files } = memory()
    await expect(withLease(storage, path, now, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
    expect(files.size).toBe(0)
  })

  test('that was lost to another is not taken from it', async () => {
    const { storage, files } = memory()
    const first = work()
    const result = withLease(storage, path, now, first.run)
    await pass(1_000)
    const another = Buffer.from(JSON.stringify({ owner: 'another', expires_at: at_ms + 90_000 }))
    files.set(path, another)
    await pass(20_000)
    first.end()
    expect(await result).toBe('done')
    expect(files.get(path)).toEqual(another)
  })

  test('is not left behind by a renewal that was under way when the work ended', async () => {
    const { storage, files } = memory()
    // The version is compared, and a while later the file is there: no delete knows of the time in between.
    const slow: Storage = {
      ...storage,
      putIfMatch: async (name, body, etag) => {
        const stored = files.get(name)
        if ((stored === undefined ? null : etagOf(stored)) !== etag) return false
        await new Promise((resolve) => setTimeout(resolve, 5_000))
        files.set(name, body)
        return true
      },
    }
    const first = work()
    const result = withLease(slow, path, now, first.run)
    await pass(16_000)
    first.end()
    await pass(20_000)
    expect(await result).toBe('done')
    expect(files.size).toBe(0)
  })
})
