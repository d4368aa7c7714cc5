import type { Micros } from '#time.ts'

import type { SocialWorld } from './world.ts'

/**
 * A part of a source with its posts of the past, as if it had been read since the start of the world. `host` serves its
 * later posts.
 */
export type PastPart = {
  source: string
  kind: 'hour' | 'observation'
  part: string
  platform: string
  host: string
  /** Whether the author is an outlet of crypto news, whose name is stored. The names of others are hashed. */
  isOutlet: boolean
  /** The posts about assets before an instant, in the order of time. */
  posts: (world: SocialWorld, to: Micros) => PastPost[]
}

/** A post; `key` is its name among those of its author. */
export type PastPost = { ts: Micros; author: string; key: string; text: string }
