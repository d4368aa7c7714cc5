import { z } from 'zod'

import type { NewRow, ReadContext } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY } from '#time.ts'

/**
 * The ids of posts that no other unit of the source has, of those given. An observation stores a post once. A unit that
 * is read again keeps its own posts.
 */
async function unseenPosts(
  { source, part }: Unit,
  { lake, storedRows }: Pick<ReadContext, 'lake' | 'storedRows'>,
  ids: readonly string[],
): Promise<Set<string>> {
  const unitPosts = new Set((await storedRows('posts', Infinity)).map(({ post_id }) => post_id))
  const storedPosts = await lake.query(
    `select post_id from lake.posts where source = $source
       and post_id in (select unnest(from_json($ids, '["VARCHAR"]')))`,
    z.object({ post_id: z.string() }),
    { source, ids: JSON.stringify(ids) },
    { posts: [`${source}/${part}/`] },
  )
  const elsewhere = new Set(storedPosts.map(({ post_id }) => post_id).filter((id) => !unitPosts.has(id)))
  return new Set(ids.filter((id) => !elsewhere.has(id)))
}

/** Finds the ids of posts that no other unit of the source has. An id is looked up once in a read. */
export type UnseenOf = (ids: readonly string[]) => Promise<Set<string>>

export function unseenIn(unit: Unit, context: Pick<ReadContext, 'lake' | 'storedRows'>): UnseenOf {
  const isUnseen = new Map<string, boolean>()
  return async (ids) => {
    const asked = [...new Set(ids)].filter((id) => !isUnseen.has(id))
    const unseen = asked.length === 0 ? new Set() : await unseenPosts(unit, context, asked)
    for (const id of asked) isUnseen.set(id, unseen.has(id))
    return new Set(ids.filter((id) => isUnseen.get(id) === true))
  }
}

/** The rows of authors that have no row of an earlier reading in the UTC day of theirs, each author once. */
export async function unseenAuthors(
  { source, part, from }: Unit,
  { lake }: Pick<ReadContext, 'lake'>,
  rows: readonly NewRow<'authors'>[],
): Promise<NewRow<'authors'>[]> {
  const storedAuthors = await lake.query(
    `select distinct author from lake.authors where source = $source and seen_at >= $day and seen_at < $at`,
    z.object({ author: z.string() }),
    { source, day: time.encode(from - (from % DAY)), at: time.encode(from) },
    { authors: [`${source}/${part}/`] },
  )
  const seen = new Set(storedAuthors.map(({ author }) => author))
  return rows.filter(({ author }) => {
    const isNew = !seen.has(author)
    seen.add(author)
    return isNew
  })
}
