import { setMaxListeners } from 'node:events'

import type { Build } from '#activities/build.ts'
import { createActivities, type Activities, type IngestionQueue } from '#activities/index.ts'
import type { OnBuild } from '#activities/publish_newer.ts'
import type { Config } from '#config.ts'
import { activityCancelled, activityProgress } from '#engine/embedded_workflow.ts'
import { detachedContext, type ActivityContext } from '#ingest/heartbeat.ts'
import { createHttp, newCounts, type HttpCounts } from '#ingest/http/http.ts'
import { createStreams } from '#ingest/http/stream.ts'
import { connectWebSocket } from '#ingest/http/websocket.ts'
import type { Source } from '#ingest/source.ts'
import { openMembers } from '#lake/catalog/members.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { diskSpace } from '#storage/disk_space.ts'
import { machineClock, machineTimers, type Clock } from '#time.ts'

import { signalSecretOf, withAuthorSecret } from './accounts.ts'
import { buildHere } from './build_here.ts'
import { claimWorlds } from './world_guard.ts'

/** A lake and the activities that work on it. */
export type Pipeline = {
  lake: Lake
  activities: Activities
  /** Builds and publishes in this process. */
  build: Build
  sources: readonly Source[]
  /** The requests so far, for progress reports. */
  counts: HttpCounts
  close: () => Promise<void>
}

export type PipelineOptions = {
  /** The clock of the world that is read, and its seconds in one second of the machine. */
  clock?: Clock
  speed?: number
  signal?: AbortSignal
  keepSnapshots_ms?: number
  keepLakeSnapshots_ms?: number
  requests?: IngestionQueue
  context?: () => ActivityContext
  onBuild?: OnBuild | undefined
  /** Whether it serves the queue of ingestion of a server, as one of the workers that divide the units of a run. */
  isWorker?: boolean
}

/** The time until superseded files and snapshots are deleted. */
export const dayMs = 24 * 3_600_000

/** Opens the lake of a home and creates its activities. */
export async function openPipeline(config: Config, options: PipelineOptions = {}): Promise<Pipeline> {
  const { clock = machineClock, speed = 1, signal } = options
  const { keepSnapshots_ms, keepLakeSnapshots_ms = dayMs, isWorker = false } = options
  const { home, threads, memory, database, storage, concurrency, keepRaw, hosts, logsUnits } = config
  // Each waiting request listens to it, and Node warns of more than ten listeners.
  if (signal !== undefined) setMaxListeners(0, signal)
  const lake = await openLake(home, { threads, memory }, database, storage)
  await claimWorlds(lake, hosts).catch(async (error: unknown) => {
    await lake.close()
    throw error
  })
  const sources = await withAuthorSecret(config)
  const members = openMembers({ catalog: lake.catalog, ...machineTimers, signal })
  if (isWorker) members.join('workers')
  const counts = newCounts()
  const http = createHttp({
    hosts,
    counts,
    share: members.share,
    random: Math.random,
    ...machineTimers,
    ...(signal === undefined ? {} : { signal }),
  })
  const tools = {
    lake,
    clock,
    now: machineClock,
    threads,
    memory,
    ...(keepSnapshots_ms === undefined ? {} : { keepSnapshots_ms }),
    signalSecret: () => signalSecretOf(config),
  }
  const build = buildHere(tools)
  const activities = createActivities({
    ...tools,
    build,
    sources,
    hosts,
    http,
    streams: createStreams({ hosts, connect: connectWebSocket, random: Math.random, ...machineTimers }),
    speed,
    timers: machineTimers,
    disk: () => diskSpace(home),
    keepRaw,
    concurrency,
    keepLakeSnapshots_ms,
    requests: options.requests ?? noRequests,
    workers: isWorker ? () => members.lastCount('workers') : undefined,
    onBuild: options.onBuild,
    log: logsUnits && (await import('#bin/report/unit_log.ts')).openUnitLog(logsUnits),
    context: options.context ?? embeddedContext,
  })
  return {
    lake,
    activities,
    build,
    sources,
    counts,
    close: async () => {
      await members.close()
      await lake.close()
    },
  }
}

const noRequests: IngestionQueue = {
  list: async () => [],
  followed: async () => [],
  strangers: async () => [],
  complete: async () => undefined,
}

/** An embedded activity ends with its workflow. Its heartbeat only reports progress to the workflow. */
const embeddedContext = (): ActivityContext => ({
  ...detachedContext,
  heartbeat: activityProgress() ?? detachedContext.heartbeat,
  cancelled: activityCancelled(),
})
