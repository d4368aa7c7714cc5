import { z } from 'zod'

import { isoInstant } from '#ingest/parse/timestamps.ts'
import { farcaster } from '#registry/platforms/farcaster.ts'
import type { AuthorIds } from '#sources/social/author_ids.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { countsOf, type Shown } from '#sources/social/reading.ts'
import type { Micros } from '#time.ts'

export const PLATFORM = farcaster.id

const count = z.number().int().nonnegative()
const address = z.string().regex(/^0x[0-9a-f]{40}$/, 'expected a hash of 20 bytes')
const embed = z.looseObject({
  url: z.string().optional().catch(undefined),
  cast: z.object({ hash: address }).optional().catch(undefined),
  cast_id: z.object({ hash: address }).optional().catch(undefined),
})

/** A cast as Neynar shows it. `score` is its rating of the author, from 0 to 1. */
export const cast = z.object({
  hash: address,
  author: z.object({
    fid: z.number().int().positive(),
    follower_count: count,
    following_count: count,
    score: z.number().min(0).max(1).nullish(),
  }),
  text: z.string(),
  timestamp: isoInstant,
  parent_hash: address.nullish(),
  channel: z.object({ id: z.string() }).nullish(),
  embeds: z.array(embed).default([]),
  reactions: z.object({ likes_count: count, recasts_count: count }),
  replies: z.object({ count }),
})
export type Cast = z.output<typeof cast>

/** The posts, counts and authors that a list of casts shows at an instant. */
export function shownIn(casts: readonly Cast[], at: Micros, hash: AuthorIds): Shown {
  const posts = casts.map((listedCast) => postOf(listedCast, hash))
  return {
    posts,
    counts: casts.flatMap(({ reactions, replies }, n) => {
      const counts = { like: reactions.likes_count, repost: reactions.recasts_count, reply: replies.count }
      const post = posts[n]
      return post === undefined ? [] : countsOf(post, at, counts)
    }),
    authors: casts.map(({ author }) => ({
      platform: PLATFORM,
      author: hash(PLATFORM, String(author.fid)),
      seen_at: at,
      n_followers: author.follower_count,
      n_following: author.following_count,
      n_posts: null,
      joined_at: null,
      score: author.score ?? null,
      is_outlet: false,
    })),
  }
}

function postOf({ hash: post_id, author, text, timestamp, ...rest }: Cast, hash: AuthorIds): ReadPost {
  const quoted = rest.embeds
    .map(({ cast: quote, cast_id: id }) => quote?.hash ?? id?.hash)
    .find((castHash) => castHash !== undefined)
  const links = rest.embeds.flatMap(({ url }) => (url === undefined || text.includes(url) ? [] : [url]))
  return {
    platform: PLATFORM,
    post_id,
    ts: timestamp,
    author: hash(PLATFORM, String(author.fid)),
    kind: rest.parent_hash ? 'reply' : quoted === undefined ? 'post' : 'quote',
    text: [text, ...links].join('\n'),
    channel: rest.channel?.id ?? null,
    url: `https://farcaster.xyz/~/conversations/${post_id}`,
    parent_id: rest.parent_hash ?? quoted ?? null,
  }
}
