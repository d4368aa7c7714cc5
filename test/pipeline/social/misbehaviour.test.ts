import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import type { Ask, Reply } from '#sim/server/reply.ts'
import { castHash, castsKey } from '#sim/social/json_wire/casts.ts'
import { thingName } from '#sim/social/json_wire/subreddits.ts'
import { tweetsToken } from '#sim/social/json_wire/tweets.ts'
import { postsOf, type PlatformName, type PlatformPost } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { HOUR, type Micros } from '#time.ts'

import { servePolled } from './polled.ts'

const MINUTE: Micros = HOUR / 60
const start = noon - (noon % HOUR)
const world = createSocialWorld({ seed: 21, start })
const env = {
  NEYNAR_API_KEY: castsKey,
  TWITTER_BEARER_TOKEN: tweetsToken,
  TAPELINE_X_MONTHLY_USD: '100000',
  TAPELINE_SNAPCHAIN_PARENTS: 'https://channel.example/one',
  TAPELINE_REDDIT_SUBREDDITS: 'CryptoCurrency',
  TAPELINE_STOCKTWITS_SYMBOLS: 'BTC.X',
  TAPELINE_TELEGRAM_CHANNELS: 'alpha_calls',
  TAPELINE_GDELT_QUERY: 'bitcoin',
}

const values = async (lake: Lake, sql: string): Promise<string[]> =>
  (await lake.read(({ query }) => query(sql, z.object({ value: z.string() })))).map(({ value }) => value)
const idsIn = (lake: Lake): Promise<string[]> => values(lake, 'select post_id as value from lake.posts order by 1')
const statesIn = (lake: Lake): Promise<string[]> =>
  values(lake, `select state as value from lake.coverage where dataset = 'posts' order by from_at`)
const trueIds = (platform: PlatformName, to: Micros, idOf: (post: PlatformPost) => string): string[] =>
  postsOf(world, platform, start, to).map(idOf).sort()

type Twist = (ask: Ask, reply: Reply) => Reply

/** Reads a source at some instants from an upstream that misbehaves. */
async function read(source: string, twist: Twist, instants: readonly Micros[]) {
  const lake = await newLake()
  const { served, readAt } = await servePolled(world, { env, twist: (_, ask, reply) => twist(ask, reply) })
  for (const at of instants) await readAt(lake, [source], at)
  return { lake, served }
}

type Listing = { data: { after: string | null; children: { data: object }[] } }

/** Changes the parsed body of a response. */
const changed = <T = object>(reply: Reply, change: (body: T) => unknown): Reply => ({
  ...reply,
  body: JSON.stringify(change(JSON.parse(reply.body) as T)),
})

const notice = '<!DOCTYPE html><html><head><title>Notice</title></head><body><h1>Too many requests</h1></body></html>'

const withoutTexts = (reply: Reply): Reply => ({
  ...reply,
  body: reply.body.replaceAll(/<div class="tgme_widget_message_text js-message_text".*?<\/div>/g, ''),
})

describe('a response with the status 200 and an error', () => {
  test.each([
    ['farcaster_channels', '{"message":"An internal error occurred","code":"InternalServerError"}'],
    ['farcaster_snapchain', '{"errCode":"unavailable","message":"syncing"}'],
    ['reddit_listings', '{"message":"Forbidden","error":403}'],
    ['stocktwits_symbols', '{"response":{"status":429},"errors":[{"message":"Rate limit exceeded."}]}'],
    ['telegram_previews', notice],
    ['gdelt_articles', '{"status":"error","message":"The query was too short."}'],
    ['x_search', '{"errors":[{"title":"Unavailable","detail":"over capacity"}]}'],
    ['fourchan_biz', '{"error":"maintenance"}'],
    ['news_feeds', notice],
  ])('of %s is no reading without posts', async (source, body) => {
    const { lake } = await read(source, (_, reply) => ({ ...reply, body }), [start + HOUR])
    const states = await statesIn(lake)
    expect(states.length).toBeGreaterThan(0)
    for (const state of states) expect(['missing', 'unverified']).toContain(state)
    expect(await idsIn(lake)).toEqual([])
  })
})

test('an empty page with a cursor in the middle of a list hides no cast', async () => {
  const twist: Twist = ({ query }, reply) => {
    const cursor = query.get('cursor')
    return cursor === null || n_asked++ > 0
      ? reply
      : changed(reply, () => ({ casts: [], next: { cursor: `0${cursor}` } }))
  }
  let n_asked = 0
  const at = start + 3 * HOUR
  const { lake } = await read('farcaster_channels', twist, [at])
  expect(n_asked).toBeGreaterThan(1)
  expect(await idsIn(lake)).toEqual(trueIds('farcaster', at, ({ n }) => castHash(n)))
})

test('posts that are repeated within a page and over its border are one each', async () => {
  let last: Listing['data']['children'] = []
  const twist: Twist = (_, reply) =>
    changed<Listing>(reply, ({ data }) => {
      const children = [...last, ...data.children, ...data.children.slice(0, 3)]
      last = data.children.slice(-2)
      return { data: { ...data, children } }
    })
  const { lake } = await read('reddit_listings', twist, [start + HOUR])
  expect(await idsIn(lake)).toEqual(trueIds('reddit', start + HOUR, thingName))
  expect(await statesIn(lake)).toEqual(['done'])
})

test('cursors that go round make the reading unverified, after few requests', async () => {
  const twist: Twist = ({ query }, reply) =>
    changed<Listing>(reply, ({ data }) => ({ data: { ...data, after: query.get('after') ?? 't3_round' } }))
  const { lake, served } = await read('reddit_listings', twist, [start + HOUR])
  expect(await statesIn(lake)).toEqual(['unverified'])
  expect(served.counts()).toEqual({ 'reddit 200': 4 })
})

test('a list that names older messages without a cursor is no whole list', async () => {
  const twist: Twist = (_, reply) => changed(reply, (body) => ({ ...body, cursor: { more: true, max: null } }))
  expect(await statesIn((await read('stocktwits_symbols', twist, [start + HOUR])).lake)).toEqual(['missing'])
})

test('texts of a megabyte, with NUL and halves of surrogate pairs, are stored and cut', async () => {
  const twist: Twist = (_, reply) =>
    changed<Listing>(reply, ({ data }) => ({
      data: {
        ...data,
        children: data.children.map((child) => {
          const text = `\ud800 \u0000 $BTC ${'🚀 moon '.repeat(150_000)}`
          return { ...child, data: { ...child.data, selftext: text, body: text, parent_id: 'x'.repeat(1_000_000) } }
        }),
      },
    }))
  const { lake } = await read('reddit_listings', twist, [start + 2 * MINUTE])
  expect(await idsIn(lake)).toEqual(trueIds('reddit', start + 2 * MINUTE, thingName))
  expect(await values(lake, 'select distinct length(text)::varchar as value from lake.post_text')).toEqual(['10000'])
  expect(await values(lake, `select distinct coalesce(parent_id, 'none') as value from lake.posts`)).toEqual(['none'])
})

test('an edited post keeps its first text, and a redirect leaves its reading missing', async () => {
  let n_readings = 0
  const twist: Twist = ({ path, query }, reply) => {
    if (path.endsWith('new.json') && query.get('after') === null) n_readings += 1
    if (n_readings === 2) return { status: 302, body: '', headers: { location: 'https://www.reddit.com/login' } }
    if (n_readings < 2) return reply
    return { ...reply, body: reply.body.replaceAll('"selftext":"', '"selftext":"EDITED ') }
  }
  const instants = [1, 2, 3].map((n) => start + n * 20 * MINUTE)
  const { lake } = await read('reddit_listings', twist, instants)
  expect(await statesIn(lake)).toEqual(['done', 'missing', 'done'])
  expect(await idsIn(lake)).toEqual(trueIds('reddit', start + HOUR, thingName))
  const edited = await values(
    lake,
    `select distinct (post_id like 't3%' and contains(text, 'EDITED'))::varchar as value from lake.post_text
     where post_id in (${trueIds('reddit', start + 20 * MINUTE, thingName)
       .map((id) => `'${id}'`)
       .join()})`,
  )
  expect(edited).toEqual(['false'])
})

test('a channel of messages without text is read in full, from its second reading on', async () => {
  const instants = [1, 2, 3].map((n) => start + 14 * HOUR + n * 10 * MINUTE)
  const { lake } = await read('telegram_previews', (_, reply) => withoutTexts(reply), instants)
  expect(await statesIn(lake)).toEqual(['unverified', 'done', 'done'])
})

test('a reading of Telegram without the page of a channel is no end of the next one', async () => {
  const [first, failed, last] = [start + HOUR, start + 12 * HOUR, start + 12 * HOUR + 10 * MINUTE]
  let at = first
  const lake = await newLake()
  const { readAt } = await servePolled(world, {
    env,
    twist: (_, { query }, reply) => {
      if (at === failed) return { ...reply, body: notice }
      // The messages of the first page have no text, and some are older than the failed reading.
      return at === last && !query.has('before') ? withoutTexts(reply) : reply
    },
  })
  const counts: number[] = []
  for (at of [first, failed, last]) {
    await readAt(lake, ['telegram_previews'], at)
    counts.push((await idsIn(lake)).length)
  }
  const [before = 0, between = 0, after = 0] = counts
  expect(between).toBe(before)
  expect(after).toBeGreaterThan(between)
})

test('posts of X before a page that fails are stored, and parsed again alike', async () => {
  const lake = await newLake()
  const { readAt, reparseAll } = await servePolled(world, {
    env,
    twist: (_, { query }, reply) =>
      query.has('next_token')
        ? { ...reply, status: 503, body: '' }
        : changed<{ meta: object }>(reply, (body) => ({ ...body, meta: { ...body.meta, next_token: 'more' } })),
  })
  await readAt(lake, ['x_search'], start + HOUR)
  const stored = await idsIn(lake)
  expect(stored).not.toEqual([])
  expect(await reparseAll(lake, 'x_search')).toMatchObject({ failed: [] })
  expect(await idsIn(lake)).toEqual(stored)
  expect(await statesIn(lake)).toEqual(['unverified'])
})
