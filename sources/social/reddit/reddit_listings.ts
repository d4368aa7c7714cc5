import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { observedEvery } from '#ingest/observation.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource, type NewRow, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings } from '#sources/social/author_ids.ts'
import { livePosts } from '#sources/social/live_posts.ts'
import { readingOf, readLists } from '#sources/social/read_lists.ts'
import { observationOf, rowsOfReading } from '#sources/social/reading.ts'

import { PLATFORM, shownIn, thing, tombstonesIn } from './thing.ts'

const redditHost: Host = {
  name: 'reddit',
  doc: 'The URL of the listings of Reddit',
  url: 'https://www.reddit.com',
  // Published for clients without an account: 10 a minute.
  requestsPer10s: 1,
  concurrency: 1,
}

const settings = {
  ...authorSettings,
  subreddits: {
    name: 'TAPELINE_REDDIT_SUBREDDITS',
    shape: nameList(/^\w{2,21}$/, 'CryptoCurrency'),
    doc: 'The subreddits that are read, separated by commas; by default none, since Reddit wants to approve clients',
  },
} satisfies Settings

const name = 'reddit_listings'
const grid_s = 600
const MOST_PAGES = 10

export const redditListings = defineSource({
  name,
  doc:
    'The posts and comments of the subreddits of `TAPELINE_REDDIT_SUBREDDITS`, every ten minutes, without an ' +
    'account: `/r/<all>/new.json` and `/r/<all>/comments.json`, the newest first, back to known ones. A listing ends ' +
    'after 1,000: a reading that does not reach a known one is *unverified*. A stored post that a listing shows as ' +
    'removed becomes a tombstone. All of their posts are taken to be about crypto. Reddit refuses many clients: the ' +
    'unit is then missing, with the reason.',
  parts: [{ name: PLATFORM, upstreams: [redditHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'tombstones'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: { group: 'listings' },
  typical: { requests: 6, rows: 300, bytes: 2_000_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.subreddits),
  read,
})

const listing = z
  .object({ data: z.object({ children: z.array(z.unknown()), after: z.string().nullish() }) })
  .transform(({ data: { children, after } }) => ({ rows: children, next: after || undefined }))

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const { listed, rejected, n_read, cut, unseenOf } = await readLists(unit, context, {
    names: ['new', 'comments'],
    requestOf: (kind, after) => ({
      host: redditHost.name,
      path: `/r/${unit.params.join('+')}/${kind}.json`,
      query: { limit: 100, raw_json: 1, after },
    }),
    page: listing,
    row: thing,
    idOf: ({ data }) => data.name,
    until: 'known',
    mostPages: MOST_PAGES,
    // A listing that ends before is whole: the subreddits have no more.
    isCapped: true,
  })
  const hash = authorIds(context.settings.authorSecret)
  const rows = await rowsOfReading(unit, context, shownIn(listed, unit.from, hash), unseenOf)
  const tombstones = await newTombstones(unit, context, tombstonesIn(listed, unit.from))
  const proof = `back to known posts and comments, ${rows.posts.length} new`
  const reason = cut.length === 0 ? undefined : `${cut.join(', ')}: the listing ended before a known one`
  return readingOf({ ...rows, tombstones, authors: [] }, { rejected, n_read }, { proof, reason })
}

/** Tombstones of stored posts that have none yet. */
async function newTombstones(
  unit: Unit,
  context: ReadContext<typeof settings>,
  tombstones: readonly NewRow<'tombstones'>[],
): Promise<NewRow<'tombstones'>[]> {
  const targets = tombstones.map(({ target }) => target)
  const live = new Set(await livePosts(unit, context, 'p.post_id in $list', targets))
  return tombstones.filter(({ target }) => live.has(target))
}
