import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { exposedWorld } from '#sim/markets/limitless_wire/exposed_world.ts'
import { createWorld } from '#sim/markets/world.ts'
import { faultKinds, type Faults } from '#sim/server/faults.ts'
import { serveWorld } from '#sim/server/server.ts'
import { openTestPipeline, type TestHouse } from '#test/pipeline/pipeline.ts'
import { imageOf } from '#test/temporal/support/lakes.ts'

import { readLimitless } from './read.ts'

const world = createWorld({ seed: 3, scale: 0.01 })
const limitless = exposedWorld(createWorld({ seed: 2_000_003, scale: 0.01 }))
const clock = (): number => limitless.now

describe('a Limitless that misbehaves', () => {
  let root: string
  let calm: Awaited<ReturnType<typeof read<undefined>>>
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-limitless-faults-'))
    calm = await read('calm', {}, async () => undefined)
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  /** Reads the world through a server with these faults into a lake of its own. */
  const read = async <T>(name: string, faults: Faults, look: (house: TestHouse) => Promise<T>) => {
    const upstream = await serveWorld({ world, others: { limitless }, clock, faults })
    const home = join(root, name)
    const house = await openTestPipeline(home, upstream, clock)
    try {
      await readLimitless(house, limitless)
      // A build reads nothing else, and `rebuild.test.ts` compares its hashes.
      const stored = await imageOf(home)
      return { looked: await look(house), stored, requests: upstream.requests() }
    } finally {
      await house.lake.close()
      await upstream.close()
    }
  }

  it('leaves no trace in the lake when one request in five fails, in every way', async () => {
    const rough = await read('rough', { seed: 1, requests: 0.2, kinds: faultKinds, delay_ms: 5 }, async () => undefined)
    const failed = Object.entries(rough.requests.byStatus).filter(([status]) => Number(status) >= 400)
    expect(failed.length).toBeGreaterThan(2)
    expect(Object.keys(rough.stored.files).length).toBeGreaterThan(50)
    expect(rough.stored).toEqual(calm.stored)
  })

  it('quarantines damaged rows with the reason, and has all others', async () => {
    const damaged = await read('damaged', { seed: 2, rows: 0.08 }, ({ lake }) =>
      lake.read(async ({ query }) => {
        const reasons = `select distinct source, dataset, reason from lake.quarantine order by all`
        const rejected = `select count(*)::integer as n from lake.quarantine where source = 'limitless_activity'`
        const fills = `select count(*)::integer as n from lake.fills where source = 'limitless_activity'`
        const activity = `select count(*)::integer as n from lake.activity where source = 'limitless_activity'`
        const n = z.object({ n: z.number() })
        const reason = z.object({ source: z.string(), dataset: z.string(), reason: z.string() })
        return {
          reasons: await query(reasons, reason),
          counts: (await Promise.all([rejected, fills, activity].map((sql) => query(sql, n)))).map(
            ([row]) => row?.n ?? 0,
          ),
        }
      }),
    )
    const { reasons, counts } = damaged.looked
    const [rejected = 0, fills = 0, activity = 0] = counts
    expect(rejected).toBe(damaged.requests.spoiled.activity)
    expect(rejected).toBeGreaterThan(50)
    const { now, fills: all } = limitless
    const shown = (ts_s: number): boolean => ts_s < now / 1e6 - 120
    const n_fills = Array.from(all.match).filter(
      (match, fill) => (all.trader[fill] ?? -1) >= 0 && shown(limitless.matches.ts_s[match] ?? 0),
    ).length
    const n_moves = limitless.activity.filter(({ ts_s }) => shown(ts_s)).length
    expect(rejected + fills + activity).toBe(n_fills + n_moves)
    expect(new Set(reasons.map(({ source }) => source))).toEqual(
      new Set([
        'limitless_markets',
        'limitless_trades',
        'limitless_activity',
        'limitless_resolutions',
        'limitless_odds',
      ]),
    )
    for (const { reason } of reasons) expect(reason).toMatch(/^[\w.]+: (expected|Invalid|contradicts)/)
  })
})
