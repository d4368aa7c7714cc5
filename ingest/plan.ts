import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { DAY, lastPresent, type Clock, type Micros } from '#time.ts'

import type { Get } from './http/request.ts'
import { valuesOf } from './setting.ts'
import type { Part, Source, Watermark } from './source.ts'
import { inPathOrder } from './units.ts'
import { hasEnded, hasOwnWatermark, watermarkAt, watermarkOf } from './watermark.ts'

export type PlanRequest = {
  source: string
  at: Micros
  from: Micros
  to: Micros
  /** The part to plan; without it, all parts. */
  part?: string
  /** The keys of the requested units; empty: all units. */
  keys: string[]
  /** Also plans units before the interval that earlier runs left open, since the interval of a follow moves on. */
  includeOpen?: boolean
  /** Plans stored units too, also complete ones, such as those that an upstream answered wrongly. */
  refresh?: boolean
  /** Of a refresh: complete readings replace stored rows that they lack. */
  acceptLoss?: boolean
  /** The keys were requested by callers. */
  areRequested?: boolean
}

/** `get` reads from the upstream, for plans that need it. `followed` lists addresses; by default there are none. */
export type PlanTools = {
  lake: LakeReader
  get: Get
  followed?: () => Promise<string[]>
  /** The paths of the units of a part of which a reading was refused or has rejected rows. By default there are none. */
  faultyOf?: (part: Pick<Unit, 'source' | 'part'>) => Promise<ReadonlySet<string>>
}

const none: ReadonlySet<string> = new Set()

/** The due units in order of their paths. `failures` has the parts that could not be planned. */
export type PlannedUnits = { units: Unit[]; failures?: { unit: string; reason: string }[] }

const entryShape = z.object({
  unit: z.string(),
  state: z.string(),
  to_at: z.date().nullable(),
  to_block: z.bigint().nullable(),
  checked_at: z.date(),
  is_contradicted: z.boolean(),
})
type Entry = z.infer<typeof entryShape>

/** Coverage of at most this many units is read by unit. For more units, all coverage of their parts is read. */
const fewUnits = 50

/**
 * The due units of an interval: units that were never read, failed, or have grown. Closed units and heads that reach
 * the watermark are not due, so a new run continues an interrupted run. An unverified unit that has ended is due a day
 * after its last reading at the earliest, and then after twice its age. A backfill reads faulty units again too, of
 * which a reading was refused or has rejected rows. An observation cannot be repeated, so a later one follows it. With
 * `refresh` all units of the interval are due. A part that cannot be planned fails alone. If all parts fail, the plan
 * fails.
 */
export async function plan(source: Source, request: PlanRequest, tools: PlanTools): Promise<PlannedUnits> {
  const parts = source.parts.filter(({ name }) => request.part === undefined || name === request.part)
  const planned = await Promise.allSettled(parts.map((part) => planPart(source, part, request, tools)))
  const failed = planned.flatMap((outcome, n) =>
    outcome.status === 'rejected' ? [{ part: parts[n]?.name ?? '', error: outcome.reason as unknown }] : [],
  )
  const fatal = failed.length === parts.length ? failed[0] : failed.find(({ error }) => isAbort(error))
  if (fatal !== undefined) throw fatal.error
  const failures = failed.map(({ part, error }) => ({ unit: `${source.name}/${part}`, reason: reasonOf(error) }))
  const all = planned.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  const byId = await entriesOf(source, parts, all, tools.lake)
  const due = all.filter(({ unit, watermark }) =>
    isDue(source, unit, byId.get(unitPath(unit)), { ...request, watermark }),
  )
  return { units: inPathOrder(due.map(({ unit }) => unit)), ...(failures.length > 0 ? { failures } : {}) }
}

type Planned = { unit: Unit; watermark: Watermark }

async function planPart(
  source: Source,
  part: Part,
  request: PlanRequest,
  { faultyOf = async () => none, ...tools }: PlanTools,
): Promise<Planned[]> {
  if (source.kind === 'stream') return []
  const watermark = await watermarkOf(source, part, { get: tools.get, at: request.at })
  const includeOpen = request.includeOpen === true
  const settings = valuesOf(source)
  const refresh = request.refresh === true
  const partContext = { settings, part, watermark, includeOpen, refresh }
  const context = { followed: async () => [], ...request, ...tools, ...partContext }
  const units = await source.plan(context)
  const asked = { forceRefresh: true, ...(request.acceptLoss === true ? { acceptLoss: true } : {}) }
  if (refresh) return units.map((unit) => ({ unit: { ...unit, ...asked }, watermark }))
  const faulty =
    includeOpen || source.unit === 'observation' ? none : await faultyOf({ source: source.name, part: part.name })
  if (faulty.size === 0) return units.map((unit) => ({ unit, watermark }))
  // A plan leaves out closed units, so all are planned to find the faulty ones.
  const again = (await source.plan({ ...context, refresh: true })).filter((unit) => faulty.has(unitPath(unit)))
  const others = units.filter((unit) => !faulty.has(unitPath(unit)))
  return [...others, ...again.map((unit) => ({ ...unit, forceRefresh: true }))].map((unit) => ({ unit, watermark }))
}

/** The coverage of units in the first dataset of their source, by the id of the unit. */
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
    `select unit, state, to_at, to_block, checked_at,
       coalesce(reason_code = 'contradicted', false) as is_contradicted
     from lake.coverage where source = $source and dataset = $dataset`,
    entryShape,
    { source: source.name, dataset: source.datasets[0] },
    { coverage: paths },
  )
  return new Map(entries.map((entry) => [entry.unit, entry]))
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

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
  // A request by name reads all other states again.
  if (keys.length > 0) return true
  const isOld = checked_at < at - DAY
  // An outage looks like an upstream without the unit. It is read again the next day, also after its end.
  if (entry.state === 'unavailable') return isOld
  if (!isEnded) return isGrown
  // The last reading was before the end of the unit.
  if (to !== null && unit.to !== null && to < unit.to) return true
  // The upstream may correct rows that did not parse, and another endpoint may prove blocks.
  if (entry.state === 'quarantined' || hasOwnWatermark(source)) return isOld
  if (!hasEnded(unit, watermarkAt(source, checked_at))) return true
  // The upstream may show later what it cut off. Each reading waits as long as the unit was old at the one before.
  const age = checked_at - (unit.to ?? checked_at)
  return isOld && (entry.is_contradicted || at - checked_at >= age)
}

/** The exclusive end of the stored part of a unit, an instant or a block. */
const reachOf = ({ to_at, to_block }: Entry): number | null =>
  to_block === null ? to_at && microsOf(to_at) : Number(to_block)

const microsOf = (date: Date): Micros => date.getTime() * 1000

/** A page of due units, in order of their paths, the path of its last unit, and the number of due units from it on. */
export type Page = PlannedUnits & { last: string; due: number }
/** A request for at most `limit` due units after a path. */
export type PageRequest = PlanRequest & { after: string; limit: number }

/** What is left of a plan after the path `after`. */
type Kept = { asked: string; after: string; planned: PlannedUnits }

/**
 * Gives due units page by page. A plan reads its whole source, so the process keeps what a page leaves for the next
 * page of the same request. That page leaves out units that another run has read since the instant of the plan. Without
 * a kept plan, as in another worker, the page is planned anew.
 */
export function createPages(lake: Pick<Lake, 'catalog'>, clock: Clock) {
  const kept = new Map<string, Kept>()
  return async ({ after, limit, ...request }: PageRequest, planned: () => Promise<PlannedUnits>): Promise<Page> => {
    const asked = JSON.stringify(request)
    const key = `${request.source}/${request.part ?? ''}`
    const previous = kept.get(key)
    const isKnown = after !== '' && previous?.asked === asked && previous.after <= after
    const whole = isKnown ? previous.planned : await planned()
    const all = unitsAfter(whole.units, after)
    const left = isKnown ? await withoutRead(lake, all, { after, limit, at: request.at, now: clock() }) : all
    const page = pageOf(left, after, limit)
    if (page.units.length < page.due) kept.set(key, { asked, after, planned: { ...whole, units: left } })
    else kept.delete(key)
    return { ...whole, ...page }
  }
}

/** The units after a path. The units of a kept plan begin shortly before it. */
function unitsAfter(units: readonly Unit[], after: string): Unit[] {
  const first = units.findIndex((unit) => unitPath(unit) > after)
  return first === -1 ? [] : units.slice(first)
}

/** Leaves out the next units that were read after the instant `at`, until one of them is left. */
async function withoutRead(
  { catalog }: Pick<Lake, 'catalog'>,
  units: Unit[],
  { after, limit, at, now }: Pick<PageRequest, 'after' | 'limit' | 'at'> & { now: Micros },
): Promise<Unit[]> {
  for (let from = 0; from < units.length; from += limit) {
    const next = units.slice(from, from + limit)
    const rows = await catalog.db
      .selectFrom('tapeline_coverage')
      .select('unit')
      .where('unit', '>', after)
      .where('unit', '<=', unitPath(next.at(-1) as Unit))
      .where('end_snapshot', 'is', null)
      .where('state', '<>', 'missing')
      .where('checked_at', '>', at)
      .where('checked_at', '<=', lastPresent(now))
      .execute()
    const read = new Set(rows.map(({ unit }) => unit))
    const due = next.filter((unit) => !read.has(unitPath(unit)))
    if (due.length > 0) return [...due, ...units.slice(from + limit)]
  }
  return []
}

/** Characters of one message: Temporal takes two megabytes. */
const pageChars = 1_000_000

/** The units that fit into one message, at least one. */
function pageOf(left: readonly Unit[], after: string, limit: number): Page {
  const units: Unit[] = []
  let length = 0
  for (const unit of left.slice(0, limit)) {
    length += JSON.stringify(unit).length
    if (length > pageChars && units.length > 0) break
    units.push(unit)
  }
  const last = units.at(-1)
  return { units, last: last === undefined ? after : unitPath(last), due: left.length }
}
