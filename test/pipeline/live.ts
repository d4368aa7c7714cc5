import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { startUpstream, type Upstream } from '#bin/demo/upstream.ts'
import { openWorkingEngine } from '#bin/wiring/engine.ts'
import { followed, startFollowing, usualPace } from '#bin/wiring/follow_plan.ts'
import { openPipeline, type Pipeline, type PipelineOptions } from '#bin/wiring/pipeline.ts'
import { startPublishing } from '#bin/wiring/publish_plan.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig, type Config } from '#config.ts'
import type { Engine } from '#engine/engine.ts'
import { pause as pauseUnless } from '#engine/retry.ts'
import type { Lake } from '#lake/lake.ts'
import type { Micros } from '#time.ts'
import { backfill } from '#workflows/backfill.ts'
import { score } from '#workflows/score.ts'

const minute = 60_000_000

/** A simulated world that is followed at speed, with all that does so in this process. */
export type Live = {
  upstream: Upstream
  pipeline: Pipeline
  engine: Engine
  service: Service
  /** Sends a request to the service with a key. */
  ask: (path: string) => Promise<Response>
  /** The files that scheduled maintenance has joined and deleted so far. */
  maintained: { joined: number; deleted: number }
  close: () => Promise<void>
}

export type LiveSettings = {
  home: string
  seed: number
  scale: number
  speed: number
  ahead_s?: number
  squeeze?: number
  /** A source that is not followed. */
  without?: string
  /** The pace of a real follow, instead of that of the world. */
  isReal?: boolean
}

/** Reads all that has happened in a world and then follows it: the world begins to move when this returns. */
export async function openLive({ home, without, isReal = false, ...world }: LiveSettings): Promise<Live> {
  const upstream = await startUpstream(world)
  const config = configOf(home, upstream, without)
  const service = await openService(config, true)
  const options = { clock: upstream.clock, speed: world.speed, keepLakeSnapshots_ms: isReal ? 600_000 : 5_000 }
  const maintained = { joined: 0, deleted: 0 }
  const open = async (given: PipelineOptions): Promise<Pipeline> =>
    counting(await openPipeline(config, { ...given, ...options }), maintained)
  const failures: string[] = []
  const onError = (id: string, error: unknown): void => void failures.push(`${id}: ${String(error)}`)
  const { pipeline, engine } = await openWorkingEngine(config, open, { onError })
  for (const source of followed) {
    const request = { source, from: 0, to: upstream.endsAt, keys: [] }
    await (await engine.start(backfill, { id: source, args: [request] })).result()
  }
  await (await engine.start(score, { id: 'first', args: [{ asOf: null }] })).result()
  await service.marts.refresh()
  const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
  const begun = upstream.clock()
  upstream.run()
  // The first publication is as of this minute. A follow that published it again would also count late trades.
  while (upstream.clock() < begun + minute) await sleep(20)
  const pace = isReal ? usualPace : { maintain_ms: 5_000, requested_ms: 5_000 }
  await startFollowing(engine, 0, pace, config.sources)
  await startPublishing(engine, isReal ? undefined : 20_000)
  return {
    upstream,
    pipeline,
    engine,
    service,
    maintained,
    ask: (path) => fetch(`${service.url}/v1${path}`, { headers: { authorization: `Bearer ${key}` } }),
    close: async () => {
      await engine.close()
      await service.close()
      await pipeline.close()
      await upstream.close()
      if (failures.length > 0) throw new Error(failures.join('\n'))
    },
  }
}

/** The same pipeline, whose maintenance is counted. */
const counting = (pipeline: Pipeline, counts: Live['maintained']): Pipeline => ({
  ...pipeline,
  activities: {
    ...pipeline.activities,
    maintain: async () => {
      const result = await pipeline.activities.maintain()
      counts.joined += result.files_compacted
      counts.deleted += result.files_deleted
      return result
    },
  },
})

function configOf(home: string, upstream: Upstream, without: string | undefined): Config {
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' })
  const sources = config.sources.filter(({ name }) => name !== without)
  return { ...config, sources, threads: 2, memory: '2GB', hosts: simulatedHosts(config.hosts, upstream) }
}

const marketsShape = z.array(z.object({ id: z.string(), yes_price: z.number() }))

/** The observations of readers of the open markets. */
export type Seen = {
  /** The odds of each snapshot, by market. */
  snapshots: Map<Micros, Map<string, number>>
  /** The delay of the odds behind the world, in its seconds, at each answer. */
  behind_s: number[]
  faults: string[]
}

/** Reads the open markets again and again, with that many readers at once, until a signal. Adds to `seen`. */
export async function readMarkets(
  { ask, upstream }: Live,
  { readers, signal, seen }: { readers: number; signal: AbortSignal; seen: Seen },
): Promise<void> {
  const bodies = new Map<string, string>()
  const read = async (): Promise<void> => {
    const response = await ask('/pm-markets?status=open&limit=1000')
    const body = await response.text()
    // On a busy machine queries wait too long, and the service says so. A reader asks again.
    if (response.status === 503 && body.includes('"overloaded"')) return
    const stamp = response.headers.get('x-data-as-of') ?? ''
    if (response.status !== 200) return void seen.faults.push(`${response.status}: ${body}`)
    const asOf = Date.parse(stamp) * 1000
    seen.behind_s.push((upstream.clock() - asOf) / 1_000_000)
    const before = bodies.get(stamp)
    if (before !== undefined && before !== body) seen.faults.push(`two answers as of ${stamp}`)
    if (before !== undefined) return
    bodies.set(stamp, body)
    const markets = marketsShape.parse(JSON.parse(body))
    seen.snapshots.set(asOf, new Map(markets.map(({ id, yes_price }) => [id, yes_price])))
  }
  const reader = async (n: number): Promise<void> => {
    await pause(n * 20, signal)
    while (!signal.aborted) {
      await read()
      await pause(1_000, signal)
    }
  }
  await Promise.all(Array.from({ length: readers }, (_, n) => reader(n)))
}

const feedOnly = { coverage: ['polymarket_feed/'], fills: ['polymarket_feed/'] }
const hourShape = z.object({ unit: z.string(), n_rows: z.number() })
const countShape = z.object({ unit: z.string(), n: z.bigint() })

/** The comparisons of a lake with its coverage. */
export type Looks = { n_looks: number; faults: string[] }

/** Compares, again and again, the rows of the feed that a reader finds with those that coverage states. */
export async function readLake(lake: Lake, { signal, looks }: { signal: AbortSignal; looks: Looks }): Promise<void> {
  while (!signal.aborted) {
    await lake.read(async ({ query }) => {
      const closed = await query(
        `select strftime(from_at, '%Y-%m-%dT%H') as unit, n_rows::integer as n_rows from lake.coverage
         where source = 'polymarket_feed' and state = 'done'`,
        hourShape,
        {},
        feedOnly,
      )
      const found = new Map(
        (
          await query(
            `select strftime(ts, '%Y-%m-%dT%H') as unit, count(*) as n from lake.fills
             where source = 'polymarket_feed' group by 1`,
            countShape,
            {},
            feedOnly,
          )
        ).map(({ unit, n }) => [unit, Number(n)]),
      )
      for (const { unit, n_rows } of closed) {
        if ((found.get(unit) ?? 0) !== n_rows) looks.faults.push(`${unit}: ${found.get(unit)} of ${n_rows} fills`)
      }
    })
    looks.n_looks += 1
    await pause(500, signal)
  }
}

/** Waits, or continues at once on a signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> => pauseUnless(ms, signal).catch(() => undefined)
