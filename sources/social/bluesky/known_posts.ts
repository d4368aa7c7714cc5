import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

/** The posts and authors that the lake has, as far as events about them still matter. */
export type KnownPosts = {
  add: (post_id: string, author: string) => void
  hasPost: (post_id: string) => boolean
  hasAuthor: (author: string) => boolean
}

const rowShape = z.object({ post_id: z.string(), author: z.string() })

/** Reads the posts of a source from an instant on. They are held as numbers: a month of them has a million. */
export async function knownPosts(lake: LakeReader, source: string, since: Micros): Promise<KnownPosts> {
  const [posts, authors] = [new Set<number>(), new Set<number>()]
  const add: KnownPosts['add'] = (post_id, author) => {
    posts.add(numberOf(post_id))
    authors.add(numberOf(author))
  }
  const stored = await lake.query(
    'select post_id, author from lake.posts where source = $source and ts >= $since',
    rowShape,
    { source, since: time.encode(since) },
    { posts: [`${source}/`] },
  )
  for (const { post_id, author } of stored) add(post_id, author)
  return {
    add,
    hasPost: (post_id) => posts.has(numberOf(post_id)),
    hasAuthor: (author) => authors.has(numberOf(author)),
  }
}

/** A hash of 53 bits. Of a million texts two are equal with a chance of 1 in 10,000. */
function numberOf(text: string): number {
  let [low, high] = [0xdeadbeef, 0x41c6ce57]
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n)
    low = Math.imul(low ^ code, 2_654_435_761)
    high = Math.imul(high ^ code, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return 2 ** 32 * (high & 0x1f_ffff) + (low >>> 0)
}
