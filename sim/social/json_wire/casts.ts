import { hexText } from '#sim/random.ts'
import type { SocialAnswer } from '#sim/server/reply.ts'
import type { PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Micros } from '#time.ts'

import { followersOf, likesOf, newestOf, ok, unauthorized } from './paging.ts'

/** The key that the simulated Neynar takes. */
export const castsKey = 'neynar-key-of-the-simulated-world'

export const castHash = (n: number): string => `0x${hexText(n, 61, n, 40)}`

/** The feeds of channels, as Neynar serves them. All casts are of the first channel that is asked for. */
export const castsOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path, query }, now, headers) => {
    if (headers['x-api-key'] !== castsKey) return unauthorized(headers['x-api-key'])
    if (path !== '/v2/farcaster/feed/channels/') return { status: 404, body: '{}' }
    const limit = Number(query.get('limit') ?? 25)
    const posts = newestOf({ world, platform: 'farcaster', now }, Number(query.get('cursor') ?? Infinity))
    const page = posts.slice(0, limit)
    const channel = query.get('channel_ids')?.split(',')[0] ?? ''
    const cursor = posts.length > limit ? String(page.at(-1)?.n) : null
    return ok({ casts: page.map((post) => wireCast(post, channel, now)), next: { cursor } })
  }

const wireCast = (post: PlatformPost, channel: string, now: Micros) => ({
  object: 'cast',
  hash: castHash(post.n),
  author: {
    object: 'user',
    fid: post.author + 1,
    username: `user${post.author}`,
    follower_count: followersOf(post.author),
    following_count: 100,
    score: post.isBot ? 0.05 : 0.9,
  },
  text: post.text,
  timestamp: new Date(post.at / 1000).toISOString(),
  parent_hash: post.parent === null ? null : castHash(post.parent),
  embeds: post.quoted === null ? [] : [{ cast: { hash: castHash(post.quoted) } }],
  channel: { object: 'channel_dehydrated', id: channel },
  reactions: { likes_count: likesOf(post, now), recasts_count: 0, likes: [], recasts: [] },
  replies: { count: 0 },
})
