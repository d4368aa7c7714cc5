import { z } from 'zod'

import type { Get } from '#activities/http/request.ts'
import type { Part, Source, Watermark } from '#activities/source.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { LakeReader } from '#lake/reader.ts'
import { rowsPath, unitPath, type Unit } from '#lake/units/unit.ts'
import { DAY, type Micros } from '#time.ts'

import { inPathOrder } from './units.ts'
import { hasEnded, hasOwnWatermark, watermarkAt, watermarkOf } from './watermark.ts'

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

/** `get` asks the upstream, for a plan that needs to. */
export type PlanTools = { lake: LakeReader; get: Get }

/** The due units in order of their paths. `failures` names the parts that could not be planned, if there are any. */
export type PlannedUnits = { units: Unit[]; failures?: { unit: string; reason: string }[] }

const entryShape = z.object({
  unit: z.string(),
  state: z.string(),
  to_at: z.date().nullable(),
  to_block: z.bigint().nullable(),
  checked_at: z.date(),
})
type Entry = z.infer<typeof entryShape>

/** Coverage of so few units is read file by file; beyond that the files of their parts are read whole. */
const fewUnits = 50

/**
 * The units of an interval that are due: those that were never read, failed, or have grown since. What is closed is
 * not read again, nor is a head that already reaches the watermark; so a run that was cut off goes on where it was. A
 * part that cannot be planned fails alone, unless it is all there is to plan.
 */
export async function planUnits(source: Source, request: PlanRequest, tools: PlanTools): Promise<PlannedUnits> {
  const parts = source.parts.filter(({ name }) => request.part === undefined || name === request.part)
  const planned = await Promise.allSettled(parts.map((part) => planPart(source, part, request, tools)))
  const failed = planned.flatMap((outcome, n) =>
    outcome.status === 'rejected' ? [{ part: parts[n]?.name ?? '', error: outcome.reason as unknown }] : [],
  )
  const fatal = failed.length === parts.length ? failed[0] : failed.find(({ error }) => isAbort(error))
  if (fatal !== undefined) throw fatal.error
  const failures = failed.map(({ part, error }) => ({ unit: `${source.name}/${part}`, reason: reasonOf(error) }))
  const all = planned.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  const byPath = await entriesOf(source, parts, all, tools.lake)
  const due = all.filter(({ unit, watermark }) =>
    isDue(source, unit, byPath.get(firstPath(source, unit)), { ...request, watermark }),
  )
  return { units: inPathOrder(due.map(({ unit }) => unit)), ...(failures.length > 0 ? { failures } : {}) }
}

type Planned = { unit: Unit; watermark: Watermark }

async function planPart(source: Source, part: Part, request: PlanRequest, tools: PlanTools): Promise<Planned[]> {
  if (source.kind === 'stream') return []
  const watermark = await watermarkOf(source, part, { get: tools.get, at: request.at })
  const includeOpen = request.includeOpen === true
  const units = await source.plan({ ...request, ...tools, part, watermark, includeOpen })
  return units.map((unit) => ({ unit, watermark }))
}

/** What coverage says of units, by the path of their rows. */
async function entriesOf(
  source: Source,
  parts: readonly Part[],
  units: readonly Planned[],
  lake: LakeReader,
): Promise<Map<string, Entry>> {
  if (units.length === 0) return new Map()
  const paths =
    units.length > fewUnits
      ? parts.map(({ name }) => `${source.name}/${name}/`)
      : units.map(({ unit }) => unitPath(unit))
  const entries = await lake.query(
    'select unit, state, to_at, to_block, checked_at from lake.coverage where source = $source',
    entryShape,
    { source: source.name },
    { coverage: paths },
  )
  return new Map(entries.map((entry) => [entry.unit, entry]))
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const firstPath = ({ datasets: [dataset] }: Source, unit: Unit): string => rowsPath(datasets[dataset], unit)

function isDue(
  source: Source,
  unit: Unit,
  entry: Entry | undefined,
  { at, keys, watermark }: PlanRequest & { watermark: Watermark },
): boolean {
  if (entry?.state === 'expired') return false
  if (entry === undefined || entry.state === 'missing' || unit.forceRefresh === true) return true
  if (entry.state === 'done') return false
  const checked_at = microsOf(entry.checked_at)
  const isEnded = hasEnded(unit, watermark)
  const to = reachOf(entry)
  const isGrown = to === null || to < watermark.head
  if (entry.state === 'head') return isGrown
  // Of all others more can be had by name.
  if (keys.length > 0) return true
  const isOld = checked_at < at - DAY
  if (entry.state === 'unavailable') return isOld && !isEnded
  if (!isEnded) return isGrown
  // What did not parse may be mended upstream; what is cut off stays so once it was read after all had happened.
  if (entry.state === 'quarantined' || hasOwnWatermark(source)) return isOld
  return !hasEnded(unit, watermarkAt(source, checked_at))
}

/** The exclusive end of what is stored of a unit, an instant or a block. */
const reachOf = ({ to_at, to_block }: Entry): number | null =>
  to_block === null ? to_at && microsOf(to_at) : Number(to_block)

const microsOf = (date: Date): Micros => date.getTime() * 1000
