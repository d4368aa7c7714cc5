import { z } from 'zod'

import type { Document } from '#ingest/http/request.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult, type RejectedRow } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { news } from '#registry/platforms/news.ts'
import { unseenAuthors } from '#sources/social/new_rows.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { rowsOfNew } from '#sources/social/reading.ts'
import { gridInstant } from '#time.ts'

import { article, readFeed, type Article } from './feed.ts'
import { feedPath, outlets } from './outlets.ts'

const GRID_S = 300
const SOURCE = 'news_feeds'
const PLATFORM = news.id

export const newsFeeds = defineSource({
  name: SOURCE,
  doc:
    'The articles of news outlets, from their RSS or Atom feeds every five minutes. A request names the version that ' +
    'was read last, and a feed that has not changed is not sent. An article is stored when a feed shows it for the ' +
    'first time, with its title and summary; its id is the id in the feed, or its address. An instant in the future ' +
    'becomes the instant of the reading. Feeds show their last 10 to 100 articles: what passes between two readings ' +
    'is not seen. Each outlet is a part, and fails without stopping the others. The parser knows no document types ' +
    'and no entities of their own.',
  parts: outlets,
  datasets: ['posts', 'post_text', 'mentions', 'authors'],
  unit: 'observation',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s: GRID_S,
  follow: { group: 'news' },
  typical: { requests: 1, rows: 2, bytes: 100_000 },
  plan,
  read,
})

async function plan({ at, part }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  return [unitOf({ name: SOURCE, unit: 'observation', part: part.name }, { from, to: from })]
}

const documentShape: z.ZodType<Document> = z.object({
  text: z.string().nullable(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
})

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const path = feedPath(unit.part)
  const before = await validatorsBefore(context.lake, unit)
  const headers = {
    ...(before.etag === null ? {} : { 'if-none-match': before.etag }),
    ...(before.last_modified === null ? {} : { 'if-modified-since': before.last_modified }),
  }
  const { upstreams } = context.part
  const { text, ...validators } = await context.get({ upstreams, path, as: 'document', headers }, documentShape)
  if (text === null) {
    const resume = JSON.stringify(before)
    return { rows: {}, rejected: [], state: 'complete', proof: 'the feed has not changed', resume }
  }
  const rejected: RejectedRow[] = []
  const items = readFeed(text)
  const articles = parseRows(items, article, { dataset: 'posts', path, rejected })
  const rows = await rowsOfNew(
    unit,
    context,
    articles.map((feedArticle) => postOf(feedArticle, unit)),
  )
  const outlet = { platform: PLATFORM, author: unit.part, seen_at: unit.from, ...unknownAuthor, is_outlet: true }
  return {
    rows: { ...rows, authors: await unseenAuthors(unit, context, [outlet]) },
    rejected,
    n_read: { posts: items.length },
    state: 'complete',
    proof: `${items.length} articles, ${rows.posts.length} new`,
    resume: JSON.stringify(validators),
  }
}

const unknownAuthor = { n_followers: null, n_following: null, n_posts: null, joined_at: null, score: null }

/** An article as a post of its outlet, whose name is no person's. */
const postOf = (feedArticle: Article, { part, from }: Unit): ReadPost => ({
  platform: PLATFORM,
  post_id: `${part}/${feedArticle.id}`,
  ts: Math.min(feedArticle.claimed_at ?? from, from),
  author: part,
  kind: 'post',
  text: feedArticle.text,
  channel: part,
  url: feedArticle.url,
  is_crypto: true,
})

const validatorsShape = z.object({ etag: z.string().nullable(), last_modified: z.string().nullable() })

/**
 * The validators of the last reading that was stored. A reading that failed has none, so that the articles that it lost
 * are sent again.
 */
async function validatorsBefore(lake: LakeReader, { source, part, from }: Unit) {
  const [last] = await lake.query(
    `select resume from lake.coverage where source = $source and part = $part
       and dataset = 'posts' and state not in ('missing', 'unavailable') and from_at < $at
     order by from_at desc limit 1`,
    z.object({ resume: z.string().nullable() }),
    { source, part, at: time.encode(from) },
    { coverage: [`${source}/${part}/`] },
  )
  const resume = last?.resume ?? null
  return resume === null ? { etag: null, last_modified: null } : validatorsShape.parse(JSON.parse(resume))
}
