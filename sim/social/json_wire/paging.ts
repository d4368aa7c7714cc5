import { mix } from '#sim/random.ts'
import type { Reply } from '#sim/server/reply.ts'
import { postsOf, type PlatformName, type PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Micros } from '#time.ts'

/** Two days of posts are shown. */
const SHOWN = 48 * 3_600_000_000

/** The posts of a platform that are shown at an instant, the newest first, before the post of a number. */
export const newestOf = (
  { world, platform, now }: { world: SocialWorld; platform: PlatformName; now: Micros },
  before = Infinity,
): PlatformPost[] =>
  postsOf(world, platform, now - SHOWN, now)
    .filter(({ n }) => n < before)
    .toReversed()

/** The followers of an author: a few have many. */
export const followersOf = (author: number): number => Math.floor(20_000 / (1 + (mix(author, 51) % 400)))

/** The likes of a post, which grow for six hours. */
export const likesOf = ({ n, at }: PlatformPost, now: Micros): number =>
  Math.floor((mix(n, 52) % 12) * Math.min(1, (now - at) / 21_600_000_000))

/** Whether a sender or moderator removes a post, an hour after it was written. */
export const isRemoved = ({ n }: Pick<PlatformPost, 'n'>): boolean => mix(n, 53) % 15 === 0
export const REMOVED_AFTER = 3_600_000_000

export const ok = (body: unknown): Reply => ({ status: 200, body: JSON.stringify(body) })

/** The refusal of a wrong key, which repeats it, as some upstreams do. */
export const unauthorized = (key: unknown): Reply => ({
  status: 401,
  body: JSON.stringify({ message: `the key ${String(key)} is not valid` }),
})
