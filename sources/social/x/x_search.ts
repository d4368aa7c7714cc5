import { z } from 'zod'

import { observedEvery } from '#ingest/observation.ts'
import { wholeNumber, type Settings } from '#ingest/setting.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { LakeReader } from '#lake/reader.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings } from '#sources/social/author_ids.ts'
import { observationOf, rowsOfReading } from '#sources/social/reading.ts'

import { readPosts, xHost } from './search_pages.ts'
import { affordable, spentIn } from './spend.ts'
import { PLATFORM, shownIn } from './tweet.ts'

const settings = {
  ...authorSettings,
  query: {
    name: 'TAPELINE_X_QUERY',
    shape: z
      .string()
      .min(1, 'expected a query')
      .max(512, 'expected at most 512 characters')
      .default('(bitcoin OR ethereum OR solana OR crypto) -is:retweet lang:en'),
    doc: 'The query whose posts are read on X',
  },
  cap_usd: {
    name: 'TAPELINE_X_MONTHLY_USD',
    shape: wholeNumber(0, 100_000).default(10),
    doc: 'The most US dollars for posts of X in a UTC month',
  },
} satisfies Settings

const name = 'x_search'
const grid_s = 3_600

export const xSearch = defineSource({
  name,
  doc:
    'The posts of X of the last hour that match `TAPELINE_X_QUERY`, the newest first, once an hour, with a bearer ' +
    'token: `/2/tweets/search/recent`. X charges 0.005 US dollars a post, so a reading asks for as many as ' +
    '`TAPELINE_X_MONTHLY_USD` allows, spent evenly over the UTC month; posts that were read count from coverage, a ' +
    'failed request as all that it asked for. A request is never repeated. A reading is complete if its last page ' +
    'names no further one. Otherwise it is a sample of the posts, which is *unverified*, and mindshare leaves it out.',
  parts: [{ name: PLATFORM, upstreams: [xHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'authors'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: { group: 'search' },
  typical: { requests: 1, rows: 100, bytes: 100_000 },
  settings,
  plan,
  read,
})

async function plan(context: PlanContext<typeof settings>): Promise<Unit[]> {
  const { lake, at, settings: search } = context
  const spent = await spentIn(lake, name, at)
  const most = affordable({ cap_usd: search.cap_usd, spent, at, grid_s })
  const units = observationOf({ name, grid_s }, context, most === 0 ? [] : [String(most), search.query])
  // A reading that failed may have cost its price, so it is not repeated.
  return (await wasAsked(lake, units)) ? [] : units
}

async function wasAsked(lake: LakeReader, [unit]: readonly Unit[]): Promise<boolean> {
  if (unit === undefined) return false
  const path = unitPath(unit)
  const rows = await lake.query(
    `select unit from lake.coverage where source = $source and unit = $unit limit 1`,
    z.object({ unit: z.string() }),
    { source: name, unit: path },
    { coverage: [path] },
  )
  return rows.length > 0
}

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const { tweets, users, rejected, n_read, n_charged, reason, gaps } = await readPosts(unit, context)
  const hash = authorIds(context.settings.authorSecret)
  const rows = await rowsOfReading(unit, context, shownIn({ tweets, users }, unit.from, hash))
  const proof = `${n_charged} posts read, ${rows.posts.length} new`
  if (reason !== undefined) return { rows, rejected, n_read, state: 'unverified', proof, reason, gaps }
  return { rows, rejected, n_read, state: 'complete', proof: `${proof}: all that match since the reading before` }
}
