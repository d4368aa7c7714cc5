import { z } from 'zod'

import { isoInstant } from '#ingest/parse/timestamps.ts'
import { x } from '#registry/platforms/x.ts'
import type { AuthorIds } from '#sources/social/author_ids.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { countsOf, type Shown } from '#sources/social/reading.ts'
import type { Micros } from '#time.ts'

export const PLATFORM = x.id

const count = z.number().int().nonnegative()
const id = z.string().regex(/^\d+$/, 'expected a number as text')

/** The links of a text: the short address in it, and that of the page. */
const entities = z
  .object({ urls: z.array(z.object({ url: z.string().min(1), expanded_url: z.string().nullish() })).default([]) })
  .nullish()
  .catch(null)

/**
 * A post as the second version of the API shows it, with the fields that the source asks for. `text` has the first 280
 * characters of a longer post; `note_tweet` has all.
 */
export const tweet = z.object({
  id,
  text: z.string(),
  entities,
  note_tweet: z.object({ text: z.string(), entities }).nullish(),
  author_id: id,
  created_at: isoInstant,
  lang: z.string().nullish(),
  public_metrics: z.object({ retweet_count: count, reply_count: count, like_count: count, quote_count: count }),
  referenced_tweets: z.array(z.object({ type: z.enum(['retweeted', 'quoted', 'replied_to']), id })).default([]),
})
export type Tweet = z.output<typeof tweet>

export const user = z.object({
  id,
  created_at: isoInstant.nullish(),
  public_metrics: z.object({ followers_count: count, following_count: count, tweet_count: count }),
})
export type User = z.output<typeof user>

/** The kinds of references, the one that counts first. */
const kinds = [
  ['retweeted', 'repost'],
  ['replied_to', 'reply'],
  ['quoted', 'quote'],
] as const

/** The posts, counts and authors that a response shows at an instant. */
export function shownIn(
  { tweets, users }: { tweets: readonly Tweet[]; users: readonly User[] },
  at: Micros,
  hash: AuthorIds,
): Shown {
  return {
    posts: tweets.map((listedTweet) => postOf(listedTweet, hash)),
    counts: tweets.flatMap(({ id: post_id, public_metrics: metrics }) =>
      countsOf({ platform: PLATFORM, post_id }, at, {
        like: metrics.like_count,
        repost: metrics.retweet_count,
        reply: metrics.reply_count,
        quote: metrics.quote_count,
      }),
    ),
    authors: users.map((profile) => ({
      platform: PLATFORM,
      author: hash(PLATFORM, profile.id),
      seen_at: at,
      n_followers: profile.public_metrics.followers_count,
      n_following: profile.public_metrics.following_count,
      n_posts: profile.public_metrics.tweet_count,
      joined_at: profile.created_at ?? null,
      score: null,
      is_outlet: false,
    })),
  }
}

/** The API shows these three signs as entities. */
const withoutEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** Pages of X itself name accounts, and no assets. */
const ownPage = /^https?:\/\/((www|mobile)\.)?(x|twitter)\.com\//i

/** The whole text of a post, with the addresses of pages in place of the short ones. */
function fullText({ note_tweet, ...short }: Pick<Tweet, 'text' | 'entities' | 'note_tweet'>): string {
  const { text, entities: spans } = note_tweet ?? short
  const links = spans?.urls ?? []
  return links.reduce(
    (whole, { url, expanded_url: page }) => (page && !ownPage.test(page) ? whole.replaceAll(url, () => page) : whole),
    withoutEntities(text),
  )
}

function postOf({ id: post_id, referenced_tweets, ...rest }: Tweet, hash: AuthorIds): ReadPost {
  const [kind, parent_id] = kinds
    .map(([type, postKind]) => [postKind, referenced_tweets.find((reference) => reference.type === type)?.id] as const)
    .find(([, postKind]) => postKind !== undefined) ?? ['post', null]
  return {
    platform: PLATFORM,
    post_id,
    ts: rest.created_at,
    author: hash(PLATFORM, rest.author_id),
    kind,
    text: fullText(rest),
    url: `https://x.com/i/status/${post_id}`,
    lang: rest.lang ?? null,
    parent_id: parent_id ?? null,
  }
}
