import { setImmediate as tick } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { ingestUnits } from '#ingest/batch.ts'
import { createMemoryLimit, type Reservation } from '#ingest/memory_limit.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { second, tinyHttp, tinySource, unitOf } from './tiny.ts'

/** Asks for room, and returns whether it was given. */
const asks = (turn: Reservation): { hasRoom: boolean } => {
  const state = { hasRoom: false }
  void turn.waitForRoom().then(() => (state.hasRoom = true))
  return state
}

describe('a memoryLimit', () => {
  test('lets all units continue below the limit', async () => {
    const memoryLimit = createMemoryLimit(10)
    const [a, b] = [memoryLimit.acquire(), memoryLimit.acquire()]
    a.reserve(5)
    b.reserve(5)
    const asked = [asks(a), asks(b)]
    await tick()
    expect(asked).toEqual([{ hasRoom: true }, { hasRoom: true }])
  })

  test('lets only the first unit continue above the limit, and then the next', async () => {
    const memoryLimit = createMemoryLimit(10)
    const [a, b, c] = [memoryLimit.acquire(), memoryLimit.acquire(), memoryLimit.acquire()]
    b.reserve(11)
    c.reserve(11)
    const [first, ...others] = [asks(a), asks(b), asks(c)]
    await tick()
    expect([first, ...others].map(({ hasRoom }) => hasRoom)).toEqual([true, false, false])
    a.release()
    await tick()
    expect(others.map(({ hasRoom }) => hasRoom)).toEqual([true, false])
    b.release()
    await tick()
    expect(others.map(({ hasRoom }) => hasRoom)).toEqual([true, true])
  })
})

test('a large unit is read to its end before others continue, and delays no unit after it is stored', async () => {
  const noon_s = noon / second
  const large = Array.from({ length: 20 }, (_, n) => ({ ts: noon_s - 1_000 - n, bid: n }))
  const listing = { '0xlarge': large, '0xa': large.slice(0, 6), '0xb': large.slice(0, 6) }
  const { http, asked } = tinyHttp(listing)
  const keys = ['0xlarge', '0xa', '0x404', '0xb']
  const tally = await ingestUnits(
    { lake: await newLake(), http, keepRaw: false, concurrency: 4, memoryLimit: createMemoryLimit(100) },
    () => tinySource(),
    keys.map((key) => unitOf(key)),
    noon,
  )
  expect(tally).toMatchObject({ units: 3, failed: 1, rows: 32 })
  const order = asked.map((text) => new URLSearchParams(text).get('key'))
  const last = order.lastIndexOf('0xlarge')
  // All began together, and each had one answer or two before there was no room.
  expect(order.slice(0, last).filter((key) => key !== '0xlarge').length).toBeLessThan(6)
  expect(order.slice(last + 1).every((key) => key !== '0xlarge')).toBe(true)
  expect(order.filter((key) => key === '0xa')).toHaveLength(3)
})
