import type { SocialAnswer } from '#sim/server/reply.ts'
import type { SocialWorld } from '#sim/social/world.ts'

import { followersOf, likesOf, newestOf, ok, unauthorized } from './paging.ts'

/** The token that the simulated X takes. */
export const tweetsToken = 'token-of-the-simulated-world-for-tweets'

export const tweetId = (n: number): string => `19000000000${String(n).padStart(8, '0')}`

/** The usage that a simulated X charges for: the posts that it returned. */
export type Meter = { posts: number }

/** The search of the simulated X. Every post matches. */
export const tweetsOf =
  (world: SocialWorld, meter: Meter): SocialAnswer =>
  ({ path, query }, now, { authorization }) => {
    if (authorization !== `Bearer ${tweetsToken}`) return unauthorized(authorization)
    if (path !== '/2/tweets/search/recent') return { status: 404, body: '{}' }
    const posts = newestOf({ world, platform: 'x', now }).slice(0, Number(query.get('max_results') ?? 10))
    meter.posts += posts.length
    const data = posts.map((post) => ({
      id: tweetId(post.n),
      text: post.text,
      author_id: String(post.author + 1),
      created_at: new Date(post.at / 1000).toISOString(),
      lang: 'en',
      public_metrics: { retweet_count: 0, reply_count: 0, like_count: likesOf(post, now), quote_count: 0 },
      ...(post.parent === null ? {} : { referenced_tweets: [{ type: 'replied_to', id: tweetId(post.parent) }] }),
    }))
    const users = [...new Set(posts.map(({ author }) => author))].map((author) => ({
      id: String(author + 1),
      created_at: '2020-01-01T00:00:00.000Z',
      public_metrics: { followers_count: followersOf(author), following_count: 9, tweet_count: 99 },
    }))
    return ok({ data, includes: { users }, meta: { result_count: data.length } })
  }
