import fc from 'fast-check'
import { expect, test } from 'vitest'

import { countByMinute } from '#api/http/rate_limit.ts'
import { cacheOf } from '#api/http/response_cache.ts'

const entry = (bytes: number) => ({ body: Buffer.alloc(bytes) })

test('what was used last stays, what was not for longest goes', () => {
  const cache = cacheOf<{ body: Buffer }>(3 * 11_000)
  for (const key of ['a', 'b', 'c']) cache.set(key, entry(9_900))
  cache.get('a')
  cache.set('d', entry(9_900))
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true, true])
})

test('what is larger than all there is room for is not kept, and costs nothing afterwards', () => {
  const cache = cacheOf<{ body: Buffer }>(20_000)
  cache.set('large', entry(50_000))
  expect(cache.get('large')).toBeUndefined()
  cache.set('a', entry(5_000))
  cache.set('a', entry(6_000))
  cache.set('b', entry(6_000))
  expect([cache.get('a')?.body.length, cache.get('b')?.body.length]).toEqual([6_000, 6_000])
})

test('never holds more bytes than it may', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(9_000)))
  fc.assert(
    fc.property(steps, (all) => {
      const cache = cacheOf<{ body: Buffer }>(20_000)
      for (const [key, bytes] of all) cache.set(key, entry(bytes))
      const kept = ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)?.body.length ?? 0)
      expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(20_000)
    }),
  )
})

test('a minute counts each name for itself and ends with the minute of the clock', () => {
  const clock = { at: Date.UTC(2026, 2, 1, 12, 0, 59, 1) * 1_000 }
  const count = countByMinute(() => clock.at)
  expect([count('a', 2), count('a', 2), count('a', 2), count('b', 2)]).toEqual([
    { remaining: 1, reset_s: 1, isOver: false },
    { remaining: 0, reset_s: 1, isOver: false },
    { remaining: 0, reset_s: 1, isOver: true },
    { remaining: 1, reset_s: 1, isOver: false },
  ])
  clock.at = Date.UTC(2026, 2, 1, 12, 1) * 1_000
  expect(count('a', 2)).toEqual({ remaining: 1, reset_s: 60, isOver: false })
})
