import type { NewRow } from '#ingest/source.ts'
import { SECOND, type Micros } from '#time.ts'

const MINUTE = 60 * SECOND
/** The minutes whose posts may still be repeated. */
const HELD_MINUTES = 5

/** The begin of the minute of an instant. */
export const minuteOf = (at: Micros): Micros => at - (at % MINUTE)

/** Counts a post, and returns the count of its minute so far as a row. A repeated post changes nothing. */
export type CountDropped = (post_id: string, at: Micros) => NewRow<'dropped_posts'>[]

/**
 * Counts the posts of a stream that are not kept, by the minute, for one run. The row of a minute replaces its former
 * one, so a run must see all of a minute that it counts: the first message after a connection is at the begin of a
 * minute. Minutes before `since` are those of an earlier run.
 */
export function countDropped(platform: string, since: Micros): CountDropped {
  const minutes = new Map<Micros, Set<string>>()
  let first = minuteOf(since)
  return (post_id, at) => {
    const ts = minuteOf(at)
    if (ts < first) return []
    const posts = minutes.get(ts) ?? new Set()
    minutes.set(ts, posts.add(post_id))
    first = Math.max(first, ts - HELD_MINUTES * MINUTE)
    for (const held of minutes.keys()) if (held < first) minutes.delete(held)
    return [{ platform, ts, n_posts: posts.size }]
  }
}
