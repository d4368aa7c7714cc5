import { writeFile } from 'node:fs/promises'

import { describe, expect, test } from 'vitest'

import { createBuild, type Build, type BuildRequest } from '#activities/build.ts'
import { createPublisher, type OnBuild } from '#activities/publish_newer.ts'
import { Aborted, detachedContext } from '#ingest/heartbeat.ts'
import { withLease } from '#lake/catalog/lease.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { models } from '#test/builder/fixture.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { HOUR, SECOND } from '#time.ts'

const term_ms = 10_000

/** A lake whose time passes in the pauses of its publishers. `steps` run at the first pause from a time on. */
async function newHouse() {
  const lake = await newLake()
  const time = { now: noon, ahead: 0 }
  const steps: { at_ms: number; work: () => Promise<unknown> }[] = []
  const asked: Extract<BuildRequest, { kind: 'publish' }>[] = []
  const reports: Parameters<OnBuild>[0][] = []
  const elapsed_ms = (): number => (time.now - noon) / 1_000
  const now = () => time.now
  const clock = () => time.now + time.ahead
  const tools = { lake, models, macros: [], columns: {}, clock, now, threads: 1, memory: '512MB' }
  const build = createBuild(tools)
  const counted: Build = (request, cancelled) => {
    if (request.kind === 'publish') asked.push(request)
    return build(request, cancelled)
  }
  const timers = {
    now_ms: elapsed_ms,
    sleep: async (ms: number) => {
      time.now += ms * 1_000
      while (steps[0] !== undefined && steps[0].at_ms <= elapsed_ms()) await steps.shift()?.work()
    },
  }
  let n_stored = 0
  const newPublisher = (of: Build = counted) =>
    createPublisher({ ...tools, timers, build: of, onBuild: (report) => void reports.push(report) })
  const publisher = newPublisher()
  return {
    lake,
    time,
    asked,
    reports,
    newPublisher,
    at: (at_ms: number, work: () => Promise<unknown>) => void steps.push({ at_ms, work }),
    store: () => storeRows(lake, lifeOf(`0x${n_stored++}`), { quotes: [quote('m', noon - n_stored)] }),
    publish: (name: 'pulse' | 'scores', every_ms?: number) =>
      publisher({ name, ...(every_ms === undefined ? {} : { every_ms }) }, detachedContext),
    begun: () => asked.map(({ asOf }) => (asOf - noon) / 1_000),
  }
}

describe('a publisher', () => {
  test('publishes at first, then after newer facts, and at most once a second', async () => {
    const { at, store, publish, begun, lake, asked } = await newHouse()
    for (const at_ms of [300, 600, 900, 5_000]) at(at_ms, store)
    const { published, asOf, lakeSnapshot } = await publish('pulse')
    expect(begun()).toEqual([0, 1_000, 5_000])
    expect([published, asOf]).toEqual([3, noon + 5_000 * 1_000])
    expect(lakeSnapshot).toBeGreaterThan(0)
    expect(asked.every(({ name }) => name === 'pulse')).toBe(true)
    expect(await currentSnapshot(lake.local, 'scores')).toBeUndefined()
  })

  test('publishes the same facts again once the figures are stale', async () => {
    const { publish, begun } = await newHouse()
    for (let terms = 0; terms < 13; terms += 1) await publish('pulse')
    expect(begun()).toEqual([0, 60_000, 120_000])
  })

  test('builds the scores at their period', async () => {
    const { at, store, publish, begun } = await newHouse()
    for (const at_ms of [200, 5_000]) at(at_ms, store)
    await publish('scores', 4_000)
    expect(begun()).toEqual([0, 4_000, 8_000])
  })

  test('builds a pulse after newer scores of the same facts', async () => {
    const { store, publish, asked, newPublisher } = await newHouse()
    await publish('scores')
    await store()
    await publish('pulse')
    await newPublisher()({ name: 'scores', every_ms: 1 }, detachedContext)
    await publish('pulse')
    await publish('pulse')
    expect(asked.map(({ name }) => name)).toEqual(['scores', 'pulse', 'scores', 'pulse'])
  })

  test('takes up the build of another process, and replaces one whose file is damaged', async () => {
    const { publish, newPublisher, begun, lake, time } = await newHouse()
    await publish('pulse')
    time.now += 2 * SECOND
    expect(await newPublisher()({ name: 'pulse' }, detachedContext)).toMatchObject({ published: 0, asOf: noon })
    const id = (await currentSnapshot(lake.local, 'pulse')) ?? ''
    await writeFile(lake.local.locate(snapshotPath(id)), 'damaged')
    expect(await newPublisher()({ name: 'pulse' }, detachedContext)).toMatchObject({ published: 1 })
    expect(begun()).toHaveLength(2)
  })

  test('never goes back in time, unless a clock that was ahead is set back', async () => {
    const { publish, asked, store, time, newPublisher } = await newHouse()
    await publish('pulse')
    const asOfs: number[] = []
    for (const ahead of [-60 * SECOND, 2 * HOUR, HOUR]) {
      await store()
      time.now += 2 * SECOND
      time.ahead = ahead
      await newPublisher()({ name: 'pulse' }, detachedContext)
      asOfs.push((asked.at(-1)?.asOf ?? 0) - time.now)
    }
    const [first = 0, second = 0, third = 0] = asOfs
    expect(first).toBeLessThan(0)
    expect(asked.map(({ asOf }) => asOf).slice(0, 2)).toEqual([noon, noon])
    expect([second > HOUR, third > 0 && third <= HOUR]).toEqual([true, true])
  })

  test('waits while another process has the lease, and reports a failed build', async () => {
    const { at, lake, time, publish, newPublisher, reports, begun } = await newHouse()
    let release = (): void => undefined
    const held = withLease(
      lake.catalog,
      'publication pulse',
      () => time.now,
      () => new Promise<void>((end) => void (release = end)),
    )
    at(2_000, async () => {
      release()
      await held
    })
    expect(await publish('pulse')).toMatchObject({ published: 1 })
    expect(begun().length).toBeGreaterThan(10)
    expect(reports.map(({ publication }) => publication)).toEqual(['pulse'])
    const broken: Build = async () => {
      throw new Error('no memory')
    }
    time.now += 61 * SECOND
    await expect(newPublisher(broken)({ name: 'pulse' }, detachedContext)).rejects.toThrow('no memory')
    expect(reports.at(-1)).toMatchObject({ publication: 'pulse', asOf: null })
  })

  test('ends when it is cancelled, and beats until then', async () => {
    const { at, newPublisher } = await newHouse()
    const cancelling = new AbortController()
    let beats = 0
    at(3_000, async () => cancelling.abort(new Aborted('stopped')))
    const context = { ...detachedContext, heartbeat: () => void (beats += 1), cancelled: cancelling.signal }
    await expect(newPublisher()({ name: 'pulse' }, context)).rejects.toThrow('stopped')
    expect(beats).toBeGreaterThan(20)
    expect(beats).toBeLessThan(term_ms / 100)
  })
})
