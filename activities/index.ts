import { gridInstant, type Clock } from '#lake/clock.ts'
import type { Micros } from '#lake/columns.ts'
import type { Lake } from '#lake/lake.ts'
import type { Model } from '#lake/model.ts'
import { publishMarts } from '#lake/publish.ts'
import { unitPath, type Unit } from '#lake/unit.ts'

import type { Host, HostName } from './hosts.ts'
import type { Http } from './http.ts'
import { createBudget } from './budget.ts'
import { estimateWork, type Estimate } from './estimate.ts'
import { dueUnits, type PlanRequest } from './plan.ts'
import { pullAll, type Tally } from './pull.ts'
import type { Source } from './source.ts'

export type { Estimate, PlanRequest, Tally }

/** A page of due units, in order of their paths. `last` is the path of the last one. */
export type Plan = { units: Unit[]; last: string; due: number }

/** What a scoring run came to. */
export type Scored = {
  snapshot: string
  asOf: Micros
  analystsCopy: 'published' | 'waiting'
  tables: { name: string; n_rows: number; content_hash: string }[]
}

/** The verbs that a workflow may call. They are idempotent, and what they hand over are manifests, never rows. */
export type Activities = {
  /** Names the instant that a run is about: workflows do not read clocks. */
  instant: (source: string) => Promise<Micros>
  /** The units that are due after a path, at most `limit`: up to which path they reach, and how many are due in all. */
  plan: (request: PlanRequest & { after: string; limit: number }) => Promise<Plan>
  estimate: (request: PlanRequest) => Promise<Estimate>
  pull: (request: { units: Unit[]; at: Micros }) => Promise<Tally>
  score: (request: { asOf: Micros | null }) => Promise<Scored>
}

export type ActivityTools = {
  lake: Lake
  sources: readonly Source[]
  hosts: Record<HostName, Host>
  http: Http
  models: readonly Model[]
  /** The time of the world that is watched. */
  clock: Clock
  /** The machine's time. */
  now: () => Micros
  keepRaw: boolean
  /** How many units of a batch are read at once. */
  concurrency: number
  /** How long a replaced snapshot is kept. */
  keepSnapshots_ms: number
  threads: number
  memory: string
}

export function createActivities(tools: ActivityTools): Activities {
  const { lake, clock } = tools
  const budget = createBudget()
  const sourceOf = (name: string): Source => findSource(tools.sources, name)
  return {
    instant: async (source) => gridInstant(clock(), sourceOf(source).grid_s),
    plan: async ({ after, limit, ...request }) => {
      const due = await lake.read((reader) => dueUnits(sourceOf(request.source), request, reader))
      const left = due.filter((unit) => unitPath(unit) > after)
      const units = left.slice(0, limit)
      const last = units.at(-1)
      return { units, last: last === undefined ? after : unitPath(last), due: left.length }
    },
    estimate: (request) => lake.read((reader) => estimateWork(sourceOf(request.source), tools.hosts, request, reader)),
    pull: ({ units, at }) => pullAll({ ...tools, budget }, sourceOf, units, at),
    score: async ({ asOf }) => {
      const { models, threads, memory, now, keepSnapshots_ms: keep_ms } = tools
      const published = await publishMarts(lake, { models, asOf: asOf ?? clock(), threads, memory, now, keep_ms })
      const tables = published.tables.map(({ name, n_rows, content_hash }) => ({ name, n_rows, content_hash }))
      return { snapshot: published.id, asOf: published.asOf, analystsCopy: published.analystsCopy, tables }
    },
  }
}

/** The source of a name, or an error that says which there are. */
export function findSource(sources: readonly Source[], name: string): Source {
  const source = sources.find((candidate) => candidate.name === name)
  if (source !== undefined) return source
  throw new Error(`no source is called ${name}; there are ${sources.map((candidate) => candidate.name).join(', ')}`)
}
