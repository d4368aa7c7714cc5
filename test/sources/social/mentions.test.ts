import { expect, test } from 'vitest'

import { mentionsIn } from '#sources/social/mentions.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { parseAssets } from '#text/dictionary/parse_assets.ts'
import { HOUR, type Micros } from '#time.ts'

type Lake = Awaited<ReturnType<typeof newLake>>

const post = (text: string, more: Partial<ReadPost> = {}): ReadPost => ({
  platform: 'news' as const,
  post_id: '1',
  ts: noon,
  author: 'x',
  kind: 'post',
  text,
  ...more,
})

/** The assets that a post mentions, as a unit from `from` on stores them. `since` is the first unit that is read. */
const assetsOf = (lake: Lake, of: ReadPost, from: Micros, since = from): Promise<string[]> =>
  lake.read(async (reader) => (await mentionsIn(reader, since))(of, from).map(({ asset_id }) => asset_id))

test('a lake without a dictionary has the shipped assets, each at the instant of the post', async () => {
  const lake = await newLake()
  expect(await assetsOf(lake, post('bitcoin and $LINK'), noon)).toEqual(['bitcoin', 'chainlink'])
  const of = (day: string): Promise<string[]> =>
    assetsOf(lake, post('$LUNA falls', { ts: Date.parse(day) * 1000, is_crypto: true }), noon)
  expect([await of('2022-05-08'), await of('2022-06-08')]).toEqual([['terra-luna'], ['terra-luna-2']])
})

test('a stored dictionary counts for units from an hour after it was seen, whichever run reads them', async () => {
  const lake = await newLake()
  const first = parseAssets('oddcoin||ODD|Oddcoin|ns|||\n')
  const second = [...first, ...parseAssets('newcoin||NEW|Newcoin|ns|||\n')]
  await storeAssets(lake, first, noon, [])
  await storeAssets(lake, second, noon + 3 * HOUR, [])
  const of = post('Oddcoin, Newcoin, Bitcoin')
  for (const since of [noon - 24 * HOUR, noon + HOUR]) {
    expect(await assetsOf(lake, of, noon + HOUR, since)).toEqual(['oddcoin'])
    expect(await assetsOf(lake, of, noon + 4 * HOUR - 1, since)).toEqual(['oddcoin'])
    expect(await assetsOf(lake, of, noon + 4 * HOUR, since)).toEqual(['oddcoin', 'newcoin'])
  }
  expect(await assetsOf(lake, of, noon + HOUR - 1)).toEqual(['bitcoin'])
})

test('a label of the platform is the tone, and rates sum to at most 1', async () => {
  const lake = await newLake()
  const mentionsOf = await lake.read((reader) => mentionsIn(reader, noon))
  const [labelled] = mentionsOf(post('bitcoin crashes, sold', { native_label: 'bullish' }), noon)
  expect(labelled).toMatchObject({ ts: noon, tier: 3, confidence: 950_000n, bull_rate: 1_000_000n, bear_rate: 0n })
  for (const text of ['bitcoin is going much higher', 'bitcoin crashes', 'bitcoin']) {
    const [mention] = mentionsOf(post(text), noon)
    expect(mention?.model).toMatch(/^[0-9a-f]{12}$/)
    expect((mention?.bull_rate ?? 0n) + (mention?.bear_rate ?? 0n)).toBeLessThanOrEqual(1_000_000n)
  }
  expect(mentionsOf(post('good morning', { native_label: 'bullish' }), noon)).toEqual([])
})
