import type { NewRow, ReadContext } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { livePosts } from '#sources/social/live_posts.ts'

import { PLATFORM, postIdOf } from './biz.ts'
import type { BoardPost } from './wire/board.ts'

/**
 * Tombstones of stored posts of some threads that these no longer show, each at its first absence. The opening post of
 * a thread has no parent.
 */
export async function deletedPosts(
  unit: Unit,
  context: Pick<ReadContext, 'lake'>,
  { posts, threads }: { posts: readonly BoardPost[]; threads: readonly number[] },
): Promise<NewRow<'tombstones'>[]> {
  const shown = new Set(posts.map(({ no }) => postIdOf(no)))
  const stored = await livePosts(unit, context, 'coalesce(p.parent_id, p.post_id) in $list', threads.map(postIdOf))
  return stored
    .filter((post_id) => !shown.has(post_id))
    .map((target) => ({ platform: PLATFORM, kind: 'post', target, ts: unit.from }))
}
