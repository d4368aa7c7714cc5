import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Catalog } from '#lake/catalog/catalog.ts'
import { withLease } from '#lake/catalog/lease.ts'
import { newLake } from '#test/lake/fixture.ts'

const name = 'publication scores'
let at_ms: number
const now = () => at_ms * 1000

const leases = ({ db }: Catalog) => db.selectFrom('tapeline_leases').selectAll().execute()

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
    const { catalog } = await newLake()
    const first = work()
    const result = withLease(catalog, name, now, first.run)
    await pass(1_000)
    await expect(withLease(catalog, name, now, async () => 'never')).rejects.toThrow(
      'publication scores: another process works on it; its lease runs for 5 s more',
    )
    first.end()
    expect(await result).toBe('done')
    expect(await leases(catalog)).toEqual([])
    expect(await withLease(catalog, name, now, async () => 'next')).toBe('next')
  })

  test('of a dead owner, taken before the clock was set back by an hour, is given to the next one', async () => {
    const { catalog } = await newLake()
    const lease = { name, owner: 'dead', expires_ms: at_ms + 6_000 }
    await catalog.db.insertInto('tapeline_leases').values(lease).execute()
    await expect(withLease(catalog, name, now, async () => 'never')).rejects.toThrow('for 6 s more')
    at_ms -= 3_600_000
    expect(await withLease(catalog, name, now, async () => 'next')).toBe('next')
  })

  test('of 20 who ask at once is given to one', async () => {
    const { catalog } = await newLake()
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, () => withLease(catalog, name, now, () => vi.advanceTimersByTimeAsync(1_000))),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is renewed for as long as the work takes', async () => {
    const { catalog } = await newLake()
    const first = work()
    const result = withLease(catalog, name, now, first.run)
    await pass(10 * 60_000)
    await expect(withLease(catalog, name, now, async () => 'never')).rejects.toThrow('its lease runs for')
    first.end()
    expect(await result).toBe('done')
  })

  test('of a process that died runs out', async () => {
    const { catalog } = await newLake()
    await catalog.db
      .insertInto('tapeline_leases')
      .values({ name, owner: 'dead', expires_ms: at_ms + 6_000 })
      .execute()
    await pass(5_000)
    await expect(withLease(catalog, name, now, async () => 'never')).rejects.toThrow('for 1 s more')
    await pass(1_000)
    expect(await withLease(catalog, name, now, async () => 'mine')).toBe('mine')
    expect(await leases(catalog)).toEqual([])
  })

  test('is given back when the work fails', async () => {
    const { catalog } = await newLake()
    await expect(withLease(catalog, name, now, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
    expect(await leases(catalog)).toEqual([])
  })

  test('that stalled work lost to another stops the work before it takes effect', async () => {
    const { catalog } = await newLake()
    const first = work()
    let effects = 0
    const result = withLease(catalog, name, now, async (hold) => {
      await first.run()
      await hold()
      effects += 1
    })
    const another = { name, owner: 'another', expires_ms: at_ms + 6_000 }
    await catalog.db.updateTable('tapeline_leases').set(another).execute()
    first.end()
    await expect(result).rejects.toThrow('publication scores: another process works on it')
    expect(effects).toBe(0)
    expect(await leases(catalog)).toEqual([another])
  })

  test('that was lost to another is not taken from it', async () => {
    const { catalog } = await newLake()
    const first = work()
    const result = withLease(catalog, name, now, first.run)
    await pass(1_000)
    const another = { name, owner: 'another', expires_ms: at_ms + 6_000 }
    await catalog.db.updateTable('tapeline_leases').set(another).execute()
    await pass(4_000)
    first.end()
    expect(await result).toBe('done')
    expect(await leases(catalog)).toEqual([another])
  })
})
