import type { SocialAnswer } from '#sim/server/reply.ts'
import type { PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'

import { followersOf, likesOf, newestOf, ok, unauthorized } from './paging.ts'

/** The token that the simulated X takes. */
export const tweetsToken = 'token-of-the-simulated-world-for-tweets'

export const tweetId = (n: number): string => `19000000000${String(n).padStart(8, '0')}`

/** The usage that a simulated X charges for: the posts that it returned. */
export type Meter = { posts: number }

/** Every tenth post is longer than the API shows at once, and links to a page by a short address. */
export const isLong = (n: number): boolean => n % 10 === 0
const shortLink = 'https://t.co/0123456789'

/** The search of the simulated X, the newest posts first, page by page. Every post matches. */
export const tweetsOf =
  (world: SocialWorld, meter: Meter): SocialAnswer =>
  ({ path, query }, now, { authorization }) => {
    if (authorization !== `Bearer ${tweetsToken}`) return unauthorized(authorization)
    if (path !== '/2/tweets/search/recent') return { status: 404, body: '{}' }
    const since = Date.parse(query.get('start_time') ?? '') * 1_000
    const all = newestOf({ world, platform: 'x', now }, Number(query.get('next_token') ?? Infinity)).filter(
      ({ at }) => !(at < since),
    )
    const posts = all.slice(0, Number(query.get('max_results') ?? 10))
    meter.posts += posts.length
    const data = posts.map((post) => ({
      id: tweetId(post.n),
      ...textOf(post),
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
    const last = posts.length < all.length ? posts.at(-1) : undefined
    const meta = { result_count: data.length, ...(last === undefined ? {} : { next_token: String(last.n) }) }
    return ok(data.length === 0 ? { meta } : { data, includes: { users }, meta })
  }

function textOf({ n, text }: PlatformPost) {
  if (!isLong(n)) return { text }
  const entities = {
    urls: [{ start: 0, end: shortLink.length, url: shortLink, expanded_url: 'https://page.example/' }],
  }
  return { text: `${text.slice(0, 20)}…`, note_tweet: { text: `${text} ${shortLink}`, entities } }
}
