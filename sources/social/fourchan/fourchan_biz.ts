import { unless404 } from '#ingest/http/http.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
  type RowsRead,
} from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { authorIds, authorSettings, type AuthorIds } from '#sources/social/author_ids.ts'
import { lastReading } from '#sources/social/last_reading.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { rowsOfNew } from '#sources/social/reading.ts'
import { gridInstant } from '#time.ts'

import { BOARD, fourchanHost, pageOf, PLATFORM, postIdOf } from './biz.ts'
import { deletedPosts } from './deleted_posts.ts'
import { boardPost, catalog, thread, type BoardPost } from './wire/board.ts'

const GRID_S = 300
const SOURCE = 'fourchan_biz'

export const fourchanBiz = defineSource({
  name: SOURCE,
  doc:
    'The posts of the board /biz/ of 4chan, every five minutes: `/biz/catalog.json` names the threads that changed, ' +
    'and `/biz/thread/<no>.json` has all posts of each. Posters are known only inside a thread, so an author is one ' +
    'of a thread, and a post without a poster id has an author of its own. A link to another post is a reply to it. ' +
    'A stored post that its thread no longer shows was deleted, and becomes a tombstone; a thread that is gone was ' +
    'archived. A post without text is left out. Credit: 4chan, https://www.4chan.org.',
  parts: [{ name: BOARD, upstreams: [fourchanHost] }],
  datasets: ['posts', 'post_text', 'mentions', 'engagement', 'tombstones'],
  unit: 'observation',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s: GRID_S,
  follow: { group: 'fourchan' },
  typical: { requests: 50, rows: 100, bytes: 3_000_000 },
  settings: authorSettings,
  plan,
  read,
})

async function plan({ at, part }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  return [unitOf({ name: SOURCE, unit: 'observation', part: part.name }, { from, to: from })]
}

async function read(unit: Unit, context: ReadContext<typeof authorSettings>): Promise<ReadResult> {
  const host = fourchanHost.name
  const threads = await context.get({ host, path: `/${BOARD}/catalog.json` }, catalog)
  const since = await lastReading(context.lake, unit)
  const changed = threads.filter(({ last_modified }) => last_modified >= since)
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const posts: BoardPost[] = []
  const whole: number[] = []
  for (const { no, sticky } of changed) {
    const path = `/${BOARD}/thread/${no}.json`
    const answer = await unless404(context.get({ host, path }, thread))
    if (answer instanceof Error) continue
    const n_rejected = rejected.length
    posts.push(...parseRows(answer.posts, boardPost, { dataset: 'posts', path, rejected, n_read }))
    // A pinned thread drops its oldest posts, and a post that does not parse is not gone.
    if (sticky === undefined && rejected.length === n_rejected) whole.push(no)
  }
  const tombstones = await deletedPosts(unit, context, { posts, threads: whole })
  const hash = authorIds(context.settings.authorSecret)
  const written = posts.filter(({ text }) => text !== '')
  const rows = await rowsOfNew(
    unit,
    context,
    written.map((post) => readPost(post, hash)),
  )
  const fresh = new Set(rows.posts.map(({ post_id }) => post_id))
  const engagement = written.filter(({ no }) => fresh.delete(postIdOf(no))).flatMap((post) => repliesOf(post, hash))
  return {
    rows: { ...rows, engagement, tombstones },
    rejected,
    n_read,
    state: 'complete',
    proof: `the catalog of ${threads.length} threads, ${changed.length} of them changed: ${rows.posts.length} new posts`,
  }
}

const authorOf = ({ no, thread: threadNo, poster }: BoardPost, hash: AuthorIds): string =>
  hash(PLATFORM, poster === null ? String(no) : `${threadNo}/${poster}`)

const readPost = (post: BoardPost, hash: AuthorIds): ReadPost => ({
  platform: PLATFORM,
  post_id: postIdOf(post.no),
  ts: post.ts,
  author: authorOf(post, hash),
  kind: post.no === post.thread ? 'post' : 'reply',
  text: post.text,
  channel: BOARD,
  url: pageOf(post.thread, post.no),
  parent_id: post.no === post.thread ? null : postIdOf(post.thread),
})

const repliesOf = (post: BoardPost, hash: AuthorIds): NewRow<'engagement'>[] =>
  post.quoted.map((no) => ({
    platform: PLATFORM,
    post_id: postIdOf(no),
    kind: 'reply',
    engager: authorOf(post, hash),
    ts: post.ts,
    n_engaged: 1,
  }))
