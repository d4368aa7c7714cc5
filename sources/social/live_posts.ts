import { z } from 'zod'

import type { ReadContext } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'

/**
 * The ids of stored posts of a source from before a reading. A condition in SQL over `p` selects them, and they have no
 * tombstone of an earlier reading. `list` is the list of texts `$list` of the condition.
 */
export async function livePosts(
  { source, part, from }: Unit,
  { lake }: Pick<ReadContext, 'lake'>,
  condition: string,
  list: readonly string[],
): Promise<string[]> {
  if (list.length === 0) return []
  const under = [`${source}/${part}/`]
  const stored = await lake.query(
    `select p.post_id from lake.posts p where p.source = $source and p.ts < $at
       and (${condition.replaceAll('$list', `(select unnest(from_json($texts, '["VARCHAR"]')))`)})
       and p.post_id not in (select target from lake.tombstones where source = $source and ts < $at)
     order by p.post_id`,
    z.object({ post_id: z.string() }),
    { source, at: time.encode(from), texts: JSON.stringify(list) },
    { posts: under, tombstones: under },
  )
  return stored.map(({ post_id }) => post_id)
}
