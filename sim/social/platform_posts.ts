import { mix } from '#sim/random.ts'
import type { Micros } from '#time.ts'

import { eventAt, type NetworkPost } from './network.ts'
import type { SocialWorld } from './world.ts'

/** A post of a platform with its number, which grows with time. */
export type PlatformPost = NetworkPost & { n: number; at: Micros }

/** The platforms beside the network, with the seconds between two of their events; about a fifth of these are posts. */
const platforms = {
  news: 90,
  fourchan: 15,
  farcaster: 20,
  reddit: 20,
  stocktwits: 20,
  x: 10,
  telegram: 30,
  nostr: 15,
} as const
export type PlatformName = keyof typeof platforms

/** The world of a platform: the same assets, and people and posts of its own. */
export const worldOf = (world: SocialWorld, platform: PlatformName): SocialWorld => ({
  ...world,
  seed: mix(world.seed, Object.keys(platforms).indexOf(platform) + 101),
  step: platforms[platform] * 1_000_000,
})

/** The posts of a platform in `[from, to)`, in the order of time. */
export function postsOf(world: SocialWorld, platform: PlatformName, from: Micros, to: Micros): PlatformPost[] {
  const platformWorld = worldOf(world, platform)
  const posts: PlatformPost[] = []
  const first = Math.max(0, Math.ceil((from - platformWorld.start) / platformWorld.step))
  for (let n = first; platformWorld.start + n * platformWorld.step < to; n++) {
    const event = eventAt(platformWorld, n)
    if (event.is === 'post') posts.push({ ...event.post, n, at: event.at })
  }
  return posts
}
