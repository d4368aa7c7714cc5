import { z } from 'zod'

import type { Host } from '#activities/http/host.ts'
import { parseRows } from '#activities/parse/rows.ts'
import { wholeNumber, type Settings } from '#activities/setting.ts'
import { authorIds, authorSettings } from '#activities/social/author_ids.ts'
import { observationOf, observedEvery, rowsOfReading } from '#activities/social/reading.ts'
import {
  defineSource,
  type PlanContext,
  type PullContext,
  type PullResult,
  type RejectedRow,
} from '#activities/source.ts'
import type { LakeReader } from '#lake/reader.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'

import { affordable, spentIn } from './spend.ts'
import { PLATFORM, shownIn, tweet, user } from './tweet.ts'

const xHost: Host = {
  name: 'twitter',
  doc: 'The URL of the API of X',
  url: 'https://api.x.com',
  requestsPer10s: 1,
  concurrency: 1,
  secret: {
    setting: 'TWITTER_BEARER_TOKEN',
    doc: 'A bearer token of https://developer.x.com; each read post costs money',
    in: 'header',
    name: 'authorization',
    prefix: 'Bearer ',
    withoutKey: 'unfollowed',
  },
}

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
    'The newest posts of X that match `TAPELINE_X_QUERY`, once an hour, with a bearer token: ' +
    '`/2/tweets/search/recent`. X charges 0.005 US dollars a post, so a reading asks for as many as ' +
    '`TAPELINE_X_MONTHLY_USD` allows, spent evenly over the UTC month; posts that were read count from coverage, a ' +
    'failed reading as 100. A request is never repeated. It is a sample, so its units are *unverified*.',
  parts: [{ name: PLATFORM, upstreams: [xHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'authors'],
  precedence: 10,
  ...observedEvery(grid_s),
  follow: { group: 'search' },
  typical: { requests: 1, rows: 100, bytes: 80_000 },
  settings,
  plan,
  pull,
})

async function plan(context: PlanContext<typeof settings>): Promise<Unit[]> {
  const { lake, at, settings: of } = context
  const spent = await spentIn(lake, name, at)
  const most = affordable({ cap_usd: of.cap_usd, spent, at, grid_s })
  const units = observationOf({ name, grid_s }, context, most === 0 ? [] : [String(most), of.query])
  // A reading that failed may have cost its price, so it is not repeated.
  return (await wasAsked(lake, units)) ? [] : units
}

async function wasAsked(lake: LakeReader, [unit]: readonly Unit[]): Promise<boolean> {
  if (unit === undefined) return false
  const path = unitPath(unit)
  const known = await lake.query(
    `select unit from lake.coverage where source = $source and unit = $unit limit 1`,
    z.object({ unit: z.string() }),
    { source: name, unit: path },
    { coverage: [path] },
  )
  return known.length > 0
}

const answerShape = z.object({
  data: z.array(z.unknown()).default([]),
  includes: z.object({ users: z.array(z.unknown()).default([]) }).default({ users: [] }),
})

async function pull(unit: Unit, context: PullContext<typeof settings>): Promise<PullResult> {
  const [max_results = '', text = ''] = unit.params
  const path = '/2/tweets/search/recent'
  const query = {
    query: text,
    max_results,
    sort_order: 'recency',
    'tweet.fields': 'created_at,public_metrics,lang,referenced_tweets,author_id',
    expansions: 'author_id',
    'user.fields': 'public_metrics,created_at',
  }
  const answer = await context.get({ host: xHost.name, path, query, isIdempotent: false }, answerShape)
  const rejected: RejectedRow[] = []
  const tweets = parseRows(answer.data, tweet, { dataset: 'posts', path, rejected })
  const users = parseRows(answer.includes.users, user, { dataset: 'authors', path, rejected })
  const hash = authorIds(context.settings.authorSecret)
  const rows = await rowsOfReading(unit, context, shownIn({ tweets, users }, unit.from, hash))
  const proof = `${answer.data.length} posts read, ${rows.posts.length} new`
  const n_read = { posts: answer.data.length, authors: answer.includes.users.length }
  return { rows, rejected, n_read, state: 'unverified', proof, reason: 'a sample of the posts that match the query' }
}
