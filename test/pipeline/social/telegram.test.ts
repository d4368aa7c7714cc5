import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { channelNames, channelOf, isForwarded, isPicture, messageNumber } from '#sim/social/html_wire/previews.ts'
import { isRemoved, REMOVED_AFTER } from '#sim/social/json_wire/paging.ts'
import { postsOf, type PlatformPost } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { HOUR, type Micros } from '#time.ts'

import { secret } from './jetstream_run.ts'
import { servePolled } from './polled.ts'

const start = noon - (noon % HOUR)
const every: Micros = HOUR / 6
const end = start + sized(3, 3, 8) * HOUR
const world = createSocialWorld({ seed: 9, start })
const source = 'telegram_previews'
const hash = authorIds(secret)
const nameAt = (post: PlatformPost): string => (channelNames[channelOf(post)] ?? '').toLowerCase()
const idOf = (post: PlatformPost): string => `${hash('telegram', nameAt(post))}/${messageNumber(post.n)}`

async function readUntilEnd(channels: readonly string[], faults = {}) {
  const lake = await newLake()
  const env = { TAPELINE_TELEGRAM_CHANNELS: channels.join() }
  const polled = await servePolled(world, { env, faults })
  for (let at = start + every; at <= end; at += every) await polled.readAt(lake, [source], at)
  return { lake, ...polled }
}

const storedShape = z.object({ id: z.string(), author: z.string(), kind: z.string(), text: z.string() })
const storedIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select post_id as id, author, kind, text from lake.posts join lake.post_text using (platform, post_id)
       where platform = 'telegram' order by post_id`,
      storedShape,
    ),
  )
const values = async (lake: Lake, sql: string): Promise<string[]> =>
  (await lake.read(({ query }) => query(sql, z.object({ value: z.string() })))).map(({ value }) => value)

test('every message with a text is stored once, also if requests fail, and deleted ones have tombstones', async () => {
  const { lake, reparseAll } = await readUntilEnd(channelNames, { requests: 0.1, seed: 3 })
  const truth = postsOf(world, 'telegram', start, end).filter((post) => !isPicture(post))
  expect(new Set(truth.map(nameAt)).size).toBe(2)
  const stored = await storedIn(lake)
  expect(stored).toEqual(
    truth
      .map((post) => ({
        id: idOf(post),
        author: hash('telegram', nameAt(post)),
        kind: isForwarded(post) ? 'repost' : 'post',
        text: `${post.text}\nmore\nhttps://site.example/`,
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const found = await values(lake, 'select target as value from lake.tombstones order by target')
  const deleted = truth.filter(isRemoved)
  expect(deleted.map(idOf)).toEqual(expect.arrayContaining(found))
  // A page shows 20 messages, and so reaches an hour back.
  const early = deleted.filter(({ at }) => at + REMOVED_AFTER < end - 2 * every)
  expect(early.length).toBeGreaterThan(1)
  expect(found.length).toBeGreaterThanOrEqual(early.length / 2)
  expect(new Set(found).size).toBe(found.length)
  expect(await reparseAll(lake, source)).toMatchObject({ failed: [] })
  expect(await storedIn(lake)).toEqual(stored)
})

test('a channel without a page leaves the others alone, and names itself in the reason', async () => {
  const { lake } = await readUntilEnd(['no_preview', 'alpha_calls'])
  expect(new Set((await storedIn(lake)).map(({ author }) => author))).toEqual(
    new Set([hash('telegram', 'alpha_calls')]),
  )
  const reasons = await values(lake, `select distinct reason as value from lake.coverage where dataset = 'posts'`)
  expect(reasons).toEqual(['no_preview: no page with messages'])
})

test('no row names a channel, and without channels nothing is asked', async () => {
  const { lake } = await readUntilEnd(['alpha_calls'])
  for (const dataset of ['posts', 'mentions']) {
    const files = (await readdir(join(lake.home, 'lake', dataset), { recursive: true })).filter((name) =>
      name.endsWith('.parquet'),
    )
    expect(files.length).toBeGreaterThan(0)
    for (const name of files)
      expect((await readFile(join(lake.home, 'lake', dataset, name))).includes('alpha_calls')).toBe(false)
  }
  const unset = await servePolled(world)
  expect(await unset.readAt(lake, [source], end + every)).toMatchObject([{ units: 0 }])
  expect(unset.served.counts()).toEqual({})
})
