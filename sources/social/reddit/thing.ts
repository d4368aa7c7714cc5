import { z } from 'zod'

import { epochSeconds } from '#ingest/parse/timestamps.ts'
import type { NewRow } from '#ingest/source.ts'
import { reddit } from '#registry/platforms/reddit.ts'
import type { AuthorIds } from '#sources/social/author_ids.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { countsOf, type Shown } from '#sources/social/reading.ts'
import type { Micros } from '#time.ts'

export const PLATFORM = reddit.id

const shared = {
  name: z.string().regex(/^t[13]_[a-z0-9]+$/, 'expected the name of a post or comment'),
  author: z.string().nullish(),
  created_utc: epochSeconds,
  score: z.number().int(),
  subreddit: z.string(),
}

/** A post or comment of a listing, as it is with `raw_json=1`. */
export const thing = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('t3'),
    data: z.object({
      ...shared,
      title: z.string(),
      selftext: z.string().default(''),
      url: z.string().nullish(),
      num_comments: z.number().int().nonnegative(),
      removed_by_category: z.string().nullish(),
    }),
  }),
  z.object({ kind: z.literal('t1'), data: z.object({ ...shared, body: z.string(), parent_id: z.string() }) }),
])
export type Thing = z.output<typeof thing>

/** `[deleted]`, or a sentence of Reddit's administrators between spaces, such as `[ Removed by Reddit ]`. */
const placeholder = /^\[((deleted|removed)[^\]]*| (deleted|removed) by .* )\]$/i

/** Whether the author or a moderator has removed a post or comment since it was written. */
export const isRemoved = (listedThing: Thing): boolean =>
  listedThing.kind === 't3'
    ? (listedThing.data.removed_by_category ?? null) !== null || placeholder.test(listedThing.data.selftext)
    : placeholder.test(listedThing.data.body)

/** The posts and counts that listings show at an instant, without removed posts. */
export function shownIn(things: readonly Thing[], at: Micros, hash: AuthorIds): Shown {
  const present = things.filter((listedThing) => !isRemoved(listedThing))
  return {
    posts: present.map((listedThing) => postOf(listedThing, hash)),
    counts: present.flatMap(({ kind, data }) => {
      const comments = kind === 't3' ? { reply: data.num_comments } : {}
      return countsOf({ platform: PLATFORM, post_id: data.name }, at, { like: Math.max(0, data.score), ...comments })
    }),
    authors: [],
  }
}

/** A tombstone for each removed post or comment. */
export const tombstonesIn = (things: readonly Thing[], at: Micros): NewRow<'tombstones'>[] =>
  things.filter(isRemoved).map(({ data }) => ({ platform: PLATFORM, kind: 'post', target: data.name, ts: at }))

function postOf({ kind, data }: Thing, hash: AuthorIds): ReadPost {
  const { name, author, created_utc, subreddit } = data
  const shown = {
    platform: PLATFORM,
    post_id: name,
    ts: created_utc,
    // All deleted accounts have one name, so each of their posts gets an author of its own.
    author: hash(PLATFORM, author && !placeholder.test(author) ? author : name),
    channel: subreddit,
    is_crypto: true as const,
  }
  if (kind === 't1') return { ...shown, kind: 'reply', text: data.body, parent_id: data.parent_id }
  const link = data.url && !data.url.includes('reddit.com/') ? data.url : ''
  const text = [data.title, data.selftext, link].filter((part) => part !== '').join('\n')
  return { ...shown, kind: 'post', text, url: `https://www.reddit.com/comments/${name.slice(3)}` }
}
