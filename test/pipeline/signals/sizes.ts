import { articlesOf, outletNames } from '#sim/social/feed_wire/feeds.ts'
import { eventAt } from '#sim/social/network.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import { burstsOf } from '#test/oracle/attention/bursts.ts'
import { hashOf, randomOf, universe, type WorldPost } from '#test/oracle/attention/world.ts'
import { HOUR, type Micros } from '#time.ts'

/** The information of planted events: the least that must yield a signal is 6, and figures are rounded. */
export const plantedInformation = 6.1

/** A tail of sizes: the share of trades above a threshold, and a Pareto tail whose exponent has a Gamma law. */
export type Tail = { threshold_usd: number; share: number; shape: number; scale: number }

/**
 * The US dollars of a trade of an information: the inverse of p = share (scale / (scale + ln(x / threshold)))^shape.
 */
export const usdAt = (information: number, { threshold_usd, share, shape, scale }: Tail): number =>
  threshold_usd * Math.exp(scale * ((share * 10 ** information) ** (1 / shape) - 1))

/** The tail of the trades of 90 days, of which each has its US dollars. */
export function tailOf(trades: readonly number[]): Tail {
  const sorted = trades.toSorted((a, b) => a - b)
  const place = 0.95 * (sorted.length - 1)
  const [low = 0, high = low] = sorted.slice(Math.floor(place))
  const threshold_usd = Math.max(1_000, low + (place % 1) * (high - low))
  const above = sorted.filter((usd) => usd >= threshold_usd)
  const excess = above.reduce((sum, usd) => sum + Math.log(usd / threshold_usd), 0)
  return {
    threshold_usd,
    share: (above.length + 1) / (trades.length + 1),
    shape: 2 + above.length,
    scale: 1 + excess,
  }
}

/** The price after a rise of an information: Student's t with 4 degrees of freedom, both sides, in units of `scale`. */
export function priceAt(information: number, of: { before: number; scale: number }): number {
  let [low, high] = [0, 1e6]
  for (let n = 0; n < 100; n++) {
    const t = (low + high) / 2
    const s = t / Math.sqrt(4 + t * t)
    // 1 - s without the loss of digits near 1.
    const rest = 4 / (4 + t * t) / (1 + s)
    if ((rest ** 2 * (2 + s)) / 2 > 10 ** -information) low = t
    else high = t
  }
  const logit = Math.log(of.before / (1 - of.before)) + high * of.scale
  return 1 / (1 + Math.exp(-logit))
}

/**
 * The information of the attention that an asset of a world draws in the six hours up to an instant; 0 without a burst.
 */
export function attentionAt(world: SocialWorld, asset: number, to: Micros): number {
  const random = randomOf(1)
  const n_events = Math.ceil((to - world.start) / world.step)
  const networked = Array.from({ length: n_events }, (_, n) => eventAt(world, n)).flatMap((event) =>
    event.is === 'post' ? [{ ...event.post, platform: 'bluesky', n: event.n, at: event.at }] : [],
  )
  // The author of an article is its outlet.
  const articles = outletNames.flatMap((author) =>
    articlesOf(world, author, world.start, to).map((post) => ({ ...post, platform: 'news', author })),
  )
  const posts = [...networked, ...articles].flatMap((post): WorldPost[] => {
    if (post.asset === null) return []
    // Three names stand for all other assets.
    const name = post.asset === asset ? universe[0] : universe[1 + (post.asset % 3)]
    return [
      {
        platform: post.platform,
        post_id: String(post.n),
        hour: (post.at - to) / HOUR,
        author: String(post.author),
        simhash: hashOf(random),
        assets: name === undefined ? [] : [name],
        confidence: 1,
        tone: [0, 0],
        engaged: [],
      },
    ]
  })
  const burst = burstsOf({ posts, covered: {}, quality: {} }).find(
    ({ symbol, hour }) => symbol === universe[0] && hour === 0,
  )
  return burst === undefined ? 0 : Math.min(20, -Math.log10(burst.p))
}
