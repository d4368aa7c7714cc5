import { z } from 'zod'

import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import { VENUE } from './wire/types.ts'

/** The bare feed of trades, as the sources that build on it know it. */
export const feed = { name: 'polymarket_feed', unit: 'hour', part: VENUE, lag_s: 300 } as const

export const HOUR = 3_600_000_000

/** The first instant of the month before this one: what is older the bare feed does not show. */
export const shownFrom = (at: Micros): Micros => {
  const now = new Date(at / 1000)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1) * 1000
}

/** So far back a follow reads after a pause. Every hour is paged from now on, so that beyond it markets are read sooner. */
const MOST_BACK = 72 * HOUR

/** The first instant that a follow still reads back to. */
export const followedBackTo = (at: Micros): Micros => at - (at % HOUR) - MOST_BACK

/** The hour that holds the last instant that the feed shows by `at`. */
export const lastHour = (at: Micros): Micros => {
  const last = at - feed.lag_s * 1_000_000 - 1
  return last - (last % HOUR)
}

const hourShape = z.object({
  from: z.bigint().transform(Number),
  to: z.bigint().transform(Number),
  state: z.string(),
  /** Nothing lies between its beginning and `to` that was not read. Rows that did not parse are another matter. */
  is_whole: z.boolean(),
  checked_at: z.bigint().transform(Number),
})
export type FeedHour = z.output<typeof hourShape>

/** The hours of the feed that were asked for, in their order. */
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
 * The instant from which on the feed has every trade: what a market or an account did after it needs no reading
 * of its own. Null where no feed is followed. A break moves it forward. An hour that is not read yet is none, as long as
 * a follow reads back to it: it will be.
 *
 * The feed is read beside the sources that ask for this, so that it must not matter how far it has got at the very
 * instant: hours count once the next one has begun, and what is found out to be broken at this instant counts at the
 * next.
 */
export async function followedFrom(lake: LakeReader, at: Micros): Promise<Micros | null> {
  const hours = (await feedHours(lake)).filter(({ from, state }) => from < lastHour(at) && state !== 'missing')
  const [first] = hours
  const last = hours.at(-1)
  const backTo = followedBackTo(at)
  // Nobody follows it any more.
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
