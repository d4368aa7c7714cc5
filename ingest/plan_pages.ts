import type { Lake } from '#lake/lake.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { lastPresent, type Clock, type Micros } from '#time.ts'

import type { PlannedUnits, PlanRequest } from './plan.ts'

/** A page of due units, in order of their paths, the path of its last unit, and the number of due units from it on. */
export type Page = PlannedUnits & { last: string; due: number }
/** A request for at most `limit` due units after a path. */
type PageRequest = PlanRequest & { after: string; limit: number }

/** What is left of a plan after the path `after`. */
type Kept = { asked: string; after: string; planned: PlannedUnits }

/**
 * Gives due units page by page. A plan reads its whole source, so the process keeps what a page leaves for the next
 * page of the same request. That page leaves out units that another run has read since the instant of the plan. Without
 * a kept plan, as in another worker, the page is planned anew.
 */
export function createPages(lake: Pick<Lake, 'catalog'>, clock: Clock) {
  const kept = new Map<string, Kept>()
  return async ({ after, limit, ...request }: PageRequest, plan: () => Promise<PlannedUnits>): Promise<Page> => {
    const asked = JSON.stringify(request)
    const of = `${request.source}/${request.part ?? ''}`
    const known = kept.get(of)
    const isKnown = after !== '' && known?.asked === asked && known.after <= after
    const planned = isKnown ? known.planned : await plan()
    const all = unitsAfter(planned.units, after)
    const left = isKnown ? await withoutRead(lake, all, { after, limit, at: request.at, now: clock() }) : all
    const page = pageOf(left, after, limit)
    if (page.units.length < page.due) kept.set(of, { asked, after, planned: { ...planned, units: left } })
    else kept.delete(of)
    return { ...planned, ...page }
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
