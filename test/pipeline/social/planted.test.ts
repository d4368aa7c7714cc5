import { expect, test } from 'vitest'

import type { NewRow } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { postsOf } from '#sim/social/platform_posts.ts'
import { createSocialWorld, type SocialSettings, type SocialWorld } from '#sim/social/world.ts'
import { mentionsIn } from '#sources/social/mentions.ts'
import { rowsOfPosts, type ReadPost } from '#sources/social/post_rows.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { DAY, HOUR, type Micros } from '#time.ts'

import { storeAssets } from './assets.ts'
import { scored } from './scored.ts'

const end = noon - (noon % HOUR)
const settings = (seed: number): SocialSettings => ({ seed, start: end - 8 * DAY })
const platforms = ['farcaster', 'reddit', 'x'] as const

/** Stores posts as those of one source from an instant on, and what is known of their authors. */
async function storePosts(
  lake: Lake,
  posts: readonly ReadPost[],
  { source, from, authors = [] }: { source: string; from: Micros; authors?: NewRow<'authors'>[] },
): Promise<void> {
  const part = posts[0]?.platform ?? ''
  const mentionsOf = await lake.read((reader) => mentionsIn(reader, from))
  const rows = { ...rowsOfPosts(posts, mentionsOf, from), authors }
  const unit = { source, kind: 'hour', part, key: '', from, to: end, params: [] } as const
  const contents = { rejected: [], precedence: 1, proof: 'planted', asked: [], checkedAt: end }
  await storeUnit(lake, { ...unit, params: [] }, { ...contents, rows, state: 'done', to: end })
}

const postOf = (
  platform: ReadPost['platform'],
  id: string,
  [author, text, ts]: [string, string, Micros],
): ReadPost => ({
  platform,
  post_id: id,
  ts,
  author,
  kind: 'post',
  text,
})

/** A lake with the posts of eight days about assets on platforms of a world. */
async function lakeOf(world: SocialWorld, of: readonly (typeof platforms)[number][] = platforms): Promise<Lake> {
  const lake = await newLake()
  await storeAssets(lake, world)
  for (const platform of of) {
    const posts = postsOf(world, platform, world.start, end)
      .filter(({ asset }) => asset !== null)
      .map(({ n, author, text, at }) => postOf(platform, `p${n}`, [`author${author}`, text, at]))
    await storePosts(lake, posts, { source: platform, from: world.start })
  }
  return lake
}

test('planted shares are within two standard errors of mindshare for 95 % of the assets', async () => {
  const distances: number[] = []
  for (let seed = 1; seed <= sized(2, 3, 5); seed++) {
    const world = createSocialWorld(settings(seed))
    const query = await scored(await lakeOf(world), end, ['marts.signals'])
    const rows = await query(
      `select symbol, mindshare_pct::double, mindshare_se, platforms from marts.signals where range = '7d'`,
    )
    expect(rows).toHaveLength(world.assets.length)
    for (const [symbol, pct, se, healthy] of rows) {
      const share = world.assets.find((asset) => asset.symbol === symbol)?.share ?? 0
      distances.push(Math.abs(Number(pct) - 100 * share) / Number(se))
      expect(healthy).toEqual(platforms)
    }
  }
  const within = distances.filter((distance) => distance <= 2).length / distances.length
  // The share of a normal estimate is 95.4 %, so the bound lies two binomial errors below it.
  expect(within, `${within} of ${distances.length}`).toBeGreaterThanOrEqual(
    0.954 - 2 * Math.sqrt((0.954 * 0.046) / distances.length),
  )
  expect(Math.max(...distances)).toBeGreaterThan(1)
})

test('on a platform of three outlets the share is that of the posts under the daily cap, not of their number', async () => {
  const world = createSocialWorld(settings(31))
  const posts = postsOf(world, 'news', world.start, end).filter(({ asset }) => asset !== null)
  const lake = await newLake()
  await storeAssets(lake, world)
  const read = posts.map(({ n, text, at }) => postOf('news', `p${n}`, [`outlet${n % 3}`, text, at]))
  await storePosts(lake, read, { source: 'news', from: world.start })
  const [capped, plain, earlier] = [new Map<number, number>(), new Map<number, number>(), new Map<string, number>()]
  for (const { n, asset, at } of posts) {
    const day = `${n % 3} ${asset} ${Math.floor(at / DAY)}`
    const k = earlier.get(day) ?? 0
    earlier.set(day, k + 1)
    if (at <= end - 7 * DAY) continue
    capped.set(asset ?? -1, (capped.get(asset ?? -1) ?? 0) + 0.5 ** k)
    plain.set(asset ?? -1, (plain.get(asset ?? -1) ?? 0) + 1)
  }
  const shareIn = (credit: ReadonlyMap<number, number>, asset: number): number =>
    (100 * (credit.get(asset) ?? 0)) / [...credit.values()].reduce((sum, one) => sum + one, 0)
  const query = await scored(lake, end, ['marts.signals'])
  const rows = await query(`select symbol, mindshare_pct::double from marts.signals where range = '7d'`)
  const distances = rows.map(([symbol, pct]) => {
    const asset = world.assets.findIndex((one) => one.symbol === symbol)
    return {
      capped: Math.abs(Number(pct) - shareIn(capped, asset)),
      plain: Math.abs(Number(pct) - shareIn(plain, asset)),
    }
  })
  expect(distances).toHaveLength(world.assets.length)
  // The tiers of mentions differ in confidence, which moves shares a little.
  expect(Math.max(...distances.map((one) => one.capped))).toBeLessThan(1)
  expect(Math.max(...distances.map((one) => one.plain))).toBeGreaterThan(3)
})

test('10,000 posts of bots move their asset less than one post of each of 12 good authors, and are no burst', async () => {
  const asset = 5
  const campaign = { asset, from: end - sized(1, 1, 6) * DAY, to: end, n_bots: 3_000, share: 1 }
  const world = createSocialWorld(settings(21))
  const bots = postsOf(createSocialWorld({ ...settings(22), campaign }), 'x', campaign.from, end).map(
    ({ n, author, text, at }) => postOf('x', `bot${n}`, [`bot${author}`, text, at]),
  )
  expect(bots.length).toBeGreaterThan(sized(1_500, 1_500, 10_000))
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const word = (n: number): string => (letters[n % 26] ?? '').repeat(3) + (letters[Math.floor(n / 26) % 26] ?? '')
  const good = Array.from({ length: 12 }, (_, n) => {
    const words = Array.from({ length: 10 }, (_two, k) => word(37 * n + 11 * k)).join(' ')
    return postOf('x', `good${n}`, [`good${n}`, `$LINK is what I bought: ${words}`, end - n * HOUR - 1])
  })
  const known = { n_followers: null, n_following: null, n_posts: null, joined_at: null, is_outlet: false }
  const rated = good.map(({ author }) => ({ platform: 'x', author, seen_at: end - DAY, score: 0.8, ...known }))
  const shareWith = async (posts: readonly ReadPost[], authors: NewRow<'authors'>[]): Promise<number> => {
    const lake = await lakeOf(world, ['x'])
    if (posts.length > 0) await storePosts(lake, posts, { source: 'further', from: campaign.from, authors })
    const query = await scored(lake, end, ['marts.signals', 'metrics.bursts'])
    expect(await query(`from metrics.bursts where symbol = 'LINK'`)).toEqual([])
    const [row] = await query(`select mindshare_pct::double from marts.signals where range = '7d' and symbol = 'LINK'`)
    return Number(row?.[0])
  }
  const before = await shareWith([], [])
  const [byBots, byAuthors] = [await shareWith(bots, []), await shareWith(good, rated)]
  expect(byBots).toBeGreaterThan(before)
  expect(byBots).toBeLessThan(byAuthors)
})
