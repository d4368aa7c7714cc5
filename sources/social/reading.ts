import { z } from 'zod'

import { observationAt } from '#ingest/observation.ts'
import type { NewRow, PlanContext, ReadContext, Rows } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'

import { mentionsIn } from './mentions.ts'
import { unseenAuthors, unseenIn, type UnseenOf } from './new_rows.ts'
import { rowsOfPosts, type PostRows, type ReadPost } from './post_rows.ts'

/** The rows that one reading of a platform shows. Counts are those of posts, without an engager. */
export type Shown = {
  posts: readonly ReadPost[]
  counts: readonly NewRow<'engagement'>[]
  authors: readonly NewRow<'authors'>[]
}

/** The rows of a reading: posts that no earlier one has, counts that changed, and each author once a day. */
export async function rowsOfReading(
  unit: Unit,
  context: ReadContext,
  shown: Shown,
  unseenOf?: UnseenOf,
): Promise<Rows & PostRows> {
  return {
    ...(await rowsOfNew(unit, context, shown.posts, unseenOf)),
    engagement: await changedCounts(unit, context, shown.counts),
    authors: await unseenAuthors(unit, context, shown.authors),
  }
}

/** The rows of the posts that no earlier reading has, each once. */
export async function rowsOfNew(
  unit: Unit,
  context: ReadContext,
  posts: readonly ReadPost[],
  unseenOf: UnseenOf = unseenIn(unit, context),
): Promise<PostRows> {
  const unseen = await unseenOf(posts.map(({ post_id }) => post_id))
  const fresh = posts.filter(({ post_id }) => unseen.delete(post_id))
  return rowsOfPosts(fresh, await mentionsIn(context.lake, unit.from), unit.from)
}

/** Counts above zero that differ from the last stored ones, each once. */
async function changedCounts(
  { source, part, from }: Unit,
  { lake }: Pick<ReadContext, 'lake'>,
  counts: readonly NewRow<'engagement'>[],
): Promise<NewRow<'engagement'>[]> {
  const stored = await lake.query(
    `select post_id, kind, arg_max(n_engaged, ts) as n from lake.engagement
     where source = $source and engager = '' and ts < $at
       and post_id in (select unnest(from_json($ids, '["VARCHAR"]'))) group by all`,
    z.object({ post_id: z.string(), kind: z.string(), n: z.bigint() }),
    { source, at: time.encode(from), ids: JSON.stringify([...new Set(counts.map(({ post_id }) => post_id))]) },
    { engagement: [`${source}/${part}/`] },
  )
  const last = new Map(stored.map(({ post_id, kind, n }) => [`${kind} ${post_id}`, Number(n)]))
  return counts.filter(({ post_id, kind, n_engaged }) => {
    const key = `${kind} ${post_id}`
    const isChanged = n_engaged !== (last.get(key) ?? 0)
    last.set(key, n_engaged)
    return isChanged
  })
}

/** The counts of a post as rows. */
export const countsOf = (
  { platform, post_id }: Pick<ReadPost, 'platform' | 'post_id'>,
  ts: number,
  counts: Readonly<Record<string, number>>,
): NewRow<'engagement'>[] =>
  Object.entries(counts).map(([kind, n_engaged]) => ({ platform, post_id, kind, engager: '', ts, n_engaged }))

/** The observation of a list of names at the instant of a plan; none without names. */
export const observationOf = (
  source: { name: string; grid_s: number },
  context: PlanContext,
  params: readonly string[],
): Unit[] => (params.length === 0 ? [] : [observationAt(source, context, params)])
