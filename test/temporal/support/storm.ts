import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { openEngine } from '#bin/wiring/engine.ts'
import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import type { Engine } from '#engine/engine.ts'
import type { World } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'
import { createRandom, type Random } from '#sim/random.ts'
import { serveWorld } from '#sim/server/server.ts'
import { catalogRows } from '#test/pipeline/lakefiles.ts'
import { backfill } from '#workflows/backfill.ts'

import { configOf, openWorking } from './engines.ts'
import { imageOf, type LakeImage } from './lakes.ts'
import { openLookout } from './reader.ts'
import { startTemporal, type TemporalServer } from './server.ts'
import { startWorker, type WorkerProcess, type WorkerSettings } from './workers.ts'

export type StormSettings = {
  seed: number
  /** Of the world: at 1 it has some 570,000 rows. */
  scale: number
  /** Workers killed, workers stopped for a while, and kills of the server. */
  kills: number
  freezes: number
  freeze_ms: number
  restarts: number
  say: (line: string) => void
}

/** The lake after a storm, beside the lake after a calm backfill of the same world. */
export type Aftermath = {
  calm: LakeImage
  stormy: LakeImage
  rows: number
  struck: Record<Strike, number>
  /** The number of observations of a reader meanwhile, and the faults that it found. */
  looks: number
  complaints: string[]
}

type Strike = 'kill' | 'freeze' | 'restart'

const sources = ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity']

/** Backfills a world on Temporal while workers and the server are killed, and the same world in peace. */
export async function runStorm(settings: StormSettings): Promise<Aftermath> {
  const { seed, scale, say } = settings
  const world = createWorld({ seed, scale })
  const upstream = await serveWorld({ world, clock: () => world.now })
  const root = await mkdtemp(join(tmpdir(), 'tapeline-storm-'))
  const homes = { calm: join(root, 'calm'), stormy: join(root, 'stormy') }
  const timed = stopwatch(say)
  try {
    const rows = await timed('in peace', () => readInPeace(homes.calm, upstream, world))
    const n_units = countStored(homes.calm)
    say(`${n_units} units, ${rows} rows`)
    const server = await startTemporal()
    const crew = openCrew({ home: homes.stormy, address: server.address, upstream, at: world.now })
    const lookout = await openLookout(homes.stormy)
    const engine = await openEngine(configOf({ home: homes.stormy, upstream, address: server.address }))
    try {
      await crew.hire()
      const reading = timed('in the storm', () => readAll(engine, world))
      const struck = await strikeAll({ settings, n_units, home: homes.stormy, crew, server, reading })
      await reading
      await crew.untilAwake()
      const { looks, complaints } = await lookout.close()
      const [calm, stormy] = await Promise.all([imageOf(homes.calm), imageOf(homes.stormy)])
      return { calm, stormy, rows, struck, looks, complaints }
    } finally {
      await crew.dismiss()
      await lookout.close()
      await engine.close()
      await server.stop()
    }
  } finally {
    await upstream.close()
    await rm(root, { recursive: true, force: true })
  }
}

async function readInPeace(home: string, upstream: SimulatedWorld, world: World): Promise<number> {
  const { engine, close } = await openWorking({ home, upstream, clock: () => world.now, address: undefined })
  try {
    return await readAll(engine, world)
  } finally {
    await close()
  }
}

/** Reads all sources, and returns the rows that they have. */
async function readAll(engine: Engine, { now }: World): Promise<number> {
  let rows = 0
  for (const source of sources) {
    const request = { source, from: 0, to: now, keys: [] }
    const run = await engine.start(backfill, { id: `backfill-${source}`, args: [request] })
    const done = await run.result()
    if (done.failed > 0) throw new Error(`${done.failed} units of ${source} failed: ${JSON.stringify(done.failures)}`)
    rows += done.rows
  }
  return rows
}

/** For what a worker was about when it fell asleep: it is done in less. */
const afterwards_ms = 5_000

type Crew = {
  hire: () => Promise<void>
  /** One of them dies, and another comes. */
  kill: (random: Random) => Promise<void>
  /** One of them sleeps for a while and another comes, so that both do the same when the first wakes. */
  freeze: (ms: number) => Promise<void>
  /** Waits until those that sleep have woken, and have gone on with what they were about. */
  untilAwake: () => Promise<void>
  dismiss: () => Promise<void>
}

function openCrew(settings: WorkerSettings): Crew {
  const workers: WorkerProcess[] = []
  const asleep: Promise<void>[] = []
  const hire = async (): Promise<void> => void workers.push(await startWorker(settings))
  return {
    hire,
    kill: async (random) => {
      const [worker] = workers.splice(random.below(workers.length), 1)
      await worker?.kill()
      if (workers.length === 0) await hire()
    },
    freeze: async (ms) => {
      const [worker] = workers
      worker?.freeze()
      const wake = async (): Promise<void> => {
        await sleep(ms)
        worker?.thaw()
        await sleep(afterwards_ms)
      }
      asleep.push(wake())
      await hire()
    },
    untilAwake: async () => {
      await Promise.all(asleep)
    },
    dismiss: async () => {
      await Promise.all(workers.map((worker) => worker.kill()))
    },
  }
}

type Battlefield = {
  settings: StormSettings
  n_units: number
  home: string
  crew: Crew
  server: TemporalServer
  reading: Promise<unknown>
}

/** Strikes at random moments of the work, each when so many units are stored; returns what struck before the end. */
async function strikeAll({ settings, n_units, home, crew, server, reading }: Battlefield) {
  const { seed, kills, freezes, freeze_ms, restarts, say } = settings
  const random = createRandom(seed, 9)
  const strikes = [
    ...Array.from({ length: kills }, (): Strike => 'kill'),
    ...Array.from({ length: freezes }, (): Strike => 'freeze'),
    ...Array.from({ length: restarts }, (): Strike => 'restart'),
  ].map((strike) => ({ strike, after: random.below(n_units), wait_ms: random.below(300) }))
  const struck: Record<Strike, number> = { kill: 0, freeze: 0, restart: 0 }
  let isDone = false
  const end = reading.finally(() => {
    isDone = true
  })
  // The caller that awaits the reading gets its failure.
  end.catch(() => undefined)
  for (const { strike, after, wait_ms } of strikes.toSorted((a, b) => a.after - b.after)) {
    while (!isDone && countStored(home) < after) await sleep(50)
    await sleep(wait_ms)
    if (isDone) break
    say(`${strike} at ${countStored(home)} units`)
    if (strike === 'kill') await crew.kill(random)
    else if (strike === 'freeze') await crew.freeze(freeze_ms)
    else await server.restart()
    struck[strike] += 1
  }
  return struck
}

/** The number of units with coverage. */
const countStored = (home: string): number =>
  catalogRows(
    home,
    'select count(distinct unit) as n from tapeline_coverage where end_snapshot is null',
    z.object({ n: z.number() }),
  )[0]?.n ?? 0

const stopwatch =
  (say: (line: string) => void) =>
  async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const begun_ms = performance.now()
    const done = await work()
    say(`${what}: ${((performance.now() - begun_ms) / 1000).toFixed(1)} s`)
    return done
  }
