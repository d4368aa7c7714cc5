import { universe, type AttentionWorld, type WorldPost } from './world.ts'

/** Mindshare as the definitions say, post by post, with no regard to speed. */
export type Momentum = {
  symbol: string
  pct: number
  before: number | null
  delta: number | null
  se: number
  net: number | null
  net_se: number | null
  n_authors: number
}

/** The hour of the UTC day at which the clock stands. */
export const CLOCK_HOUR = 12.5

type Period = { from: number; to: number }
type Cluster = { symbol: string; hour: number; author: string; credit: number }

const isTracked = (asset: string): boolean => (universe as readonly string[]).includes(asset)
const symbolOf = (asset: string): string => (isTracked(asset) ? asset : '*')
const total = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0)
const mean = (list: readonly number[]): number => total(list) / list.length
const within = ({ from, to }: Period, hour: number): boolean => hour > from && hour <= to

/** The momentum of every symbol and of `*` over a range of days, in the order of symbols. */
export function momentumOf(world: AttentionWorld, days: number, weights: Readonly<Record<string, number>>): Momentum[] {
  const now = { from: -24 * days, to: 0 }
  const before = { from: -48 * days, to: -24 * days }
  const healthy = Object.keys(weights).filter((platform) => isHealthy(world, platform, now))
  const both = healthy.filter((platform) => isHealthy(world, platform, before))
  const clusters = new Map(healthy.map((platform) => [platform, clustersOf(world, platform)]))
  const shareIn = (platforms: readonly string[], symbol: string, period: Period): number =>
    total(platforms.map((one) => (weights[one] ?? 0) * shareOf(clusters.get(one) ?? [], symbol, period).share)) /
    total(platforms.map((one) => weights[one] ?? 0))
  return healthy.length === 0
    ? []
    : ['*', ...universe].map((symbol) => {
        const variances = healthy.map(
          (one) => (weights[one] ?? 0) ** 2 * shareOf(clusters.get(one) ?? [], symbol, now).variance,
        )
        const earlier = both.length === 0 ? null : 100 * shareIn(both, symbol, before)
        const tones = healthy.flatMap((one) => {
          const tone = toneOf(world, one, symbol, now)
          return tone === null ? [] : [{ ...tone, weight: weights[one] ?? 0 }]
        })
        const weight = total(tones.map((tone) => tone.weight))
        return {
          symbol,
          pct: 100 * shareIn(healthy, symbol, now),
          before: earlier,
          delta: earlier === null ? null : 100 * shareIn(both, symbol, now) - earlier,
          se: (100 * Math.sqrt(total(variances))) / total(healthy.map((one) => weights[one] ?? 0)),
          net: tones.length === 0 ? null : total(tones.map((tone) => tone.weight * tone.net)) / weight,
          net_se: tones.length === 0 ? null : Math.sqrt(total(tones.map((one) => (one.weight * one.se) ** 2))) / weight,
          n_authors: total(tones.map((tone) => tone.n)),
        }
      })
}

const credited = (world: AttentionWorld, platform: string): WorldPost[] =>
  world.posts.filter((post) => post.platform === platform && post.assets.length > 0 && post.assets.length <= 8)

function isHealthy(world: AttentionWorld, platform: string, { from, to }: Period): boolean {
  const [first, last] = world.covered[platform] ?? [0, 0]
  // Whole hours of the day; the clock may lie within one.
  const shift = CLOCK_HOUR - Math.floor(CLOCK_HOUR)
  const covered = Math.max(0, Math.min(last, to - shift) - Math.max(first, from - shift)) / (to - from)
  const n = credited(world, platform).filter(({ hour }) => within({ from, to }, hour)).length
  return covered >= 0.8 && n >= 200
}

export function weightOf(world: AttentionWorld, post: WorldPost, asset: string): number {
  const quality = world.quality[`${post.platform} ${post.author}`] ?? 0.2
  const points = { like: 1, reply: 2, repost: 3, quote: 4 }
  const engaged = new Set(
    post.engaged.filter(({ after }) => after <= 6 && post.hour + after <= 0).map((one) => `${one.kind} ${one.engager}`),
  )
  const engagement = total([...engaged].map((one) => points[one.split(' ')[0] as keyof typeof points]))
  const dayOf = (hour: number): number => Math.floor((hour + CLOCK_HOUR) / 24)
  const earlier = world.posts.filter(
    (other) =>
      other.platform === post.platform &&
      other.author === post.author &&
      other.assets.includes(asset) &&
      dayOf(other.hour) === dayOf(post.hour) &&
      isBefore(other, post),
  ).length
  return (quality * (1 + 0.5 * Math.log(1 + engagement)) * post.confidence) / post.assets.length / 2 ** earlier
}

const isBefore = (a: WorldPost, b: WorldPost): boolean =>
  a.hour < b.hour || (a.hour === b.hour && a.post_id < b.post_id)
const bits = (value: bigint): number => value.toString(2).replaceAll('0', '').length

/** Clusters of near-duplicates with their credit to each asset. */
export function clustersOf(world: AttentionWorld, platform: string): Cluster[] {
  const posts = world.posts
    .filter((post) => post.platform === platform && post.assets.length > 0)
    .toSorted((a, b) => (isBefore(a, b) ? -1 : 1))
  const groups: WorldPost[][] = []
  for (const post of posts) {
    const near = groups.find(([first]) => {
      if (first === undefined || first.simhash === 0n || post.simhash === 0n) return false
      // Instants are whole minutes, which hours as fractions miss by a rounding.
      return Math.round(60 * (post.hour - first.hour)) < 72 * 60 && bits(first.simhash ^ post.simhash) <= 3
    })
    if (near === undefined) groups.push([post])
    else near.push(post)
  }
  return groups.flatMap((group) => {
    const counted = group.filter(({ assets }) => assets.length <= 8)
    return [...new Set(counted.flatMap(({ assets }) => assets))].map((asset) => {
      const named = counted.filter(({ assets }) => assets.includes(asset))
      const n_authors = new Set(named.map(({ author }) => author)).size
      const [first] = named
      const largest = Math.max(...named.map((post) => weightOf(world, post, asset)))
      return {
        symbol: symbolOf(asset),
        hour: first?.hour ?? 0,
        author: first?.author ?? '',
        credit: largest * (1 + Math.log(n_authors)),
      }
    })
  })
}

/** The share of a symbol in a period, and the variance of that ratio when authors are drawn anew. */
function shareOf(clusters: readonly Cluster[], symbol: string, period: Period): { share: number; variance: number } {
  const inside = clusters.filter(({ hour }) => within(period, hour))
  const all = total(inside.map(({ credit }) => credit))
  const share = total(inside.filter((one) => one.symbol === symbol).map(({ credit }) => credit)) / all
  const authors = [...new Set(inside.map(({ author }) => author))]
  const residuals = authors.map((author) => {
    const own = inside.filter((one) => one.author === author)
    const named = own.filter((one) => one.symbol === symbol)
    return total(named.map(({ credit }) => credit)) - share * total(own.map(({ credit }) => credit))
  })
  const n = authors.length
  return { share, variance: ((n / Math.max(n - 1, 1)) * total(residuals.map((one) => one ** 2))) / all ** 2 }
}

function toneOf(
  world: AttentionWorld,
  platform: string,
  symbol: string,
  period: Period,
): { net: number; se: number; n: number } | null {
  const rows = credited(world, platform)
    .filter(({ hour }) => within(period, hour))
    .flatMap(({ author, assets, tone: [bull, bear] }) =>
      assets.map((asset) => ({ author, symbol: symbolOf(asset), tone: bull - bear })),
    )
  const byAuthor = (list: typeof rows): Map<string, number> => {
    const tones = new Map<string, number[]>()
    for (const { author, tone } of list) tones.set(author, [...(tones.get(author) ?? []), tone])
    return new Map([...tones].map(([author, own]) => [author, mean(own)]))
  }
  const named = byAuthor(rows.filter((row) => row.symbol === symbol))
  const others = byAuthor(rows.filter((row) => row.symbol !== symbol))
  if (named.size === 0 || others.size === 0) return null
  const [m, b] = [mean([...named.values()]), mean([...others.values()])]
  const influences = [...new Set([...named.keys(), ...others.keys()])].map((author) => {
    const [own, other] = [named.get(author), others.get(author)]
    return (own === undefined ? 0 : (own - m) / named.size) - (other === undefined ? 0 : (other - b) / others.size)
  })
  const correction = named.size / Math.max(named.size - 1, 1)
  return { net: m - b, se: Math.sqrt(correction * total(influences.map((one) => one ** 2))), n: named.size }
}
