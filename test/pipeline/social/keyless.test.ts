import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { articlesOf, guidOf, outletNames } from '#sim/social/feed_wire/feeds.ts'
import { boardNo, isDeleted, posterIn, threadsAt } from '#sim/social/forum_wire/board.ts'
import { postsOf } from '#sim/social/platform_posts.ts'
import { createSocialWorld, type SocialWorld } from '#sim/social/world.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import type { Micros } from '#time.ts'

import { secret } from './jetstream_run.ts'
import { servePolled } from './polled.ts'

const minute: Micros = 60_000_000
const start = noon - (noon % (60 * minute))
const world = createSocialWorld({ seed: 3, start })
const hours = sized(3, 3, 8)
const instants = Array.from({ length: hours * 12 }, (_, n) => start + (n + 1) * 5 * minute)
const end = instants.at(-1) ?? start

const storedShape = z.object({ post_id: z.string(), text: z.string(), author: z.string(), ts: z.bigint() })
const storedIn = (lake: Lake, platform: string) =>
  lake.read(({ query }) =>
    query(
      `select post_id, text, author, epoch_us(p.ts) as ts from lake.posts p join lake.post_text t using (platform, post_id)
       where platform = $platform order by post_id`,
      storedShape,
      { platform },
    ),
  )

/** Articles as rows of the lake, by the truth of the world. */
const trueArticles = (of: SocialWorld) =>
  outletNames
    .flatMap((outlet) =>
      articlesOf(of, outlet, start, end).map(({ n, at, text }) => ({
        post_id: `${outlet}/${guidOf(outlet, n)}`,
        text: `${text.split(',')[0]}\n${text} & more`,
        author: outlet,
        // RSS gives whole seconds.
        ts: BigInt(at - (at % 1_000_000)),
      })),
    )
    .toSorted((a, b) => (a.post_id < b.post_id ? -1 : 1))

test('every article of every feed is stored once, also if requests fail, and unchanged feeds are not sent', async () => {
  const lake = await newLake()
  const { served, readAt, reparseAll } = await servePolled(world, { faults: { requests: 0.2, seed: 4 } })
  for (const at of instants) await readAt(lake, ['news_feeds'], at)
  await readAt(lake, ['news_feeds'], end + 5 * minute)
  const stored = await storedIn(lake, 'news')
  expect(stored.filter(({ ts }) => ts < end)).toEqual(trueArticles(world))
  expect(await reparseAll(lake, 'news_feeds')).toMatchObject({ failed: [] })
  expect(await storedIn(lake, 'news')).toEqual(stored)
  expect(served.counts()['news_coindesk 304']).toBeGreaterThan(instants.length / 4)
  const authors = await lake.read(({ query }) =>
    query(
      'select distinct author, is_outlet from lake.authors order by author',
      z.object({ author: z.string(), is_outlet: z.boolean() }),
    ),
  )
  expect(authors).toEqual(outletNames.map((author) => ({ author, is_outlet: true })))
})

test('an outlet that refuses leaves the others alone, and its units name the reason', async () => {
  const lake = await newLake()
  const { readAt } = await servePolled(world, { refusing: ['news_decrypt'] })
  for (const at of instants.slice(0, 3)) await readAt(lake, ['news_feeds'], at)
  const parts = await lake.read(({ query }) =>
    query(
      `select part, min(state) as state, min(reason) as reason from lake.coverage where dataset = 'posts'
       group by part order by part`,
      z.object({ part: z.string(), state: z.string(), reason: z.string().nullable() }),
    ),
  )
  const refused = expect.stringContaining('news_decrypt /feed answered 403')
  expect(parts).toEqual([
    { part: 'coindesk', state: 'done', reason: null },
    { part: 'decrypt', state: 'missing', reason: refused },
    { part: 'theblock', state: 'done', reason: null },
  ])
})

test('every post of the board is stored once, and deleted ones have tombstones', async () => {
  const lake = await newLake()
  const { readAt, reparseAll } = await servePolled(world, { faults: { requests: 0.1, seed: 5 } })
  for (const at of instants) await readAt(lake, ['fourchan_biz'], at)
  const hash = authorIds(secret)
  const threadOf = new Map(
    threadsAt(world, start + 20 * minute).flatMap(({ no, posts }) => posts.map(({ n }) => [n, no])),
  )
  for (const at of instants)
    for (const { no, posts } of threadsAt(world, at)) for (const { n } of posts) threadOf.set(n, no)
  const posts = postsOf(world, 'fourchan', start, end)
  const stored = await storedIn(lake, '4chan')
  expect(stored.map(({ post_id }) => post_id)).toEqual(posts.map(({ n }) => `biz/${boardNo(n)}`))
  expect(stored.map(({ text }) => text)).toEqual(posts.map(({ text }) => `${text}\n>tfw`))
  expect(stored.map(({ author }) => author)).toEqual(
    posts.map(({ n, author }) => hash('4chan', `${threadOf.get(n)}/${posterIn(world, threadOf.get(n) ?? 0, author)}`)),
  )
  expect(await reparseAll(lake, 'fourchan_biz')).toMatchObject({ failed: [] })
  expect(await storedIn(lake, '4chan')).toEqual(stored)
  const tombstones = await lake.read(({ query }) =>
    query('select target from lake.tombstones order by target', z.object({ target: z.string() })),
  )
  const deleted = posts.filter(isDeleted).map(({ n, at }) => ({ target: `biz/${boardNo(n)}`, at }))
  const found = tombstones.map(({ target }) => target)
  expect(deleted.map(({ target }) => target)).toEqual(expect.arrayContaining(found))
  // A thread is read again after its next post, which comes within the hour.
  const early = deleted.filter(({ at }) => at < start + 40 * minute).map(({ target }) => target)
  expect(found).toEqual(expect.arrayContaining(early))
  expect(new Set(found).size).toBe(found.length)
})
