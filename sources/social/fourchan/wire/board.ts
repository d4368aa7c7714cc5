import { z } from 'zod'

import { epochSeconds } from '#ingest/parse/timestamps.ts'
import { plainText } from '#sources/social/plain_text.ts'

/** A thread as the catalog shows it. `last_modified` is the instant of its last change. */
const threadEntry = z.object({
  no: z.number().int().positive(),
  last_modified: epochSeconds,
  sticky: z.number().optional(),
})

/** The catalog of a board: all of its threads, in pages. */
export const catalog = z
  .array(z.object({ threads: z.array(threadEntry) }))
  .transform((pages) => pages.flatMap(({ threads }) => threads))

/** The posts of a thread, unparsed. */
export const thread = z.object({ posts: z.array(z.unknown()).min(1) })

/**
 * A post of a thread. `id` is the name of its poster in this thread alone; some posts have none. `quoted` are the
 * numbers of the posts that it answers. `text` is empty for a post with a picture alone.
 */
export const boardPost = z
  .object({
    no: z.number().int().positive(),
    resto: z.number().int().nonnegative(),
    time: epochSeconds,
    id: z.string().optional(),
    sub: z.string().optional(),
    com: z.string().optional(),
  })
  .transform(({ no, resto, time, id, sub = '', com = '' }) => ({
    no,
    thread: resto === 0 ? no : resto,
    ts: time,
    poster: id ?? null,
    quoted: [...new Set([...com.matchAll(/&gt;&gt;(\d+)/g)].map(([, number]) => Number(number)))],
    text: [plainText(sub), plainText(com.replaceAll(quoteLink, ' '))].filter((part) => part !== '').join('\n'),
  }))
export type BoardPost = z.output<typeof boardPost>

/** A link to another post is no text of its own. */
const quoteLink = /<a [^>]*class="quotelink"[^>]*>.*?<\/a>/g
