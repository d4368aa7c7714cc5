import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import type { Activities } from '#activities/index.ts'
import { signal } from '#bin/commands/signal.ts'
import type { Run } from '#engine/engine.ts'
import type { Batch } from '#ingest/batch.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { runCommand } from '#test/bin/command.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { backfill, progress, type Progress } from '#workflows/backfill.ts'

import { openWorking, type Working } from './support/engines.ts'
import { imageOf, type LakeImage } from './support/lakes.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

// Its accounts are five batches.
const world = createWorld({ seed: 4, scale: 0.11 })
const source = 'polymarket_activity'
const id = `backfill-${source}`
const request = { source, from: 0, to: world.now, keys: [] }
const stateShape = z.object({ state: z.string() })

/** Batches that were begun, and how many run now. Those that are held do not end, so that an order meets them. */
type Seen = { batches: Batch[]; running: number; held?: Promise<void>; release: () => void }

/** Holds the ends of batches until `release`. */
function hold(seen: Seen): void {
  seen.held = new Promise((resolve) => (seen.release = resolve))
}

const watching =
  (seen: Seen) =>
  (activities: Activities): Activities => ({
    ...activities,
    pull: async (batch) => {
      seen.batches.push(batch)
      seen.running += 1
      try {
        const [tally] = await Promise.all([activities.pull(batch), seen.held])
        return tally
      } finally {
        seen.running -= 1
      }
    },
  })

/** The number of units of the batches that were begun. */
const unitsOf = ({ batches }: Seen): number => new Set(batches.flatMap(({ units }) => units.map(({ key }) => key))).size

/** Waits until no batch runs, and none is begun for a while. */
async function untilIdle(seen: Seen): Promise<void> {
  for (let idle = 0; idle < 40; idle += 1) {
    if (seen.running > 0) idle = 0
    await sleep(20)
  }
}

describeOnTemporal('a run is steered while it runs', () => {
  let server: TemporalServer
  let upstream: ServedWorld
  let root: string
  let undisturbed: LakeImage
  beforeAll(async () => {
    server = await startTemporal()
    // Slow enough that an order comes between a request and its reply, unless the machine is busy.
    upstream = await serveWorld({ world, clock: () => world.now, faults: { delay_ms: 40 } })
    root = await mkdtemp(join(tmpdir(), 'tapeline-control-'))
    await onHome('prepared', undefined, async ({ engine }) => {
      for (const name of ['polymarket_markets', 'polymarket_trades']) {
        await (await engine.start(backfill, { id: name, args: [{ ...request, source: name }] })).result()
      }
    })
    const { image } = await onHome('undisturbed', undefined, async ({ engine }) => {
      const done = await (await engine.start(backfill, { id, args: [request] })).result()
      expect(done).toMatchObject({ failed: 0 })
    })
    undisturbed = image
  })
  afterAll(async () => {
    await server.stop()
    await upstream.close()
    await rm(root, { recursive: true, force: true })
  })

  type Steered = Working & { seen: Seen; say: (order: string) => Promise<number> }

  /** Works in a home that has all but the accounts, or goes on in one that is there. */
  async function onHome(
    name: string,
    address: string | undefined,
    work: (steered: Steered) => Promise<void>,
  ): Promise<{ image: LakeImage }> {
    const seen: Seen = { batches: [], running: 0, release: () => undefined }
    const home = join(root, name)
    // The database of the runs and the index of the catalog's log have files that vanish some time after they are
    // closed.
    const filter = (path: string): boolean => !/^runs\.db|-shm$/.test(basename(path))
    if (name !== 'prepared') await cp(join(root, 'prepared'), home, { recursive: true, force: false, filter })
    const settings = { home, upstream, clock: () => world.now, address, watch: watching(seen) }
    const working = await openWorking(settings)
    try {
      await work({
        ...working,
        seen,
        say: async (order) => (await runCommand(signal, [id, order], working.config)).code,
      })
    } finally {
      seen.release()
      await working.close()
    }
    return { image: await imageOf(home) }
  }

  const stateOf = async (run: Run<Progress>): Promise<Progress> => {
    const state = await run.query(progress)
    if (state === undefined) throw new Error('progress: no state; expected that of a running workflow')
    return state
  }

  // The tests of the engines steer the embedded one too.
  describe.each(sized(['temporal'], ['temporal'], ['embedded', 'temporal']))('%s', (engineName) => {
    const addressOf = (): string | undefined => (engineName === 'temporal' ? server.address : undefined)

    it('pauses after the batches that are under way, goes on on a signal, and keeps a rate from then on', async () => {
      const { image } = await onHome(`${engineName}-pause`, addressOf(), async ({ engine, seen, say }) => {
        hold(seen)
        const run = await engine.start(backfill, { id, args: [request] })
        await until(() => seen.batches.length > 0)
        expect(await say('pause')).toBe(0)
        seen.release()
        await until(async () => (await stateOf(run)).units === unitsOf(seen))
        await untilIdle(seen)
        const paused = await stateOf(run)
        expect(paused).toMatchObject({ isPaused: true, units: unitsOf(seen) })
        expect(paused.units).toBeGreaterThan(0)
        expect(paused.units).toBeLessThan(paused.due)
        hold(seen)
        expect(await say('rate=5000')).toBe(0)
        expect(await say('resume')).toBe(0)
        await until(() => seen.batches.some(({ rate }) => rate !== null))
        expect(await say('rate=any')).toBe(0)
        seen.release()
        expect(await run.result()).toMatchObject({ failed: 0, units: paused.due, isPaused: false, rate: null })
        // Batches that run at once share it.
        const rates = seen.batches.map(({ rate }) => rate)
        expect(rates[0]).toBeNull()
        expect(rates).toContain(2500)
        expect(rates.at(-1)).toBeNull()
      })
      expect(image).toEqual(undisturbed)
    })

    it('ends when it is cancelled, calls nothing failed, and is done by the next one', async () => {
      const { image } = await onHome(`${engineName}-cancel`, addressOf(), async ({ engine, seen, say, pipeline }) => {
        hold(seen)
        const run = await engine.start(backfill, { id, args: [request] })
        await until(() => seen.batches.length > 0)
        expect(await say('cancel')).toBe(0)
        seen.release()
        await expect(run.result()).rejects.toThrow(/cancell?ed/i)
        await untilIdle(seen)
        const states = await pipeline.lake.read(({ query }) =>
          query('select distinct state from lake.coverage where source = $source', stateShape, { source }),
        )
        expect(states.map(({ state }) => state)).not.toContain('missing')
        const again = await engine.start(backfill, { id, args: [request] })
        expect(again.isOld).toBe(false)
        expect(await again.result()).toMatchObject({ failed: 0 })
      })
      expect(image).toEqual(undisturbed)
    })
  })

  it('goes on with another worker when its own receives a signal to end', async () => {
    let units = 0
    await onHome('worker-ends', server.address, async ({ engine, seen }) => {
      hold(seen)
      const run = await engine.start(backfill, { id, args: [request] })
      await until(() => seen.batches.length > 0)
      units = (await stateOf(run)).due
    })
    const { image } = await onHome('worker-ends', server.address, async ({ engine }) => {
      const run = await engine.start(backfill, { id, args: [request] })
      expect(run.isOld).toBe(true)
      expect(await run.result()).toMatchObject({ failures: [], failed: 0, units })
    })
    expect(image).toEqual(undisturbed)
  })
})
