import { nearDuplicates } from '#text/clusters/near_duplicates.ts'

import { universe, type AttentionWorld, type WorldPost } from './world.ts'

/** A burst as the definition says, window by window. `hour` is that of its end, 0 or below. */
export type Burst = { symbol: string; hour: number; n_authors: number; expected: number; dispersion: number; p: number }

const HOURS = 6
const [LEAST_DAYS, MOST_DAYS] = [7, 28]

/** The bursts of a world, at the clock and the whole hours before it. */
export function burstsOf(world: AttentionWorld): Burst[] {
  const platforms = [...new Set(world.posts.map(({ platform }) => platform))]
  const oldest = Math.ceil(-Math.min(...world.posts.map(({ hour }) => hour)))
  const ends = Array.from({ length: oldest + 1 }, (_, n) => -n)
  const originals = new Set(platforms.flatMap((platform) => originalsOf(world, platform)))
  const counts = new Map<string, number>()
  const countOf = (platform: string, symbol: string | null, end: number): number => {
    const key = `${platform} ${symbol ?? ''} ${end}`
    const known = counts.get(key)
    if (known !== undefined) return known
    const inside = world.posts.filter(
      (post) => post.platform === platform && post.hour > end - HOURS && post.hour <= end && isOn(post, symbol),
    )
    const dropped = sum(
      (world.dropped ?? [])
        .filter((minute) => minute.platform === platform && minute.hour > end - HOURS && minute.hour <= end)
        .map(({ n_posts }) => n_posts),
    )
    const n = symbol === null ? inside.length + dropped : new Set(inside.map(({ author }) => author)).size
    counts.set(key, n)
    return n
  }
  const isOn = (post: WorldPost, symbol: string | null): boolean =>
    symbol === null || (post.assets.includes(symbol) && post.assets.length <= 8 && originals.has(post))
  return universe.flatMap((symbol) =>
    ends.flatMap((end) => {
      const tested = platforms.flatMap((platform) => {
        const active = countOf(platform, null, end)
        const before = earlierEnds(end).filter((one) => countOf(platform, null, one) > 0)
        const named = sum(before.flatMap((one) => universe.map((other) => countOf(platform, other, one))))
        if (active === 0 || before.length < (LEAST_DAYS * 24) / HOURS || named === 0) return []
        const windows = before.map((one) => ({
          y: countOf(platform, symbol, one),
          e: countOf(platform, null, one),
        }))
        const authors = sum(windows.map(({ y }) => y))
        const rate = (authors + 1) / (sum(windows.map(({ e }) => e)) * (1 + universe.length / named))
        const moments = sum(windows.map(({ y, e }) => (y - rate * e) ** 2 - rate * e))
        const spread = Math.min(4, Math.max(0.02, moments / sum(windows.map(({ e }) => (rate * e) ** 2))))
        const n = countOf(platform, symbol, end)
        return [{ n, expected: rate * active, spread: spread + 1 / (authors + 1) }]
      })
      const n_authors = sum(tested.map(({ n }) => n))
      const expected = sum(tested.map((one) => one.expected))
      const dispersion = sum(tested.map((one) => one.spread * one.expected ** 2)) / expected ** 2
      const isWide = tested.filter(({ n }) => n > 0).length >= Math.min(2, tested.length)
      if (n_authors < 5 || n_authors < 2.5 * expected || !isWide) return []
      const p = tailOf(n_authors, expected, 1 / dispersion)
      return p < 0.0001 ? [{ symbol, hour: end, n_authors, expected, dispersion, p }] : []
    }),
  )
}

const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0)

/** The ends of the windows that lie wholly in the 28 days before a window. */
const earlierEnds = (end: number): number[] =>
  Array.from({ length: (MOST_DAYS * 24) / HOURS }, (_, n) => end - HOURS * (n + 1))

function originalsOf(world: AttentionWorld, platform: string): WorldPost[] {
  const posts = world.posts
    .filter((post) => post.platform === platform && post.assets.length > 0)
    .toSorted((a, b) => a.hour - b.hour || (a.post_id < b.post_id ? -1 : 1))
  const firsts = nearDuplicates(posts.map(({ hour, simhash }) => ({ ts: Math.round(hour * 3_600_000_000), simhash })))
  return posts.filter((_, n) => firsts[n] === n)
}

/** The probability of `y` or more, of a negative binomial, by its recurrence from 0 on. */
function tailOf(y: number, mean: number, shape: number): number {
  let term = (shape / (shape + mean)) ** shape
  let tail = 0
  for (let k = 0; k < y || term > tail * 1e-18; k++) {
    if (k >= y) tail += term
    term *= ((k + shape) / (k + 1)) * (mean / (shape + mean))
  }
  return tail
}
