import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { followed } from '#bin/wiring/follow_plan.ts'
import type { Run } from '#engine/engine.ts'
import { steppedClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { hashesOf } from '#test/pipeline/pipeline.ts'
import { sized } from '#test/run/sized.ts'
import { gridInstant, type Clock } from '#time.ts'
import { backfill } from '#workflows/backfill.ts'
import { follow } from '#workflows/follow.ts'
import type { Following } from '#workflows/follow_state.ts'
import { score } from '#workflows/score.ts'

import { openWorking, type Working } from './support/engines.ts'
import { imageOf, type LakeImage } from './support/lakes.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

const world = createWorld({ seed: 21, scale: 0.02 })
const hour = 3_600_000_000

/**
 * In the short form only the follow reads the other sources. Lakes that are equal have equal hashes, so in the short and
 * the full form only the lake of the follow is scored.
 */
const served = followed.filter((name) => name.startsWith('polymarket_'))
const read = sized(['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades'], served)

const whole = { asOf: null }

type Outcome = { image: LakeImage; hashes: Record<string, string> }

describeOnTemporal('the embedded engine and Temporal', () => {
  let server: TemporalServer
  let root: string
  beforeAll(async () => {
    server = await startTemporal()
    root = await mkdtemp(join(tmpdir(), 'tapeline-same-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(root, { recursive: true, force: true })
  })

  /** Does some work on both engines, in worlds of the same time, and scores the stored rows by default. */
  async function onBoth(
    name: string,
    clocks: () => { now: Clock; set?: (at: number) => void },
    work: (working: Working, set: (at: number) => void) => Promise<void>,
    isScored = true,
  ): Promise<{ embedded: Outcome; temporal: Outcome }> {
    const on = async (address: string | undefined): Promise<Outcome> => {
      const home = join(root, `${name}-${address === undefined ? 'embedded' : 'temporal'}`)
      const { now, set = () => undefined } = clocks()
      const upstream: ServedWorld = await serveWorld({ world, clock: now })
      const working = await openWorking({ home, upstream, clock: now, address })
      try {
        await work(working, set)
        const run = isScored ? await working.engine.start(score, { id: `score-${name}`, args: [whole] }) : undefined
        const scored = await run?.result()
        return { image: await imageOf(home), hashes: scored === undefined ? {} : hashesOf(scored) }
      } finally {
        await working.close()
        await upstream.close()
      }
    }
    return { embedded: await on(undefined), temporal: await on(server.address) }
  }

  it('leave the same lake and the same hashes of a backfill', async () => {
    const clocks = () => ({ now: () => world.now })
    const { embedded, temporal } = await onBoth(
      'backfill',
      clocks,
      async ({ engine }) => {
        for (const source of read) {
          const request = { source, from: 0, to: world.now, keys: [] }
          const run = await engine.start(backfill, { id: `backfill-${source}`, args: [request] })
          expect(await run.result()).toMatchObject({ failures: [], failed: 0, source })
        }
      },
      sized(false, false, true),
    )
    expect(Object.keys(embedded.image.files).length).toBeGreaterThan(50)
    expect(temporal).toEqual(embedded)
  })

  it('leave the same lake and the same hashes of a follow through the same instants', async () => {
    const begin = world.now - 30 * hour
    const instants = sized([0, 3 * hour], [0, 3 * hour], [0, 3 * hour, 30 * hour]).map((after) => begin + after)
    const sizes = new Set<number>()
    const { embedded, temporal } = await onBoth(
      'follow',
      () => {
        const { now, set } = steppedClock(begin)
        return { now, set }
      },
      async ({ engine, pipeline, config }, set) => {
        const request = { group: 'all', part: 'polymarket', sources: served, from: 0 }
        const run = await engine.start(follow, { id: 'follow', args: [request], restartOnFailure: true })
        for (const instant of instants) {
          set(instant)
          const reached = Object.fromEntries(
            pipeline.sources
              .filter(({ name }) => served.includes(name))
              .map(({ name, grid_s }) => [name, gridInstant(instant, grid_s)]),
          )
          await untilReached(run, reached)
          sizes.add(Object.keys((await imageOf(config.home)).files).length)
        }
        await run.cancel()
        await expect(run.result()).rejects.toThrow()
      },
    )
    // The world went on while it was followed.
    expect(sizes.size).toBe(instants.length)
    expect(Object.keys(embedded.hashes).length).toBeGreaterThan(3)
    expect(temporal).toEqual(embedded)
  })
})

/** Waits until a follow has read its sources at these instants; the test's own time is the limit. */
async function untilReached(run: Pick<Run<unknown>, 'query'>, instants: Record<string, number>): Promise<void> {
  for (;;) {
    const state = await run.query<Following>({ name: 'progress' }).catch(() => undefined)
    if (Object.entries(instants).every(([source, at]) => state?.reached[source] === at)) return
    // A task of the workflow answers each query, so queries are rare.
    await sleep(250)
  }
}
