import { setTimeout as sleep } from 'node:timers/promises'

import { createBuild } from '#activities/build.ts'
import { createActivities, followedParts, type Activities, type PublishResult } from '#activities/index.ts'
import { followed } from '#bin/wiring/follow_plan.ts'
import { simulatedHosts, type SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { startWorkflow } from '#engine/embedded_workflow.ts'
import { detachedContext } from '#ingest/heartbeat.ts'
import { createHttp } from '#ingest/http/http.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import { sources } from '#sources/index.ts'
import { judgeSpace } from '#storage/disk_space.ts'
import type { OpenStorage } from '#storage/storage.ts'
import { sized } from '#test/run/sized.ts'
import type { Clock, Micros } from '#time.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'

/** A house over a folder, whose clock and upstream are the test's. */
export type TestHouse = {
  lake: Lake
  activities: Activities
  /** Publishes as of an instant. */
  publish: (name: PublicationName, asOf: Micros) => Promise<PublishResult>
  /** The followed sources of the hosts that the upstream serves. */
  served: readonly string[]
}

/** The settings that may differ between two runs with equal lakes. */
export type Variation = {
  concurrency?: number
  threads?: number
  keepRaw?: boolean
  fetch?: typeof fetch
  storage?: OpenStorage
}

export async function openTestPipeline(
  home: string,
  upstream: SimulatedWorld,
  clock: Clock,
  { concurrency = 8, threads = sized(1, 2), keepRaw = false, storage, ...network }: Variation = {},
): Promise<TestHouse> {
  const memory = '2GB'
  const lake = await openLake(home, { threads, memory }, undefined, storage)
  const hosts = simulatedHosts(parseConfig({}).hosts, upstream)
  const timers = { now_ms: Date.now, sleep: (ms: number) => sleep(Math.min(ms, 20)) }
  const http = createHttp({ hosts, random: Math.random, ...timers, ...network })
  const building = {
    lake,
    models: await loadScoring(),
    macros: await loadExplain(),
    columns,
    clock,
    now: () => Date.now() * 1000,
    keepSnapshots_ms: 60_000,
    threads,
    memory,
  }
  const build = createBuild(building)
  const activities = createActivities({
    ...building,
    build,
    hosts,
    http,
    streams: async function* () {},
    sources,
    speed: 1_000,
    timers,
    disk: async () => judgeSpace(1e12),
    keepRaw,
    concurrency,
    keepLakeSnapshots_ms: 60_000,
    requests: {
      list: async () => [],
      followed: async () => [],
      strangers: async () => [],
      complete: async () => undefined,
    },
    context: () => detachedContext,
  })
  const served = sources.filter((source) => followed.includes(source.name) && followedParts(source, hosts).length > 0)
  const publish: TestHouse['publish'] = (name, asOf) => build({ kind: 'publish', name, asOf })
  return { lake, activities, publish, served: served.map(({ name }) => name) }
}

/**
 * Reads all followed sources that are served, over all time. Throws where a unit failed, unless its reason has the text
 * `mayFail`.
 */
export async function ingestAll(
  { activities, served }: TestHouse,
  to: Micros,
  sources = served,
  { mayFail, ...more }: { refresh?: boolean; mayFail?: string } = {},
): Promise<Progress[]> {
  const done: Progress[] = []
  for (const source of sources) {
    const state = await startWorkflow(backfill, { args: [{ source, from: 0, to, keys: [], ...more }], activities })
      .result
    const others = state.failures.filter(({ reason }) => mayFail === undefined || !reason.includes(mayFail))
    if (others.length > 0) throw new Error(`${source}: ${JSON.stringify(others)}`)
    done.push(state)
  }
  return done
}

/** The content hash of each mart, by name. */
export const hashesOf = ({ tables }: PublishResult): Record<string, string> =>
  Object.fromEntries(tables.map(({ name, content_hash }) => [name, content_hash]))
