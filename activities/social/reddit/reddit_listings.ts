import { z } from 'zod'

import type { Host } from '#activities/http/host.ts'
import { parseRows } from '#activities/parse/rows.ts'
import { nameList, type Settings } from '#activities/setting.ts'
import { authorIds, authorSettings } from '#activities/social/author_ids.ts'
import { unseenIn } from '#activities/social/new_rows.ts'
import { readBack, type Page } from '#activities/social/read_back.ts'
import { observationOf, rowsOfReading } from '#activities/social/reading.ts'
import { defineSource, type PullContext, type PullResult, type RejectedRow } from '#activities/source.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'

import { PLATFORM, shownIn, thing, tombstonesIn, type Thing } from './thing.ts'

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
    'The posts and comments of the subreddits of `TAPELINE_REDDIT_SUBREDDITS`, every ten minutes, without an account: ' +
    '`/r/<all>/new.json` and `/r/<all>/comments.json`, the newest first, back to known ones. A listing ends after ' +
    '1,000: a reading that does not reach a known one is *unverified*. A stored post that a listing shows as removed ' +
    'becomes a tombstone. All of their posts are taken to be about crypto. Reddit refuses many clients: the unit is then missing, with the reason.',
  parts: [{ name: PLATFORM, upstreams: [redditHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'tombstones'],
  unit: 'observation',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s,
  follow: { group: 'listings' },
  typical: { requests: 6, rows: 300, bytes: 2_000_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, context.settings.subreddits),
  pull,
})

const listing = z.object({
  data: z.object({ children: z.array(z.unknown()), after: z.string().nullish() }),
})

async function pull(unit: Unit, context: PullContext<typeof settings>): Promise<PullResult> {
  const rejected: RejectedRow[] = []
  const things = new Map<string, Thing>()
  const unseenOf = unseenIn(unit, context)
  const cut: string[] = []
  for (const kind of ['new', 'comments']) {
    const path = `/r/${unit.params.join('+')}/${kind}.json`
    const pageAt = async (after: string | undefined): Promise<Page<Thing>> => {
      const query = { limit: 100, raw_json: 1, after }
      const { data }: z.output<typeof listing> = await context.get({ host: redditHost.name, path, query }, listing)
      const rows = parseRows(data.children, thing, { dataset: 'posts', path, rejected })
      return { rows, next: data.after ?? undefined }
    }
    const idOf = ({ data }: Thing): string => data.name
    const pages = {
      pageAt,
      idOf,
      found: things,
      unseenOf,
      until: 'known',
      mostPages: MOST_PAGES,
      isCapped: true,
    } as const
    // A listing that ends before is whole: the subreddits have no more.
    if ((await readBack(pages)) === 'cut') cut.push(kind)
  }
  const all = [...things.values()]
  const hash = authorIds(context.settings.authorSecret)
  const rows = await rowsOfReading(unit, context, shownIn(all, unit.from, hash), unseenOf)
  const tombstones = await newTombstones(unit, context, tombstonesIn(all, unit.from))
  const proof = `back to known posts and comments, ${rows.posts.length} new`
  const result = { rows: { ...rows, tombstones, authors: [] }, rejected }
  if (cut.length === 0) return { ...result, state: 'complete', proof }
  return { ...result, state: 'unverified', reason: `${cut.join(', ')}: the listing ended before a known one` }
}

/** Tombstones of stored posts that have none yet. */
async function newTombstones<T extends { target: string }>(
  { source, part, from }: Unit,
  { lake }: Pick<PullContext, 'lake'>,
  tombstones: readonly T[],
): Promise<T[]> {
  const under = [`${source}/${part}/`]
  const stored = await lake.query(
    `select post_id from lake.posts where source = $source and post_id in (
       select unnest(from_json($ids, '["VARCHAR"]')))
     and post_id not in (select target from lake.tombstones where source = $source and ts < $at)`,
    z.object({ post_id: z.string() }),
    { source, at: time.encode(from), ids: JSON.stringify(tombstones.map(({ target }) => target)) },
    { posts: under, tombstones: under },
  )
  const wanted = new Set(stored.map(({ post_id }) => post_id))
  return tombstones.filter(({ target }) => wanted.has(target))
}
