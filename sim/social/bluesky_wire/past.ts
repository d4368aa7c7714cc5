import { eventAt } from '#sim/social/network.ts'
import type { PastPart, PastPost } from '#sim/social/past_part.ts'

import { didOf, rkeyOf } from './frames.ts'

export const networkPast: PastPart = {
  source: 'bluesky_jetstream',
  kind: 'hour',
  part: 'bluesky',
  platform: 'bluesky',
  host: 'bluesky_jetstream',
  isOutlet: false,
  posts: (world, to) => {
    const posts: PastPost[] = []
    for (let n = 0; world.start + n * world.step < to; n++) {
      const event = eventAt(world, n)
      if (event.is !== 'post' || event.post.asset === null) continue
      const { at: ts, post } = event
      posts.push({ ts, author: didOf(world, post.author), key: rkeyOf(n), text: post.text })
    }
    return posts
  },
}
