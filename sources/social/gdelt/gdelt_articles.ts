import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { observedEvery } from '#ingest/observation.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import type { Settings } from '#ingest/setting.ts'
import { defineSource, type ReadContext, type ReadResult, type RejectedRow } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { readingOf } from '#sources/social/read_lists.ts'
import { observationOf, rowsOfNew } from '#sources/social/reading.ts'

import { article, PLATFORM, postOf } from './article.ts'

const gdeltHost: Host = {
  name: 'gdelt',
  doc: 'The URL of the news of GDELT',
  url: 'https://api.gdeltproject.org',
  // Published: one request in 5 seconds.
  requestsPer10s: 1,
  concurrency: 1,
}

const settings = {
  query: {
    name: 'TAPELINE_GDELT_QUERY',
    shape: z
      .string()
      .min(3, 'expected a query of at least 3 characters')
      .max(250, 'expected a query of at most 250 characters')
      .optional(),
    doc: 'The query whose articles are read from GDELT, such as `(bitcoin OR ethereum) sourcelang:english`; by default none',
  },
} satisfies Settings

const name = 'gdelt_articles'
const grid_s = 900
/** GDELT shows so many articles of a request. */
const MOST = 250

export const gdeltArticles = defineSource({
  name,
  doc:
    'The titles of news that match `TAPELINE_GDELT_QUERY`, every 15 minutes, without a key: `/api/v2/doc/doc` with ' +
    'the articles of the last hour. An article is a post of its domain, which has the quality of an unknown author, ' +
    'since the platform reads any site. A reading with 250 articles is *unverified*, since GDELT shows no more.',
  parts: [{ name: PLATFORM, upstreams: [gdeltHost] }],
  datasets: ['posts', 'post_text', 'mentions'],
  precedence: 5,
  ...observedEvery(grid_s),
  follow: { group: 'gdelt' },
  typical: { requests: 1, rows: 100, bytes: 60_000 },
  settings,
  plan: async (context) => observationOf({ name, grid_s }, context, [context.settings.query ?? []].flat()),
  read,
})

/** Without an article the answer is an empty object. */
const answerShape = z.union([
  z.object({ articles: z.array(z.unknown()) }),
  z.strictObject({}, 'expected articles').transform(() => ({ articles: [] })),
])

async function read(unit: Unit, context: ReadContext<typeof settings>): Promise<ReadResult> {
  const path = '/api/v2/doc/doc'
  const query = {
    query: unit.params.join(),
    mode: 'artlist',
    format: 'json',
    sort: 'datedesc',
    timespan: '1h',
    maxrecords: MOST,
  }
  const answer: z.output<typeof answerShape> = await context.get({ host: gdeltHost.name, path, query }, answerShape)
  const rejected: RejectedRow[] = []
  const articles = parseRows(answer.articles, article, { dataset: 'posts', path, rejected })
  const rows = await rowsOfNew(
    unit,
    context,
    articles.map((listedArticle) => postOf(listedArticle, unit.from)),
  )
  const proof = `${answer.articles.length} articles of an hour, ${rows.posts.length} new`
  const reason = answer.articles.length < MOST ? undefined : `${proof}; older ones are not shown`
  const n_read = { posts: answer.articles.length }
  return readingOf(rows, { rejected, n_read }, { proof, reason })
}
