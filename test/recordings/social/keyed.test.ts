import { describe, expect, it } from 'vitest'
import type { z } from 'zod'

import { parseRows } from '#ingest/parse/rows.ts'
import type { RejectedRow } from '#ingest/source.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { cast, shownIn as shownInCasts } from '#sources/social/farcaster/cast.ts'
import { castAddBody, castText } from '#sources/social/farcaster/cast_message.ts'
import { rowsOfPosts } from '#sources/social/post_rows.ts'
import type { Shown } from '#sources/social/reading.ts'
import { message, shownIn as shownInMessages } from '#sources/social/stocktwits/message.ts'
import { noon } from '#test/lake/fixture.ts'

import { isRecorded, recorded, recordedLines } from './files.ts'

type Body = { data: { castAddBody: unknown } }

const hash = authorIds('a-secret-of-an-installation-in-tests')

/** Parses rows, and checks that at most 1 % of them are rejected. */
function parsed<T>(bodies: readonly unknown[], shape: z.ZodType<T>): T[] {
  const rejected: RejectedRow[] = []
  const rows = parseRows(bodies, shape, { dataset: 'posts', path: '', rejected })
  expect(rejected.length, JSON.stringify(rejected[0]?.reason)).toBeLessThanOrEqual(bodies.length / 100)
  return rows
}

const kindsOf = ({ posts }: Shown): Record<string, number> => {
  const counts: Record<string, number> = {}
  const rows = rowsOfPosts(posts, () => [], noon)
  for (const { kind } of rows.posts) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describe.skipIf(!isRecorded)('recorded answers', () => {
  it('of Neynar are read', () => {
    const casts = [1, 2, 3].flatMap((n) => {
      const page = JSON.parse(recorded(`dipanshuraz__neynar-tiktok/casts-${n}.json.gz`)) as { casts: unknown[] }
      return parsed(page.casts, cast)
    })
    expect(casts).toHaveLength(225)
    const shown = shownInCasts(casts, noon, hash)
    expect(kindsOf(shown)).toEqual({ post: 190, quote: 33, reply: 2 })
    expect(shown.authors.every(({ score }) => score !== null && score > 0)).toBe(true)
  })

  it('of a Snapchain node are read, with mentions at their places', () => {
    const { messages } = JSON.parse(recorded('farcasterxyz__snapchain/casts_by_fid.json')) as { messages: Body[] }
    const bodies = parsed(
      messages.map(({ data }) => data.castAddBody),
      castAddBody,
    )
    expect(bodies.length).toBeGreaterThan(3)
    for (const body of bodies) {
      const text = castText(body)
      for (const fid of body.mentions) expect(text).toContain(`@${fid}`)
      expect(text.replaceAll(/@\d+/g, '').startsWith(body.text)).toBe(true)
    }
  })

  it('of StockTwits are read, with the labels of authors and the ids of coins', () => {
    const lines = recordedLines('7scgb4t8vc-cpu__stocktwits-collector/stocktwits_2026_raw_dedup.jsonl.gz')
    const messages = parsed(
      lines.map((line): unknown => JSON.parse(line)),
      message,
    )
    expect(messages).toHaveLength(828)
    const { posts } = shownInMessages(messages, noon, hash)
    const labels = posts.map(({ native_label }) => native_label)
    expect(labels.filter((label) => label === 'bullish')).toHaveLength(291)
    expect(labels.filter((label) => label === 'bearish')).toHaveLength(58)
    const coins = new Set(posts.flatMap(({ native_assets = [] }) => native_assets))
    expect([...coins]).toEqual(expect.arrayContaining(['hyperliquid', 'zora']))
    // Three senders had escaped their text before.
    expect(posts.filter(({ text }) => /&(quot|#39|amp);/.test(text))).toHaveLength(3)
  })
})
