import { describe, expect, test } from 'vitest'

import type { Activities, Tally } from '#activities/index.ts'
import { ModelError } from '#builder/model.ts'
import { startWorkflow } from '#engine'
import type { Unit } from '#lake/units/unit.ts'
import { backfill, progress, type BackfillRequest } from '#workflows/backfill.ts'
import { pause, rate, resume } from '#workflows/control.ts'
import { score } from '#workflows/score.ts'

const at = 1_000_000
const request: BackfillRequest = { source: 'venue_trades', from: 5, to: 9, keys: ['0xa'] }
const pathOf = (n: number): string => String(n).padStart(5, '0')

const unit = (n: number, source: string): Unit => ({
  source,
  kind: 'history',
  part: 'venue',
  key: pathOf(n),
  from: 0,
  to: null,
  params: [],
})

const tallyOf = (units: readonly Unit[], more: Partial<Tally> = {}): Tally => ({
  units: units.length,
  rows: units.length * 10,
  quarantined: 0,
  bytes: units.length * 100,
  failed: 0,
  failures: [],
  ...more,
})

type Pull = Activities['pull']

/** Activities over `n` units that are due, which note what they were asked. */
function fake(n: number, pull: Pull = async ({ units }) => tallyOf(units)) {
  const pulled: string[] = []
  const planned: unknown[] = []
  const now = { running: 0, most: 0 }
  const notAsked = (): Promise<never> => Promise.reject(new Error('a backfill does not ask for this'))
  const activities: Activities = {
    instant: async () => at,
    plan: async ({ after, limit, ...rest }) => {
      planned.push(rest)
      const left = Array.from({ length: n }, (_, i) => unit(i, rest.source)).filter(({ key }) => key > after)
      const units = left.slice(0, limit)
      return { units, last: units.at(-1)?.key ?? after, due: left.length }
    },
    pull: async (batch) => {
      now.running += 1
      now.most = Math.max(now.most, now.running)
      pulled.push(...batch.units.map(({ key }) => key))
      expect(batch).toMatchObject({ at })
      expect(batch.units.length).toBeLessThanOrEqual(25)
      try {
        await new Promise((resolve) => setImmediate(resolve))
        return await pull(batch)
      } finally {
        now.running -= 1
      }
    },
    crossCheck: notAsked,
    tick: notAsked,
    estimate: notAsked,
    stream: notAsked,
    requestedKeys: notAsked,
    completeRequests: notAsked,
    publishNewer: notAsked,
    publishAll: notAsked,
    maintain: notAsked,
  }
  return { activities, pulled, planned, now }
}

const start = (activities: Activities) => startWorkflow(backfill, { args: [request], activities })

describe('a backfill', () => {
  test.each([0, 1, 49, 500, 1_237])('of %i units pulls each once, page by page, a few batches at a time', async (n) => {
    const { activities, pulled, planned, now } = fake(n)
    const done = await start(activities).result
    expect(pulled.toSorted()).toEqual(Array.from({ length: n }, (_, i) => pathOf(i)))
    expect(done).toEqual({
      source: 'venue_trades',
      from: 5,
      to: 9,
      keys: ['0xa'],
      due: n,
      isPaused: false,
      rate: null,
      ...tallyOf(Array.from({ length: n }, (_, i) => unit(i, 'venue_trades'))),
    })
    expect(planned).toHaveLength(1)
    for (const asked of planned) expect(asked).toEqual({ ...request, at })
    expect(now.most).toBeLessThanOrEqual(2)
  })

  test('continues as a new run after each page, with its progress and its signals', async () => {
    const { activities, pulled, planned } = fake(4_000, async ({ units, rate: limit }) => {
      if (units[0]?.key === pathOf(100)) handle.signal(rate, 40)
      limits.push(limit)
      return tallyOf(units)
    })
    const limits: (number | null)[] = []
    const handle = start(activities)
    expect(await handle.result).toMatchObject({ units: 4_000, due: 4_000, rate: 40 })
    expect(new Set(pulled).size).toBe(4_000)
    expect(planned).toHaveLength(3)
    // Two batches share what is allowed.
    expect(limits[0]).toBeNull()
    expect(limits.slice(10)).toEqual(limits.slice(10).map(() => 20))
  })

  test('has two batches for each live worker, whose number the plan has and each batch that ends', async () => {
    const running: number[] = []
    let workers = 3
    const { activities, pulled, now } = fake(1_500, async ({ units, rate: limit }) => {
      expect(limit).toBeNull()
      running.push(now.running)
      if (running.length === 20) workers = 1
      if (running.length === 40) workers = 5
      return { ...tallyOf(units), workers }
    })
    const plan: Activities['plan'] = async (asked) => ({ ...(await activities.plan(asked)), workers })
    const done = await start({ ...activities, plan }).result
    expect(done).toMatchObject({ units: 1_500, due: 1_500 })
    expect(done).not.toHaveProperty('workers')
    expect([pulled.length, new Set(pulled).size]).toEqual([1_500, 1_500])
    expect(Math.max(...running.slice(0, 20))).toBe(6)
    expect(Math.max(...running.slice(30, 40))).toBe(2)
    expect(Math.max(...running.slice(45))).toBe(10)
  })

  test('reads all units where its workers go while all batches end at once', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let n_begun = 0
    const { activities, pulled, now } = fake(360, async ({ units }) => {
      n_begun += 1
      if (n_begun === 6) release()
      await released
      return { ...tallyOf(units), workers: 1 }
    })
    const plan: Activities['plan'] = async (asked) => ({ ...(await activities.plan(asked)), workers: 3 })
    expect(await start({ ...activities, plan }).result).toMatchObject({ units: 360, due: 360 })
    expect([pulled.length, now.most]).toEqual([360, 6])
  })

  test('of one page plans once', async () => {
    const { activities, planned } = fake(1_900)
    await start(activities).result
    expect(planned).toHaveLength(1)
  })

  test('is stopped in an outage, once two batches have failed, and not by units that are not listed', async () => {
    const failing = (of: Partial<Tally>) =>
      fake(4_000, async ({ units }) => tallyOf(units, { ...of, units: 0, failed: 25 }))
    const outage = failing({})
    const done = await start(outage.activities).result
    expect([done.units, done.due]).toEqual([0, 4_000])
    // A batch that began before the second one failed ends too.
    expect(done.failed).toBeLessThanOrEqual(75)
    expect(outage.pulled).toHaveLength(done.failed)
    const unlisted = failing({ unlisted: 25 })
    expect(await start(unlisted.activities).result).toMatchObject({ failed: 4_000, unlisted: 4_000 })
    // Half of the units is less than an outage.
    const half = fake(100, async ({ units }) => tallyOf(units, { units: 13, failed: 12 }))
    expect(await start(half.activities).result).toMatchObject({ failed: 48 })
  })

  test('counts failed units, continues after each, and reports ten', async () => {
    const { activities, pulled } = fake(1_000, async ({ units }) =>
      tallyOf(units, {
        units: units.length - 1,
        failed: 1,
        quarantined: 2,
        failures: [{ unit: units[0]?.key ?? '', reason: 'answered 500' }],
      }),
    )
    const done = await start(activities).result
    expect(pulled).toHaveLength(1_000)
    // 40 batches of 25.
    expect(done).toMatchObject({ units: 960, failed: 40, quarantined: 80, rows: 10_000, bytes: 100_000 })
    expect(done.failures).toHaveLength(10)
    expect(done.failures.at(-1)).toEqual({ unit: '00975', reason: 'answered 500' })
  })

  test('is paused between batches, and continues with the next batch', async () => {
    const { activities, pulled } = fake(500, async ({ units }) => {
      if (units[0]?.key === pathOf(100)) handle.signal(pause)
      return tallyOf(units)
    })
    const handle = start(activities)
    while (handle.query(progress)?.isPaused !== true) await new Promise((resolve) => setImmediate(resolve))
    // Begun units end, and no other unit begins.
    await new Promise((resolve) => setTimeout(resolve, 50))
    const before = pulled.length
    expect(before).toBeGreaterThanOrEqual(125)
    expect(before).toBeLessThanOrEqual(150)
    expect(handle.query(progress)).toMatchObject({ isPaused: true, units: before, due: 500 })
    handle.signal(resume)
    expect(await handle.result).toMatchObject({ units: 500, isPaused: false })
    expect(new Set(pulled).size).toBe(500)
  })

  test('reports its progress at any time', async () => {
    const seen: number[] = []
    const { activities } = fake(200, async ({ units }) => {
      seen.push(handle.query(progress)?.units ?? -1)
      return tallyOf(units)
    })
    const handle = start(activities)
    expect(handle.query(progress)).toMatchObject({ source: 'venue_trades', units: 0, due: 0, isPaused: false })
    await handle.result
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBeGreaterThanOrEqual(150)
    expect(handle.query(progress)).toMatchObject({ units: 200, due: 200 })
  })

  test('that must end begins no other batch, and ends when those that run have', async () => {
    const mismatch = Object.assign(new Error('two worlds'), { name: 'WorldMismatch' })
    let ended = 0
    const { activities, pulled } = fake(500, async ({ units }) => {
      if (units[0]?.key === pathOf(50)) throw mismatch
      await new Promise((resolve) => setTimeout(resolve, 20))
      ended += 1
      return tallyOf(units)
    })
    await expect(start(activities).result).rejects.toBe(mismatch)
    const before = pulled.length
    // All that was begun has ended, but for the batch that failed.
    expect(ended).toBe(before / 25 - 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(pulled).toHaveLength(before)
    expect(before).toBeLessThan(150)
  })
})

test('a backfill that must end does so also while it is paused', async () => {
  const mismatch = Object.assign(new Error('two worlds'), { name: 'WorldMismatch' })
  const { activities, pulled } = fake(500, async ({ units }) => {
    handle.signal(pause)
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (units[0]?.key === pathOf(25)) throw mismatch
    return tallyOf(units)
  })
  const handle = start(activities)
  await expect(handle.result).rejects.toBe(mismatch)
  expect(pulled).toHaveLength(50)
})

test('score publishes all as of the given instant or now', async () => {
  const asked: unknown[] = []
  const scored = { snapshot: 'x', asOf: 7, analystsCopy: 'published', tables: [] }
  const note = async (request: unknown) => {
    asked.push(request)
    return scored
  }
  const activities = { publishAll: note }
  expect(await startWorkflow(score, { args: [{ asOf: 7 }], activities }).result).toBe(scored)
  expect(await startWorkflow(score, { args: [{ asOf: null }], activities }).result).toBe(scored)
  expect(asked).toEqual([{ asOf: 7 }, { asOf: null }])
})

test('score does not retry an error of a model', async () => {
  let builds = 0
  const activities = {
    publishAll: async () => {
      builds += 1
      throw new ModelError('model core.a: reads unknown table core.b; expected a table of a model')
    },
  }
  await expect(startWorkflow(score, { args: [{ asOf: null }], activities }).result).rejects.toThrow(
    'reads unknown table core.b',
  )
  expect(builds).toBe(1)
})
