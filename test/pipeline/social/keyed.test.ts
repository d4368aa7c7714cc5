import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { castHash, castsKey } from '#sim/social/json_wire/casts.ts'
import { messageId } from '#sim/social/json_wire/messages.ts'
import { isRemoved, REMOVED_AFTER } from '#sim/social/json_wire/paging.ts'
import { thingName } from '#sim/social/json_wire/subreddits.ts'
import { isLong, tweetId, tweetsToken } from '#sim/social/json_wire/tweets.ts'
import { postsOf, type PlatformName, type PlatformPost } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import type { Micros } from '#time.ts'

import { servePolled } from './polled.ts'

const minute: Micros = 60_000_000
const start = noon - (noon % (60 * minute))
const world = createSocialWorld({ seed: 7, start })
const hours = sized(3, 3, 8)
const end = start + hours * 60 * minute

const env = {
  NEYNAR_API_KEY: castsKey,
  TWITTER_BEARER_TOKEN: tweetsToken,
  TAPELINE_SNAPCHAIN_PARENTS: 'https://channel.example/one',
  TAPELINE_REDDIT_SUBREDDITS: 'CryptoCurrency,Bitcoin',
  TAPELINE_STOCKTWITS_SYMBOLS: 'BTC.X,ETH.X',
}

const values = async (lake: Lake, sql: string): Promise<string[]> =>
  (await lake.read(({ query }) => query(sql, z.object({ value: z.string() })))).map(({ value }) => value)

const idsIn = (lake: Lake): Promise<string[]> => values(lake, 'select post_id as value from lake.posts order by 1')

async function readUntilEnd(name: string, every: Micros, faults = { requests: 0.1, seed: 3 }) {
  const lake = await newLake()
  const { served, readAt } = await servePolled(world, { env, faults })
  for (let at = start + every; at <= end; at += every) await readAt(lake, [name], at)
  return { lake, served }
}

const trueIds = (
  platform: PlatformName,
  idOf: (post: PlatformPost) => string,
  isWanted: (post: PlatformPost) => boolean = () => true,
): string[] => postsOf(world, platform, start, end).filter(isWanted).map(idOf).sort()

test('every cast of the channels is stored once, with counts that grow and the rating of its author', async () => {
  const { lake } = await readUntilEnd('farcaster_channels', 5 * minute)
  expect(await idsIn(lake)).toEqual(trueIds('farcaster', ({ n }) => castHash(n)))
  const counts = await lake.read(({ query }) =>
    query(
      `select post_id, list(n_engaged::int order by ts) as seen from lake.engagement where kind = 'like' group by post_id`,
      z.object({ post_id: z.string(), seen: z.array(z.number()) }),
    ),
  )
  expect(counts.length).toBeGreaterThan(10)
  for (const { seen } of counts) expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
  expect(await values(lake, `select distinct score::varchar as value from lake.authors`)).toEqual(['0.9'])
})

test('every cast of a channel of an own node is stored once, with its mentions', async () => {
  const { lake } = await readUntilEnd('farcaster_snapchain', 15 * minute)
  expect(await idsIn(lake)).toEqual(trueIds('farcaster', ({ n }) => castHash(n)))
  const texts = await values(lake, `select concat(post_id, ' ', text) as value from lake.post_text order by 1`)
  const mentioned = ({ n, text }: PlatformPost): string => (n % 3 === 0 ? text.replace(/^\S+/, '$&@7') : text)
  expect(texts).toEqual(trueIds('farcaster', (post) => `${castHash(post.n)} ${mentioned(post)}`))
})

test('every message about the symbols is stored once, with the label of its author and the coin', async () => {
  const { lake } = await readUntilEnd('stocktwits_symbols', 15 * minute)
  const isWanted = ({ asset }: PlatformPost): boolean => asset === 0 || asset === 1
  expect(await idsIn(lake)).toEqual(trueIds('stocktwits', ({ n }) => String(messageId(n)), isWanted))
  const labels = await values(
    lake,
    `select concat_ws(' ', post_id, native_label, native_assets[1]) as value from lake.posts order by post_id`,
  )
  const labelOf = ({ n, isBullish }: PlatformPost): string => (n % 2 > 0 ? '' : isBullish ? 'bullish ' : 'bearish ')
  const coinOf = ({ asset }: PlatformPost): string => world.assets[asset ?? -1]?.id ?? ''
  expect(labels).toEqual(
    trueIds('stocktwits', (post) => `${messageId(post.n)} ${labelOf(post)}${coinOf(post)}`, isWanted),
  )
})

test('every post and comment of the subreddits is stored once, and removed ones have tombstones', async () => {
  const { lake } = await readUntilEnd('reddit_listings', 10 * minute)
  expect(await idsIn(lake)).toEqual(trueIds('reddit', thingName))
  const found = await values(lake, 'select target as value from lake.tombstones order by 1')
  expect(new Set(found).size).toBe(found.length)
  // A listing is read back to a known post: a removal is seen while its page is read.
  expect(trueIds('reddit', thingName, isRemoved)).toEqual(expect.arrayContaining(found))
  const first = trueIds('reddit', thingName, (post) => isRemoved(post) && post.at + REMOVED_AFTER < end - 20 * minute)
  expect(found.filter((name) => first.includes(name)).length).toBeGreaterThan(first.length / 2)
})

test('posts of X are read within the cap of the month, spent evenly', async () => {
  const lake = await newLake()
  const cap_usd = 10
  const { served, readAt } = await servePolled(world, { env: { ...env, TAPELINE_X_MONTHLY_USD: String(cap_usd) } })
  for (let at = start + 60 * minute; at <= start + 72 * 60 * minute; at += 60 * minute) {
    await readAt(lake, ['x_search'], at)
    // A second round in the same hour asks nothing.
    await readAt(lake, ['x_search'], at + minute)
  }
  const date = new Date(start / 1000)
  const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) * 1000
  const elapsed =
    (start + 73 * 60 * minute - month) / (Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) * 1000 - month)
  expect(served.charged()).toBeLessThanOrEqual((cap_usd / 0.005) * elapsed)
  expect(served.charged()).toBeGreaterThan(900)
  const known = new Set(postsOf(world, 'x', start, start + 80 * 60 * minute).map(({ n }) => tweetId(n)))
  const stored = await idsIn(lake)
  expect(stored.every((id) => known.has(id))).toBe(true)
  expect(stored.length).toBeGreaterThan(800)
})

test('every post of X is stored once, whole, and its hours are covered if the cap allows all of them', async () => {
  const lake = await newLake()
  const { readAt } = await servePolled(world, { env: { ...env, TAPELINE_X_MONTHLY_USD: '100000' } })
  for (let at = start + 60 * minute; at <= end; at += 60 * minute) await readAt(lake, ['x_search'], at)
  expect(await idsIn(lake)).toEqual(trueIds('x', ({ n }) => tweetId(n)))
  expect(await values(lake, `select distinct state as value from lake.coverage`)).toEqual(['done'])
  const texts = await values(lake, `select concat(post_id, ' ', text) as value from lake.post_text order by 1`)
  const textOf = ({ n, text }: PlatformPost): string => (isLong(n) ? `${text} https://page.example/` : text)
  expect(texts).toEqual(trueIds('x', (post) => `${tweetId(post.n)} ${textOf(post)}`))
})

test('keys, plain ids of authors and secrets are in no file, also if an upstream repeats the key', async () => {
  const lake = await newLake()
  const wrong = { NEYNAR_API_KEY: 'wrong-key-that-is-repeated', TWITTER_BEARER_TOKEN: 'wrong-token-that-is-repeated' }
  for (const keys of [env, { ...env, ...wrong }]) {
    const { readAt } = await servePolled(world, { env: keys })
    const at = keys === env ? end : end + 60 * minute
    await readAt(lake, ['farcaster_channels', 'x_search', 'reddit_listings', 'stocktwits_symbols'], at)
  }
  const states = await values(lake, `select distinct state as value from lake.coverage order by 1`)
  expect(states).toEqual(['done', 'missing'])
  const reasons = await values(lake, `select reason as value from lake.coverage where state = 'missing' limit 1`)
  expect(reasons).toEqual([expect.stringContaining('answered 401')])
  await lake.read(({ query }) =>
    Promise.all(
      ['posts', 'engagement', 'authors', 'tombstones'].map((name) =>
        query(`select t::varchar as value from lake.${name} t where contains(t::varchar, 'user')`, z.never()),
      ),
    ),
  )
  const secrets = [castsKey, tweetsToken, 'a-secret-of-an-installation', ...Object.values(wrong)]
  for (const path of await readdir(lake.home, { recursive: true, withFileTypes: true })) {
    if (!path.isFile() || path.parentPath.includes('/raw')) continue
    const body = await readFile(join(path.parentPath, path.name), 'latin1')
    for (const secret of secrets) expect(body.includes(secret), `${path.name} has ${secret}`).toBe(false)
  }
  const raw = await lake.storage.list('raw')
  const bodies = await lake.read(({ query }) =>
    query(
      `select body as value from read_json([${raw.map((path) => `'${lake.local.locate(path)}'`).join()}],
         format = 'newline_delimited', compression = 'zstd', columns = {body: 'VARCHAR'})`,
      z.object({ value: z.string() }),
    ),
  )
  expect(bodies.length).toBeGreaterThan(5)
  for (const { value } of bodies) for (const secret of secrets) expect(value.includes(secret)).toBe(false)
})
