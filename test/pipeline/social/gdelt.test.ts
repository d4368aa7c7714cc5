import { expect, test } from 'vitest'
import { z } from 'zod'

import { parseRows } from '#ingest/parse/rows.ts'
import type { RejectedRow } from '#ingest/source.ts'
import { gdeltUrl } from '#sim/social/json_wire/gdelt.ts'
import { postsOf } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { article, postOf } from '#sources/social/gdelt/article.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { HOUR } from '#time.ts'

import { servePolled } from './polled.ts'

const start = noon - (noon % HOUR)
const world = createSocialWorld({ seed: 8, start })
const env = { TAPELINE_GDELT_QUERY: '(bitcoin OR ethereum) sourcelang:english' }
const source = 'gdelt_articles'

test('every article of the query is stored once, as a post of its domain, and none without a query', async () => {
  const lake = await newLake()
  const { readAt, reparseAll } = await servePolled(world, { env, faults: { requests: 0.2, seed: 4 } })
  const instants = [1, 2, 3, 4, 5, 6].map((n) => start + (n * HOUR) / 4)
  for (const at of instants) await readAt(lake, [source], at)
  const stored = () =>
    lake.read(({ query }) =>
      query(
        `select post_id, author, text, state from lake.posts join lake.post_text using (platform, post_id)
         cross join (select distinct state from lake.coverage where dataset = 'posts') order by post_id`,
        z.object({ post_id: z.string(), author: z.string(), text: z.string(), state: z.string() }),
      ),
    )
  const truth = postsOf(world, 'news', start, instants.at(-1) ?? start).map((post) => ({
    post_id: `gdelt/${gdeltUrl(post)}`,
    author: `site${post.author % 40}.example`,
    text: post.text,
    state: 'done',
  }))
  expect(truth.length).toBeGreaterThan(5)
  expect(await stored()).toEqual(truth.toSorted((a, b) => (a.post_id < b.post_id ? -1 : 1)))
  expect(await reparseAll(lake, source)).toMatchObject({ failed: [] })
  expect(await stored()).toHaveLength(truth.length)
  const unset = await servePolled(world)
  expect(await unset.readAt(lake, [source], start + 3 * HOUR)).toMatchObject([{}])
  expect(await stored()).toHaveLength(truth.length)
})

test('an article without a title, an address or an instant is rejected by its field', () => {
  const whole = {
    url: 'https://a.example/1',
    title: 'Bitcoin rises',
    seendate: '20260918T031500Z',
    domain: 'a.example',
  }
  const rows = [whole, { ...whole, title: '' }, { ...whole, url: 'a' }, { ...whole, seendate: '20261318T031500Z' }]
  const rejected: RejectedRow[] = []
  const [one, ...others] = parseRows(rows, article, { dataset: 'posts', path: '', rejected })
  expect(others).toEqual([])
  expect(rejected.map(({ reason }) => reason.split(':')[0])).toEqual(['title', 'url', 'seendate'])
  expect(one && postOf(one, noon)).toMatchObject({ ts: Date.UTC(2026, 8, 18, 3, 15) * 1000, author: 'a.example' })
})
