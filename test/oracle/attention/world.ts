/** Posts of a few days with all that mindshare rests on. Instants are in hours before the clock, which is hour 0. */
export type AttentionWorld = {
  posts: WorldPost[]
  /** The hours before the clock from which and to which a platform was read. */
  covered: Record<string, readonly [number, number]>
  /** The quality of an author by platform and name, `platform author`. */
  quality: Record<string, number>
  /** The posts of a minute that were read and not kept, by the hour of its begin. */
  dropped?: readonly { platform: string; hour: number; n_posts: number }[]
}

export type WorldPost = {
  platform: string
  post_id: string
  /** Hours before the clock, as a negative number. */
  hour: number
  author: string
  simhash: bigint
  /** Symbols of tracked assets in capitals; others are outside of the universe. */
  assets: readonly string[]
  confidence: number
  tone: readonly [bull: number, bear: number]
  /** Engagers of each kind, and the hours after the post. */
  engaged: readonly { kind: 'like' | 'reply' | 'repost' | 'quote'; engager: string; after: number }[]
}

export const platformNames = ['bluesky', 'reddit', 'x'] as const
export const universe = ['AAA', 'BBB', 'CCC', 'DDD'] as const
const outside = ['eee', 'fff'] as const

/** Numbers from 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A world of 14 days with copies, busy authors, lists of assets and uneven platforms. */
export function worldOf(seed: number, n_posts = 700): AttentionWorld {
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const whole = (below: number): number => Math.floor(random() * below)
  const authors = Array.from({ length: 60 }, (_, n) => `author${n}`)
  const qualities = authors.map(() => Math.round(50_000 + 950_000 * random()) / 1e6)
  const texts = Array.from({ length: 40 }, () => hashOf(random))
  const names = [...universe, ...outside]
  const posts = platformNames.flatMap((platform) =>
    Array.from({ length: n_posts }, (_, n): WorldPost => {
      const n_assets = random() < 0.03 ? 9 : 1 + whole(3)
      const copied = pick(texts) ^ (1n << BigInt(whole(64)))
      const hash = random() < 0.3 ? copied : random() < 0.05 ? 0n : hashOf(random)
      return {
        platform,
        post_id: `p${n}`,
        hour: -Math.ceil(random() * 14 * 24 * 60) / 60,
        author: authors[Math.floor(random() ** 2 * authors.length)] as string,
        simhash: hash,
        assets: [...new Set(Array.from({ length: n_assets }, () => pick(names)))],
        confidence: pick([1, 0.98, 0.95, 0.8]),
        tone: pick([
          [0.9, 0],
          [0.1, 0.7],
          [0.2, 0.2],
        ]),
        engaged: Array.from({ length: whole(4) }, () => ({
          kind: pick(['like', 'reply', 'repost', 'quote'] as const),
          engager: pick(authors),
          after: Math.round(random() * 120) / 12,
        })),
      }
    }),
  )
  return {
    posts,
    covered: Object.fromEntries(platformNames.map((platform) => [platform, [-70 * 24, 0] as const])),
    quality: Object.fromEntries(
      platformNames.flatMap((platform) => authors.map((name, n) => [`${platform} ${name}`, qualities[n] ?? 1])),
    ),
  }
}

export const hashOf = (random: () => number): bigint =>
  (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 32))
