import { describe, expect, test } from 'vitest'

import { ingestBatch } from '#ingest/batch.ts'
import { detachedContext } from '#ingest/heartbeat.ts'
import { createMemoryLimit } from '#ingest/memory_limit.ts'
import { NotListed } from '#ingest/units.ts'
import type { Lake } from '#lake/lake.ts'
import { asDiskFault, judgeSpace } from '#storage/disk_space.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { tinyHttp, tinySource, unitOf } from './tiny.ts'

/** The coverage entries of a lake, with the time of their reading. */
const coverageOf = ({ catalog }: Lake) =>
  catalog.db.selectFrom('tapeline_coverage').selectAll().where('end_snapshot', 'is', null).execute()

const units = ['a', 'b', 'c', 'd'].map((key) => unitOf(key))
const listing = Object.fromEntries(units.map(({ key }, n) => [key, [{ ts: n + 1, bid: 5 }]]))

async function tools() {
  const { http, asked } = tinyHttp(listing)
  let slept_ms = 0
  const timers = {
    now_ms: () => slept_ms,
    sleep: async (ms: number) => {
      slept_ms += ms
    },
  }
  const of = {
    lake: await newLake(),
    http,
    keepRaw: false,
    concurrency: 1,
    memoryLimit: createMemoryLimit(),
    timers,
    clock: () => noon,
  }
  const disk = { free_bytes: 1e12 }
  const requests = { strangers: async () => [] }
  const own = { ...of, requests, sourceOf: () => tinySource(), disk: async () => judgeSpace(disk.free_bytes) }
  return { tools: own, disk, asked, slept_ms: () => slept_ms }
}

describe('a batch', () => {
  test('reports the finished units after each unit; the next attempt skips them and counts them', async () => {
    const { tools: own, asked } = await tools()
    const beats: unknown[] = []
    const dying = { ...detachedContext, heartbeat: (cursor: unknown) => void beats.push(structuredClone(cursor)) }
    const whole = await ingestBatch(own, { units, at: noon, rate: null }, dying)
    expect(whole).toMatchObject({ units: 4, rows: 4, failed: 0 })
    expect(beats).toHaveLength(5)
    // The worker died after the second unit: its last beat is what the next attempt is handed.
    const before = asked.length
    const again = await ingestBatch(
      own,
      { units, at: noon, rate: null },
      { ...detachedContext, heartbeatDetails: beats[2] },
    )
    expect(again).toMatchObject({ units: 4, rows: 4, failed: 0 })
    expect(asked.length - before).toBe(before / 2)
  })

  test('hands on all that it has counted, also the units that the upstream does not show', async () => {
    const { tools: own } = await tools()
    const hidden = tinySource({
      read: async (unit) => {
        throw new NotListed(`${unit.key}: not shown; expected its rows`)
      },
    })
    const beats: unknown[] = []
    const dying = { ...detachedContext, heartbeat: (cursor: unknown) => void beats.push(structuredClone(cursor)) }
    const hiding = { ...own, sourceOf: () => hidden }
    const whole = await ingestBatch(hiding, { units, at: noon, rate: null }, dying)
    expect(whole).toMatchObject({ units: 0, failed: 4, unlisted: 4 })
    const next = { ...detachedContext, heartbeatDetails: beats[3] }
    expect(await ingestBatch(hiding, { units, at: noon, rate: null }, next)).toEqual(whole)
  })

  test('asks nothing and stores nothing on a full disk, and is read once there is space', async () => {
    const { tools: own, disk, asked } = await tools()
    disk.free_bytes = 5_000_000
    const pulled = ingestBatch(own, { units, at: noon, rate: null }, detachedContext)
    await expect(pulled).rejects.toThrow('disk: 4 MB free; expected at least 128 MB')
    await expect(pulled).rejects.toMatchObject({ name: 'DiskFull' })
    expect([asked.length, (await coverageOf(own.lake)).length]).toEqual([0, 0])
    disk.free_bytes = 1e9
    expect(await ingestBatch(own, { units, at: noon, rate: null }, detachedContext)).toMatchObject({ units: 4 })
  })

  test.each([
    ['ENOSPC', 'ENOSPC: no space left on device, write'],
    ['EDQUOT', 'EDQUOT: disk quota exceeded, write'],
    ['SQLITE_FULL', 'database or disk is full'],
    [undefined, 'IO Error: Could not write file "x": No space left on device'],
  ])('ends once the disk takes no more data (%s), and calls no unit failed', async (code, message) => {
    const { tools: own, asked } = await tools()
    const full = Object.assign(new Error(message), code === undefined ? {} : { code })
    const storage = { ...own.lake.storage, put: () => Promise.reject(full) }
    const lake = { ...own.lake, storage }
    const pulled = ingestBatch({ ...own, lake }, { units, at: noon, rate: null }, detachedContext)
    await expect(pulled).rejects.toBe(full)
    expect(asDiskFault(full)).toMatchObject({
      name: 'DiskFull',
      message: `disk: it takes no more data, ${message}; expected free space in TAPELINE_HOME`,
    })
    expect([asked.length, (await coverageOf(own.lake)).length]).toEqual([1, 0])
    expect(await ingestBatch(own, { units, at: noon, rate: null }, detachedContext)).toMatchObject({ units: 4 })
  })

  test('finishes the units in flight when its worker ends, and leaves the others to the next attempt', async () => {
    const { tools: own, asked } = await tools()
    const draining = new AbortController()
    const beats: unknown[] = []
    const heartbeat = (cursor: unknown): void => {
      beats.push(structuredClone(cursor))
      if (asked.length > 0) draining.abort()
    }
    const ending = { ...detachedContext, heartbeat, draining: draining.signal }
    await expect(ingestBatch(own, { units, at: noon, rate: null }, ending)).rejects.toMatchObject({
      name: 'Drained',
      message: 'batch: the worker ends; 3 units left',
    })
    expect(asked).toHaveLength(1)
    const next = { ...detachedContext, heartbeatDetails: beats.at(-1) }
    expect(await ingestBatch(own, { units, at: noon, rate: null }, next)).toMatchObject({ units: 4, failed: 0 })
    expect(asked).toHaveLength(4)
  })

  test('begins at the beginning where the last beat says nothing', async () => {
    const { tools: own } = await tools()
    const heartbeatDetails = { done: 'all of them' }
    expect(
      await ingestBatch(own, { units, at: noon, rate: null }, { ...detachedContext, heartbeatDetails }),
    ).toMatchObject({ units: 4 })
  })

  test('keeps to the rate that it is given', async () => {
    const { tools: own, asked, slept_ms } = await tools()
    await ingestBatch(own, { units, at: noon, rate: 5 }, detachedContext)
    // Five in ten seconds: one every two, but for what an idle way out lets through at once.
    expect(slept_ms()).toBeGreaterThanOrEqual((asked.length - 2) * 2_000)
  })

  test.each(['AbortError', 'CancelledFailure'])(
    'asks for nothing once it is cancelled (%s), ends as cancelled, and calls no unit failed',
    async (name) => {
      const { tools: own, asked } = await tools()
      const stop = new AbortController()
      const heartbeat = (): void => {
        if (asked.length > 0) stop.abort(Object.assign(new Error('that is enough'), { name }))
      }
      const context = { heartbeatDetails: undefined, heartbeat, cancelled: stop.signal }
      const pulling = ingestBatch(own, { units, at: noon, rate: null }, context)
      await expect(pulling).rejects.toMatchObject({ name: 'AbortError', message: 'cancelled: that is enough' })
      expect(asked.length).toBe(1)
      expect(new Set((await coverageOf(own.lake)).map(({ unit }) => unit)).size).toBe(1)
    },
  )
})

test('a batch whose source hangs ends once it is cancelled, and stores nothing', async () => {
  const { tools: own } = await tools()
  const stop = new AbortController()
  const hanging = tinySource({
    read: () => {
      setImmediate(() => stop.abort(new Error('that is enough')))
      return new Promise(() => undefined)
    },
  })
  const context = { ...detachedContext, cancelled: stop.signal }
  await expect(
    ingestBatch({ ...own, sourceOf: () => hanging }, { units, at: noon, rate: null }, context),
  ).rejects.toMatchObject({ name: 'AbortError', message: 'cancelled: that is enough' })
  expect(await coverageOf(own.lake)).toEqual([])
})

test('a late reading removes no rows of a later reading', async () => {
  const { tools: own } = await tools()
  const [unit] = units
  if (unit === undefined) throw new Error('there are units')
  await ingestBatch(own, { units: [unit], at: noon + 60_000_000, rate: null }, detachedContext)
  const before = await coverageOf(own.lake)
  expect(await ingestBatch(own, { units: [unit], at: noon, rate: null }, detachedContext)).toMatchObject({
    units: 1,
    rows: 0,
  })
  expect(await coverageOf(own.lake)).toEqual(before)
})
