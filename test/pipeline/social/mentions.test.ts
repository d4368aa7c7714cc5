import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { articlesOf, guidOf, outletNames } from '#sim/social/feed_wire/feeds.ts'
import { boardNo } from '#sim/social/forum_wire/board.ts'
import { castHash, castsKey } from '#sim/social/json_wire/casts.ts'
import { messageId } from '#sim/social/json_wire/messages.ts'
import { thingName } from '#sim/social/json_wire/subreddits.ts'
import { postsOf, type PlatformName, type PlatformPost } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { storeAssets as storeDictionary } from '#sources/social/store_assets.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { shippedAssets } from '#text/dictionary/shipped.ts'
import { HOUR, type Micros } from '#time.ts'

import { storeAssets } from './assets.ts'
import { servePolled } from './polled.ts'

const start = noon - (noon % HOUR)
const end = start + sized(1, 2, 4) * HOUR
const every: Micros = HOUR / 4
const world = createSocialWorld({ seed: 11, start })
const env = {
  NEYNAR_API_KEY: castsKey,
  TAPELINE_REDDIT_SUBREDDITS: 'CryptoCurrency',
  TAPELINE_STOCKTWITS_SYMBOLS: 'BTC.X,ETH.X',
}
const names = ['news_feeds', 'fourchan_biz', 'farcaster_channels', 'reddit_listings', 'stocktwits_symbols']

const mentionShape = z.object({
  source: z.string(),
  post: z.string(),
  asset: z.string(),
  n_assets: z.bigint().transform(Number),
  bull: z.number(),
  bear: z.number(),
})
const mentionsIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select source, post_id as post, asset_id as asset, n_assets, bull_rate::double as bull, bear_rate::double as bear
       from lake.mentions order by source, post, asset`,
      mentionShape,
    ),
  )

const planted = (platform: PlatformName, source: string, idOf: (post: PlatformPost) => string) =>
  postsOf(world, platform, start, end).flatMap((post) => {
    const asset = world.assets[post.asset ?? -1]
    return asset === undefined ? [] : [{ source, post: idOf(post), asset: asset.id, isBullish: post.isBullish }]
  })

/** The planted mentions on each platform: the asset of each post about one, and its tone. */
const plantedMentions = () =>
  [
    ...outletNames.flatMap((outlet) =>
      articlesOf(world, outlet, start, end).flatMap((post) => {
        const asset = world.assets[post.asset ?? -1]
        const id = `${outlet}/${guidOf(outlet, post.n)}`
        return asset === undefined
          ? []
          : [{ source: 'news_feeds', post: id, asset: asset.id, isBullish: post.isBullish }]
      }),
    ),
    ...planted('fourchan', 'fourchan_biz', ({ n }) => `biz/${boardNo(n)}`),
    ...planted('farcaster', 'farcaster_channels', ({ n }) => castHash(n)),
    ...planted('reddit', 'reddit_listings', thingName),
    ...planted('stocktwits', 'stocktwits_symbols', ({ n }) => String(messageId(n))).filter(({ asset }) =>
      ['bitcoin', 'ethereum'].includes(asset),
    ),
  ].toSorted((a, b) => (`${a.source} ${a.post}` < `${b.source} ${b.post}` ? -1 : 1))

test('mentions of each platform are the planted ones, and no later reading changes them', async () => {
  const lake = await newLake()
  await storeAssets(lake, world)
  const { readAt, reparseAll } = await servePolled(world, { env })
  for (let at = start + every; at <= end; at += every) await readAt(lake, names, at)
  const stored = await mentionsIn(lake)
  const truth = plantedMentions()
  expect(new Set(truth.map(({ source }) => source)).size).toBe(names.length)
  expect(stored.map(({ source, post, asset }) => ({ source, post, asset }))).toEqual(
    truth.map(({ source, post, asset }) => ({ source, post, asset })),
  )
  expect(stored.every(({ n_assets }) => n_assets === 1)).toBe(true)
  const nRight = truth.filter(({ isBullish }, n) => {
    const { bull = 0, bear = 0 } = stored[n] ?? {}
    return bull > bear === isBullish
  }).length
  expect(nRight / truth.length).toBeGreaterThan(0.75)

  // A dictionary that is seen later belongs to later units.
  await storeDictionary(lake, shippedAssets().slice(0, 1), end, [])
  for (const name of names) expect(await reparseAll(lake, name)).toMatchObject({ failed: [] })
  expect(await mentionsIn(lake)).toEqual(stored)
  await readAt(lake, names, end)
  expect(await mentionsIn(lake)).toEqual(stored)
})
