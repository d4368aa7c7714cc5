import { z } from 'zod'

import type { LakeReader } from '#lake/reader.ts'
import { HOUR, type Micros } from '#time.ts'

import { VENUE } from './wire/types.ts'

/** The parameters of the unfiltered feed of trades that dependent sources use. */
export const feed = { name: 'polymarket_feed', unit: 'hour', part: VENUE, lag_s: 300 } as const

/** The first instant of the previous month. The feed does not show older trades. */
export const shownFrom = (at: Micros): Micros => {
  const now = new Date(at / 1000)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1) * 1000
}

/**
 * The span that a follow reads back after a pause. Every hour is paged from now, so a longer span is read faster by
 * market.
 */
const MOST_BACK = 72 * HOUR

/** The first instant that a follow reads back to. */
export const followedBackTo = (at: Micros): Micros => at - (at % HOUR) - MOST_BACK

/** The hour of the last instant that the feed shows by `at`. */
export const lastHour = (at: Micros): Micros => {
  const last = at - feed.lag_s * 1_000_000 - 1
  return last - (last % HOUR)
}

const hourShape = z.object({
  from: z.bigint().transform(Number),
  to: z.bigint().transform(Number),
  state: z.string(),
  /** Whether everything between its start and `to` was read. Rejected rows do not count here. */
  is_whole: z.boolean(),
  checked_at: z.bigint().transform(Number),
})
export type FeedHour = z.output<typeof hourShape>

/** The hours of the feed that were read, in order. */
export const feedHours = (lake: LakeReader): Promise<FeedHour[]> =>
  lake.query(
    `select epoch_us(from_at) as from, epoch_us(to_at) as to, state, proof is not null as is_whole,
       epoch_us(checked_at) as checked_at
     from lake.coverage where source = '${feed.name}' order by from_at`,
    hourShape,
    {},
    { coverage: [`${feed.name}/`] },
  )

/**
 * The instant from which the feed has every trade. Markets and accounts need no separate reading after it. Null if no
 * feed is followed. A gap moves it forward. An unread hour is no gap while a follow still reads back to it.
 *
 * The feed is read in parallel with the sources that use this function. The result must therefore not depend on its
 * progress within an instant. An hour counts after the next one has begun; a gap found at this instant counts at the
 * next.
 */
export async function followedFrom(lake: LakeReader, at: Micros): Promise<Micros | null> {
  const hours = (await feedHours(lake)).filter(({ from, state }) => from < lastHour(at) && state !== 'missing')
  const [first] = hours
  const last = hours.at(-1)
  const backTo = followedBackTo(at)
  // The feed is no longer followed.
  if (first === undefined || last === undefined || last.from + HOUR < backTo) return null
  let start = first.from
  let next = first.from
  for (const { from, is_whole, checked_at } of hours) {
    if (from > next && next < backTo) start = Math.min(from, backTo)
    next = from + HOUR
    if (!is_whole && checked_at < at) start = next
  }
  return start
}
