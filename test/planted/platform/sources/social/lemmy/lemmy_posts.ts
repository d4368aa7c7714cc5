import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { defineSource } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import { mentionsIn } from '#sources/social/mentions.ts'
import { rowsOfPosts, type ReadPost } from '#sources/social/post_rows.ts'
import { HOUR } from '#time.ts'

const lemmyHost: Host = {
  name: 'lemmy',
  doc: 'The URL of Lemmy',
  url: 'https://lemmy.example',
  requestsPer10s: 100,
  concurrency: 4,
}

// The copy of the tree has the platform in its registry; this tree does not.
const platform = 'lemmy' as ReadPost['platform']
const source = { name: 'lemmy_posts', unit: 'hour', part: platform } as const
const postRow = z.object({ id: z.string(), at: z.int(), author: z.string(), text: z.string() })

/** The posts of each hour. */
export const lemmyPosts = defineSource({
  ...source,
  doc: 'The posts of Lemmy by the hour.',
  parts: [{ name: platform, upstreams: [lemmyHost] }],
  datasets: ['posts', 'post_text', 'mentions'],
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s: 3_600,
  follow: { group: 'posts' },
  typical: { requests: 1, rows: 100, bytes: 10_000 },
  plan: async ({ at }) =>
    Array.from({ length: 15 * 24 }, (_, n) => at - (at % HOUR) - (n + 1) * HOUR)
      .toReversed()
      .map((from) => unitOf(source, { from, to: from + HOUR })),
  read: async ({ from }, { get, lake }) => {
    const rows = await get({ host: lemmyHost.name, path: '/posts', query: { from } }, z.array(postRow))
    const posts = rows.map(({ id, at, author, text }) => ({
      platform,
      post_id: id,
      ts: at,
      author,
      kind: 'post' as const,
      text,
    }))
    const stored = rowsOfPosts(posts, await mentionsIn(lake, from), from)
    return { rows: stored, rejected: [], state: 'complete', proof: 'one list' }
  },
})
