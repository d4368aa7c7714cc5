import { z } from 'zod'

import type { NewRow, PullContext } from '#activities/source.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'

import { PLATFORM, postIdOf } from './hosts.ts'
import type { BoardPost } from './wire/board.ts'

/** Tombstones of stored posts of some threads that these no longer show, each at its first absence. */
export async function deletedPosts(
  { source, part, from }: Unit,
  { lake }: Pick<PullContext, 'lake'>,
  { posts, threads }: { posts: readonly BoardPost[]; threads: readonly number[] },
): Promise<NewRow<'tombstones'>[]> {
  if (threads.length === 0) return []
  const shown = new Set(posts.map(({ no }) => postIdOf(no)))
  const under = [`${source}/${part}/`]
  const stored = await lake.query(
    `select post_id from lake.posts where source = $source and ts < $at and coalesce(parent_id, post_id) in (
       select unnest(from_json($threads, '["VARCHAR"]')))
     and post_id not in (select target from lake.tombstones where source = $source and ts < $at)
     order by post_id`,
    z.object({ post_id: z.string() }),
    { source, at: time.encode(from), threads: JSON.stringify(threads.map(postIdOf)) },
    { posts: under, tombstones: under },
  )
  return stored
    .filter(({ post_id }) => !shown.has(post_id))
    .map(({ post_id }) => ({ platform: PLATFORM, kind: 'post', target: post_id, ts: from }))
}
