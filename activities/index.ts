import { ingestBatch, type Batch, type EmptyKey, type Tally } from '#ingest/batch.ts'
import { crossCheck, type CrossChecked } from '#ingest/check.ts'
import { estimateWork, type Estimate } from '#ingest/estimate.ts'
import {
  besideInFollow,
  followedRounds,
  requestedRound,
  type Failing,
  type FollowState,
  type RequestedRound,
} from '#ingest/followed_rounds.ts'
import { untilCancelled, type ActivityContext } from '#ingest/heartbeat.ts'
import { runGet } from '#ingest/http/get.ts'
import { lacksKey, type Hosts } from '#ingest/http/host.ts'
import type { Http } from '#ingest/http/http.ts'
import type { Timers } from '#ingest/http/rate_limiter.ts'
import type { Streams } from '#ingest/http/stream.ts'
import { createMemoryLimit } from '#ingest/memory_limit.ts'
import { nextDue, type Tick } from '#ingest/next_due.ts'
import { createPages, type Page, type PageRequest, type PlanRequest } from '#ingest/plan.ts'
import type { UnitLog } from '#ingest/report.ts'
import { addressesOf, readingOf, requestsAfter } from '#ingest/requested_keys.ts'
import type { Part, Source } from '#ingest/source.ts'
import { followStream, type StreamResult } from '#ingest/stream/follow_stream.ts'
import { wayOfUnits } from '#ingest/unit.ts'
import { noteAnswered, noteRounds } from '#lake/catalog/follows.ts'
import { withoutFuture } from '#lake/present_coverage.ts'
import { keysOfKind } from '#registry/chains/address_kind.ts'
import { asDiskFault, type DiskSpace } from '#storage/disk_space.ts'
import { gridInstant, machineClock, type Micros } from '#time.ts'

import { createBuild, type Build, type BuildTools, type PublishResult } from './build.ts'
import { maintainLake, type MaintenanceResult } from './maintain.ts'
import { createPublisher, type NewerRequest, type OnBuild, type Publications } from './publish_newer.ts'

export type {
  Batch,
  Estimate,
  Failing,
  PlanRequest,
  Publications,
  PublishResult,
  Tally,
  MaintenanceResult,
  NewerRequest,
  StreamResult,
}

/**
 * A page of due units, in order of their paths. `last` is the path of the last one. The units of a part that could not
 * be planned are on no page.
 */
export type Plan = Page & {
  /** The units are compared with other sources after they were read. */
  isCrossChecked?: true
} & LiveWorkers

/** The number of live workers; absent: this process runs the workflows itself. */
type LiveWorkers = { workers?: number }

/**
 * The activities that a workflow may call. They are idempotent. Arguments and results describe units, and never hold
 * rows.
 */
export type Activities = {
  /** The instant of a run, since workflows do not read clocks. */
  instant: (source: string) => Promise<Micros>
  /** The due instants after the reached instants. It stores the state of the follow, which shows that it lives. */
  tick: (request: FollowState & { sources: string[]; reached: Record<string, Micros> }) => Promise<Tick>
  /** At most `limit` due units after a path. It keeps the others for the next page of the same request. */
  plan: (request: PageRequest) => Promise<Plan>
  estimate: (request: PlanRequest) => Promise<Estimate>
  pull: (batch: Batch) => Promise<Tally & LiveWorkers>
  /** Compares the stored units of a source with the rows of other sources, and marks those that differ. */
  crossCheck: (request: { source: string }) => Promise<CrossChecked>
  /**
   * Follows a part of a stream for five minutes, from its stored cursor on. The heartbeats carry the cursor. It stores
   * the state of the follow at its begin.
   */
  stream: (request: FollowState & { source: string }) => Promise<StreamResult>
  /**
   * The requested keys but those `without`, the longest waiting first. It stores the state of the rounds of a source. Runs
   * of an earlier version give none.
   */
  requestedKeys: (request?: { without: string[]; round?: RequestedRound }) => Promise<string[]>
  /**
   * Removes keys that were read from that list by all given sources, and moves the other keys to its end. A source
   * without a configured upstream does not count. `empty` are the keys of each source of which nothing was stored,
   * since its upstream had no rows.
   */
  completeRequests: (request: { source: string; also?: string[]; keys: string[]; empty?: EmptyKey[] }) => Promise<void>
  /** Follows the lake for ten seconds: builds and publishes a publication whenever it is due. */
  publishNewer: (request: NewerRequest) => Promise<Publications>
  /**
   * Builds and publishes all publications as of one instant (null: now), from one snapshot of the lake, by default the
   * newest. With `keepServed` the API goes on serving the snapshots that it has.
   */
  publishAll: (request: { asOf: Micros | null; lakeSnapshot?: number; keepServed?: boolean }) => Promise<PublishResult>
  /** Compacts small files of the lake, and removes files that were superseded long enough ago. */
  maintain: () => Promise<MaintenanceResult>
}

/** The queue of requested accounts. Without an API it is empty. */
export type IngestionQueue = {
  list: (without: readonly string[]) => Promise<string[]>
  /** The addresses of watchlists and alerts, the longest followed first. */
  followed: () => Promise<string[]>
  /** The requested keys among some without stored rows. */
  strangers: (keys: string[]) => Promise<string[]>
  /** Ends the requests of keys, but for those `left`. No source had rows of the `empty` keys. */
  complete: (keys: string[], outcome: { left: string[]; empty: string[] }) => Promise<void>
}

export type ActivityTools = WithBuild & {
  sources: readonly Source[]
  hosts: Hosts
  http: Http
  streams: Streams
  /** The seconds of the followed world in a second of the machine. */
  speed: number
  timers: Timers
  /** The free space of the lake's disk. */
  disk: () => Promise<DiskSpace>
  keepRaw: boolean
  /** The number of units of a batch that are read at once. */
  concurrency: number
  /** The time until a replaced snapshot of the lake is deleted. */
  keepLakeSnapshots_ms: number
  requests: IngestionQueue
  /** Takes the report of each unit that was read. */
  log?: UnitLog | undefined
  /** Takes the report of each build of a followed lake. */
  onBuild?: OnBuild | undefined
  /** The number of live workers, for a process that is one of them. */
  workers?: (() => number) | undefined
  /** The context of the calling activity. */
  context: () => ActivityContext
}

/** Builds by a given function, or in this process with given models. */
type WithBuild =
  | ({ build: Build } & Omit<BuildTools, 'models' | 'macros' | 'columns'>)
  | (BuildTools & { build?: Build })

/** A full disk is an error of its own in every activity, since no workflow tries it again at once. */
const withDiskFaults = (activities: Activities): Activities =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: unknown[]) =>
        (activity as (...args: unknown[]) => Promise<unknown>)(...args).catch((error: unknown) => {
          throw asDiskFault(error)
        }),
    ]),
  ) as Activities

/** Creates the activities over a lake. Each throws `DiskFull` if the disk takes no more data. */
export const createActivities = (tools: ActivityTools): Activities => withDiskFaults(bareActivities(tools))

/** Stores the state of a source of requested accounts, if an upstream of it is configured. */
async function noteRequested({ sources, hosts, lake, clock }: ActivityTools, round: RequestedRound): Promise<void> {
  if (servedParts(findSource(sources, round.source), hosts).length === 0) return
  await noteRounds(lake.catalog, [requestedRound(round, clock())], Math.round(machineClock() / 1_000))
}

/** Notes that the upstream of a batch has answered, as in a whole round: at least as many units were read as failed. */
async function noteBatch({ lake, sources }: ActivityTools, batch: Batch, tally: Tally): Promise<void> {
  const [first] = batch.units
  // Requested accounts have rounds of their own.
  if (first === undefined || batch.areRequested === true || tally.units < Math.max(1, tally.failed)) return
  const { source, part } = first
  const waiting = besideInFollow(sources, findSource(sources, source), part)
  await noteAnswered(lake.catalog, { source, part, waiting }, Math.round(machineClock() / 1_000))
}

function bareActivities(tools: ActivityTools): Activities {
  const { lake, clock } = tools
  const memoryLimit = createMemoryLimit()
  const pages = createPages(lake, clock)
  const build = 'models' in tools ? (tools.build ?? createBuild(tools)) : tools.build
  const publishNewer = createPublisher({ ...tools, build })
  const sourceOf = (name: string): Source => findSource(tools.sources, name)
  const live = (): LiveWorkers => (tools.workers === undefined ? {} : { workers: Math.max(1, tools.workers()) })
  const { followed } = tools.requests
  const note = (all: readonly Source[], state: FollowState): Promise<void> => {
    const read = all.filter((source) => followedParts(source, tools.hosts).some(({ name }) => name === state.part))
    return noteRounds(lake.catalog, followedRounds(read, state, tools.speed), Math.round(machineClock() / 1_000))
  }
  return {
    instant: async (source) => gridInstant(clock(), sourceOf(source).grid_s),
    tick: async ({ sources, ...state }) => {
      const all = sources.map(sourceOf)
      await note(all, state)
      return nextDue(all, state.reached, { now: clock(), speed: tools.speed })
    },
    plan: async ({ after, limit, ...asked }) => {
      const source = sourceOf(asked.source)
      const request = { ...asked, keys: keysOfKind(asked.keys, addressesOf(source)) }
      const parts = request.includeOpen === true ? followedParts(source, tools.hosts) : servedParts(source, tools.hosts)
      const [first, ...rest] = parts
      // Without keys a plan has all units.
      const hasNoKey = request.keys.length === 0 && asked.keys.length > 0
      if (first === undefined || hasNoKey) return { units: [], last: after, due: 0 }
      const { cancelled } = tools.context()
      const served: Source = { ...source, parts: [first, ...rest] }
      const { due } = wayOfUnits({ ...tools, memoryLimit, followed, cancelled })
      const planned = await pages({ ...request, after, limit }, () => due(served, request))
      const isChecked = source.kind !== 'stream' && source.crossCheck !== undefined
      return { ...planned, ...(isChecked ? { isCrossChecked: true } : {}), ...live() }
    },
    estimate: (request) => {
      const source = sourceOf(request.source)
      if (servedParts(source, tools.hosts).length === 0) return Promise.resolve(nothing)
      const planning = { get: runGet(tools), followed }
      return lake.read((reader) =>
        estimateWork(source, tools.hosts, request, { ...planning, lake: withoutFuture(reader, clock()) }),
      )
    },
    pull: async (batch) => {
      const tally = await ingestBatch({ ...tools, memoryLimit, sourceOf }, batch, tools.context())
      await noteBatch(tools, batch, tally)
      return { ...tally, ...live() }
    },
    crossCheck: ({ source }) => untilCancelled(crossCheck(lake, sourceOf(source)), tools.context().cancelled),
    stream: async ({ source, ...state }) => {
      await note([sourceOf(source)], state)
      return followStream(tools, sourceOf(source), state.part, tools.context())
    },
    requestedKeys: async ({ without, round } = { without: [] }) => {
      if (round !== undefined) await noteRequested(tools, round)
      return tools.requests.list(without)
    },
    completeRequests: async ({ source, also = [], keys, empty = [] }) => {
      const readers = [source, ...also].map(sourceOf).filter((reader) => servedParts(reader, tools.hosts).length > 0)
      const read = await Promise.all(readers.map((reader) => readingOf(lake, reader, { keys, empty })))
      await tools.requests.complete(keys, requestsAfter(keys, read))
    },
    publishNewer: (request) => publishNewer(request, tools.context()),
    publishAll: ({ asOf, ...request }) =>
      build({ kind: 'publishAll', asOf: asOf ?? clock(), ...request }, tools.context().cancelled),
    maintain: () => maintainLake(tools, tools.context()),
  }
}

const nothing: Estimate = { units: 0, requests: 0, rows: 0, bytes: 0, seconds: 0, basis: 'typical' }

/** The parts of a source with a configured upstream. A simulated world configures only the hosts that it serves. */
const servedParts = ({ parts }: Source, hosts: Hosts): Part[] =>
  parts.filter(({ upstreams }) => upstreams.some(({ name }) => hosts[name] !== undefined))

/**
 * The parts of a source that a follow reads. A part needs a configured upstream; a simulated world configures only its
 * own. An upstream with `unfollowed` also needs its key.
 */
export const followedParts = ({ parts }: Source, hosts: Hosts): Part[] =>
  parts.filter(({ upstreams }) =>
    upstreams.some(({ name, secret }) => {
      const host = hosts[name]
      return host !== undefined && (secret?.withoutKey !== 'unfollowed' || !lacksKey(host))
    }),
  )

/** No source has this name, so a retry fails too. */
export class UnknownSource extends Error {
  constructor(name: string, sources: readonly Source[]) {
    super(`source ${name}: unknown; expected one of ${sources.map((source) => source.name).join(', ')}`)
    this.name = 'UnknownSource'
  }
}

/** The source of a name. Throws an error that lists the sources. */
export function findSource(sources: readonly Source[], name: string): Source {
  const source = sources.find((candidate) => candidate.name === name)
  if (source === undefined) throw new UnknownSource(name, sources)
  return source
}
