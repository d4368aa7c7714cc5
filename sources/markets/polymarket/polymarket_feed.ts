import { HttpError } from '#ingest/http/http.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult, type StoredUnit } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { numberedFills } from '#sources/markets/fills.ts'
import { HOUR, type Micros, isoMicros } from '#time.ts'

import { feed, feedHours, followedBackTo, lastHour, shownFrom, type FeedHour } from './feed_coverage.ts'
import { dataHost } from './hosts.ts'
import { readFeed, type FeedPages } from './wire/feed_pages.ts'

const SETTLE_S = 900
/** The time of the venue's first market, before which there are no trades. */
const FIRST_TRADE = Date.UTC(2020, 8) * 1000

export const polymarketFeed = defineSource({
  ...feed,
  doc:
    'Every trade of the venue, by the hour: the Data API’s `/v2/trades` without a filter, read twice, with takers ' +
    'only and with all, so that each fill is marked as a taker’s or a maker’s. It is paged backwards from now to ' +
    'the previous reading, whose rows are carried over. A settled hour is read again as a whole. After a pause up ' +
    'to three days are read back; an interval may reach the current and the previous month, which the venue ' +
    'shows. Without v2, v1’s `/trades` shows the newest 10,000 rows. An hour with a missing part is *unverified* ' +
    'with its reason; an hour out of reach is *unavailable*. Markets that were open in such a gap are read again. ' +
    'A market’s own history takes precedence over the feed. The venue’s cache gives stale copies with holes, so a ' +
    'page without a cursor is requested with a parameter that changes. That this passes the cache is measured by ' +
    'others and not documented (`tapeline probe polymarket`).',
  datasets: ['fills'],
  precedence: 5,
  settle_s: SETTLE_S,
  grid_s: 60,
  parts: [{ name: feed.part, upstreams: [dataHost] }],
  follow: { group: 'feed' },
  // `polymarket_trades` stores past intervals instead.
  isPagedFromNow: true,
  typical: { requests: 80, rows: 40_000, bytes: 40_000_000 },
  plan,
  read,
})

/**
 * The due hours. A follow, or an interval from 0 on, plans the hours that are not done. It begins at the first hour
 * read, or as far back as a follow reads. Without a read hour it plans only the current hour. Any other interval plans
 * its own hours.
 */
async function plan({ lake, at, from, to, includeOpen }: PlanContext): Promise<Unit[]> {
  const last = lastHour(at)
  const hourByStart = new Map((await feedHours(lake)).map((hour) => [hour.from, hour]))
  const isFollowed = includeOpen || from === 0
  const first = isFollowed
    ? Math.min(Math.max([...hourByStart.keys()][0] ?? last, followedBackTo(at)), last)
    : Math.max(from - (from % HOUR), FIRST_TRADE)
  const end = isFollowed ? last + HOUR : Math.min(to, last + HOUR)
  const units: Unit[] = []
  for (let hour = first; hour < end; hour += HOUR) {
    if (isLeft(hourByStart.get(hour), at)) units.push(unitOf(feed, { from: hour, to: hour + HOUR }))
  }
  return units
}

/** Excludes hours that are done, or read to their end and not settled. */
function isLeft(hour: FeedHour | undefined, at: Micros): boolean {
  if (hour === undefined || hour.state === 'missing' || hour.state === 'unavailable') return true
  const end = hour.from + HOUR
  return hour.state !== 'done' && (hour.to < end || end + SETTLE_S * 1_000_000 <= at)
}

async function read(unit: Unit, { get, at, until, stored, storedRows }: ReadContext): Promise<ReadResult> {
  const end = Math.min(until, unit.to ?? until)
  if (end <= shownFrom(at)) return unavailable('the feed shows the current and the previous month')
  const before = await stored()
  // A settled hour is read whole, whatever is stored, so that rows that the venue showed late are included.
  const isLast = until > at
  const whole = wholeTo(before, unit)
  const goal = isLast ? unit.from : Math.min(whole, end)
  const walked = await readFeed(get, { goal, end })
  if (walked instanceof HttpError) return unavailable(walked.message)
  const edge = Math.min(walked.reached, end)
  if (edge === end && goal < end && before === undefined) return unavailable(walked.ending)
  const kept = before === undefined || edge === unit.from ? [] : await storedRows('fills', edge)
  const walkedFills = walked.fills.filter(({ ts }) => ts >= edge)
  const gap = gapOf(walked, { edge, whole, before })
  const reasons = [gap, ...incompleteReasonsOf(walked)].filter((incompleteReason) => incompleteReason !== null)
  const n_takers = walkedFills.filter(({ role }) => role === 'taker').length
  return {
    rows: { fills: numberedFills([...kept, ...walkedFills]) },
    rejected: walked.rejected,
    to: end,
    ...(gap === null
      ? {
          proof: `${walked.proof}, read back to ${isoMicros(edge)}: ${walkedFills.length} fills, ${n_takers} of takers`,
        }
      : {}),
    ...(reasons.length > 0 ? { state: 'unverified', reason: reasons.join('; ') } : { state: 'complete' }),
  }
}

const unavailable = (reason: string): ReadResult => ({
  rows: { fills: [] },
  rejected: [],
  state: 'unavailable',
  reason,
})

/** The end of the complete stored rows. An hour with a rejected row is read again. */
const wholeTo = (before: StoredUnit | undefined, { from }: Unit): Micros =>
  before?.state === 'head' && before.to !== null ? before.to : from

/** The unread part in words; null without one. */
function gapOf(
  { reached, ending }: FeedPages,
  { edge, whole, before }: { edge: Micros; whole: Micros; before: StoredUnit | undefined },
): string | null {
  if (edge <= whole) return null
  const coveredTo = Math.max(whole, before?.to ?? whole)
  const older = before?.state === 'head' ? null : (before?.reason ?? null)
  if (edge <= coveredTo) return older
  const newer = `nothing was read from ${isoMicros(coveredTo)} to ${isoMicros(Math.min(reached, edge))}: ${ending}`
  return older === null ? newer : `${older}; ${newer}`
}

const incompleteReasonsOf = ({
  incompleteReason,
  areTakersKnown,
  n_unmatched_takers,
}: FeedPages): (string | null)[] => [
  incompleteReason,
  areTakersKnown ? null : 'the venue does not list its takers, so that roles are unknown',
  n_unmatched_takers > 0 ? `${n_unmatched_takers} takers are missing from the listing of all` : null,
]
