import { z } from 'zod'

import { hasEnded, type Source } from '#activities/source.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { LakeReader } from '#lake/reader.ts'
import { rowsPath, unitPath, type Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

export type PlanRequest = {
  source: string
  at: Micros
  from: Micros
  to: Micros
  /** The one part to plan; without it, all of them. */
  part?: string
  /** Units asked for by key; empty: all. */
  keys: string[]
  /** Also what earlier runs left open before the interval: else it would stay so, since the interval moves on. */
  includeOpen?: boolean
}

const entryShape = z.object({ unit: z.string(), state: z.string(), to_at: z.date().nullable(), checked_at: z.date() })
type Entry = z.infer<typeof entryShape>

const day = 86_400 * 1_000_000

/**
 * The units of an interval that are due: those that were never read, failed, or have grown since. What is closed is
 * not read again, nor is a head that already reaches this instant; so a run that was cut off goes on where it was.
 */
export async function dueUnits(source: Source, request: PlanRequest, lake: LakeReader): Promise<Unit[]> {
  const parts = source.parts.filter(({ name }) => request.part === undefined || name === request.part)
  const planned = await Promise.all(
    parts.map((part) => source.plan({ ...request, part, includeOpen: request.includeOpen === true, lake })),
  )
  const units = planned.flat()
  const entries = await lake.query(
    'select unit, state, to_at, checked_at from lake.coverage where source = $source',
    entryShape,
    { source: source.name },
    { coverage: parts.map(({ name }) => `${source.name}/${name}/`) },
  )
  const byPath = new Map(entries.map((entry) => [entry.unit, entry]))
  return units
    .filter((unit) => isDue(source, unit, byPath.get(firstPath(source, unit)), request))
    .map((unit) => ({ unit, path: unitPath(unit) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ unit }) => unit)
}

const firstPath = (source: Source, unit: Unit): string => {
  const [dataset] = source.datasets
  if (dataset === undefined) throw new Error(`source ${source.name} fills no dataset`)
  return rowsPath(datasets[dataset], unit)
}

function isDue(source: Source, unit: Unit, entry: Entry | undefined, { at, keys }: PlanRequest): boolean {
  if (entry === undefined || entry.state === 'missing' || unit.forceRefresh === true) return true
  if (entry.state === 'done') return false
  const checked_at = microsOf(entry.checked_at)
  const isEnded = hasEnded(source, unit, at)
  const isGrown = entry.to_at === null || microsOf(entry.to_at) < at - source.lag_s * 1_000_000
  if (entry.state === 'head') return isGrown
  // Of all others more can be had by name.
  if (keys.length > 0) return true
  const isOld = checked_at < at - day
  if (entry.state === 'unavailable') return isOld && !isEnded
  if (!isEnded) return isGrown
  // What did not parse may be mended upstream; what is cut off stays so once it was read after all had happened.
  return entry.state === 'quarantined' ? isOld : !hasEnded(source, unit, checked_at)
}

const microsOf = (date: Date): Micros => date.getTime() * 1000
