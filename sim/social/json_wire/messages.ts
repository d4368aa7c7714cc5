import type { SocialAnswer } from '#sim/server/reply.ts'
import type { PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Micros } from '#time.ts'

import { followersOf, likesOf, newestOf, ok } from './paging.ts'

/** The number of a message of StockTwits. */
export const messageId = (n: number): number => 700_000_000 + n

/** The streams of symbols of the simulated StockTwits: the messages about the asset of a symbol. */
export const messagesOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path, query }, now) => {
    const symbol = /^\/streams\/symbol\/([A-Z]+)\.X\.json$/.exec(path)?.[1]
    const asset = world.assets.findIndex((candidate) => candidate.symbol === symbol)
    if (symbol === undefined || asset === -1) return { status: 404, body: '{"response":{"status":404}}' }
    const before = query.get('max') === null ? Infinity : Number(query.get('max')) - messageId(0)
    const posts = newestOf({ world, platform: 'stocktwits', now }, before).filter((post) => post.asset === asset)
    const page = posts.slice(0, Number(query.get('limit') ?? 30))
    const [last] = page.slice(-1)
    return ok({
      response: { status: 200 },
      cursor: { more: posts.length > page.length, since: null, max: last === undefined ? null : messageId(last.n) },
      messages: page.map((post) => wireMessage(world, post, now)),
    })
  }

function wireMessage({ assets }: SocialWorld, post: PlatformPost, now: Micros) {
  const asset = assets[post.asset ?? -1]
  return {
    id: messageId(post.n),
    body: post.text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
    created_at: new Date(post.at / 1000).toISOString().replace('.000Z', 'Z'),
    user: {
      id: post.author + 1,
      username: `user${post.author}`,
      followers: followersOf(post.author),
      following: 10,
      ideas: 5,
      join_date: '2021-04-28',
    },
    symbols: [{ symbol: `${asset?.symbol}.X`, instrument_class: 'CRYPTO', external_id: asset?.id ?? null }],
    // Half of the senders give a label.
    entities: { sentiment: post.n % 2 === 0 ? { basic: post.isBullish ? 'Bullish' : 'Bearish' } : null },
    likes: { total: likesOf(post, now) },
  }
}
