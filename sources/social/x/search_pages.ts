import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { NotStored } from '#ingest/http/replay.ts'
import { HttpError, ShapeError } from '#ingest/http/response.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import type { ReadContext, RejectedRow, RowsRead } from '#ingest/source.ts'
import type { Gap } from '#lake/reasons.ts'
import type { Unit } from '#lake/units/unit.ts'
import { HOUR, SECOND } from '#time.ts'

import { lostPage, perRequest } from './spend.ts'
import { tweet, user, type Tweet, type User } from './tweet.ts'

export const xHost: Host = {
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

/** A reading begins so long before the one before it, since X shows posts half a minute after they are written. */
const OVERLAP = 120 * SECOND

/** An answer without `meta` is that of an error. One without posts has a count of 0. */
const answerShape = z
  .object({
    data: z.array(z.unknown()).default([]),
    includes: z.object({ users: z.array(z.unknown()).default([]) }).default({ users: [] }),
    meta: z.object({ result_count: z.number().int(), next_token: z.string().optional() }),
  })
  .refine(({ data, meta }) => data.length === meta.result_count, 'expected as many posts as result_count')

/** The posts of a reading. `n_charged` counts what X charges for; a reason says why posts may be missing. */
export type PostsRead = {
  tweets: Tweet[]
  users: User[]
  rejected: RejectedRow[]
  n_read: RowsRead
  n_charged: number
  reason: string | undefined
  gaps: readonly Gap[]
}

/** Reads the posts since the reading before, page by page, as many as the unit may ask for. */
export async function readPosts(unit: Unit, { get }: Pick<ReadContext, 'get'>): Promise<PostsRead> {
  const [most = '', text = ''] = unit.params
  const path = '/2/tweets/search/recent'
  const read: PostsRead = { tweets: [], users: [], rejected: [], n_read: {}, n_charged: 0, reason: undefined, gaps: [] }
  const { rejected, n_read } = read
  let next_token: string | undefined
  for (;;) {
    const max_results = Math.min(perRequest.most, Number(most) - read.n_charged)
    if (max_results < perRequest.least) return { ...read, reason: sample }
    const query = { ...fields, query: text, max_results, start_time: startOf(unit), next_token }
    const answer = await get({ host: xHost.name, path, query, isIdempotent: false }, answerShape).catch(
      (error: unknown) => {
        // The posts of the pages before are paid for.
        if (next_token !== undefined && faults.some((kind) => error instanceof kind)) return error as Error
        throw error
      },
    )
    if (answer instanceof Error)
      return {
        ...read,
        n_charged: read.n_charged + max_results,
        reason: `a further page failed: ${answer.message}`,
        gaps: [lostPage(max_results)],
      }
    read.tweets.push(...parseRows(answer.data, tweet, { dataset: 'posts', path, rejected, n_read }))
    read.users.push(...parseRows(answer.includes.users, user, { dataset: 'authors', path, rejected, n_read }))
    read.n_charged += answer.data.length
    next_token = answer.meta.next_token
    if (next_token === undefined) return read
  }
}

/** The errors of a page that failed. Its response is not stored, so a reparse finds none. */
const faults = [HttpError, ShapeError, NotStored]

const sample =
  'a sample of the posts that match the query: TAPELINE_X_MONTHLY_USD allows no more, so mindshare leaves the hour out'

const startOf = ({ from }: Unit): string => `${new Date((from - HOUR - OVERLAP) / 1000).toISOString().slice(0, 19)}Z`

const fields = {
  sort_order: 'recency',
  'tweet.fields': 'created_at,public_metrics,lang,referenced_tweets,author_id,entities,note_tweet',
  expansions: 'author_id',
  'user.fields': 'public_metrics,created_at',
}
