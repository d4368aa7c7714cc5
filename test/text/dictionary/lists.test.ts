import { join } from 'node:path'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { readList } from '#scripts/social/dictionary/read_list.ts'
import { assetsBefore } from '#sources/social/dictionary.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import { newLake } from '#test/lake/fixture.ts'
import { isSocialRecorded, socialDir } from '#test/recordings/social/posts.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import { coinsShape, joinLists, marketsShape, tokensShape, type Lists } from '#text/dictionary/lists.ts'
import { noOverrides, parseOverrides } from '#text/dictionary/overrides.ts'
import { parseAssets } from '#text/dictionary/parse_assets.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'
import { DAY } from '#time.ts'

const at = Date.UTC(2026, 10, 20) * 1000
const chainOf = (id: number): string | undefined => (id === 1 ? 'ethereum' : undefined)
const none: Lists = { coins: [], markets: [], tokens: [] }
const known = parseAssets('bitcoin||BTC|Bitcoin|ns|||\nchainlink||LINK|Chainlink|n!|||\n')
const market = (id: string, symbol: string, name: string, market_cap_rank: number, market_cap: number) => ({
  id,
  symbol,
  name,
  market_cap,
  market_cap_rank,
})
const joined = (lists: Partial<Lists>, overrides = noOverrides): Asset[] =>
  joinLists(known, { ...none, ...lists }, overrides, { at, chainOf })
const held = (assets: Asset[]) => new Map(assetsAt(assets, at).map((asset) => [asset.asset_id, asset]))

test('without lists all stays as it was', () => {
  expect(joined({})).toEqual(known)
})

test('a coin of a list alone is found by its id and its cashtag beside crypto', () => {
  const assets = joined({ coins: [{ id: 'oddcoin', symbol: 'odd', name: 'Just A Coin' }] })
  expect(assets.at(-1)).toMatchObject({ asset_id: 'oddcoin', valid_at: at, symbol: 'ODD', is_tracked: false })
  const found = (text: string) =>
    createMatcher(assetsAt(assets, at))({ text, is_crypto: false }).map(({ tier }) => tier)
  expect(found('just a coin, ODD, $ODD')).toEqual([2])
  expect(found('$ODD rises')).toEqual([])
  expect(found('https://www.coingecko.com/en/coins/oddcoin')).toEqual([1])
})

test('markets give ranks, dominance and the tracked assets, and change a row from their instant on', () => {
  const markets = [
    market('newcoin', 'link', 'Newcoin', 1, 900),
    market('chainlink', 'link', 'Chainlink', 2, 300),
    market('steth', 'steth', 'Staked Ether', 3, 200),
  ]
  const now = held(joined({ markets }))
  expect(now.get('newcoin')).toMatchObject({ market_rank: 1, dominance: 3, is_tracked: true })
  expect(now.get('chainlink')).toMatchObject({ market_rank: 2, dominance: 1 / 3, valid_at: at })
  expect(now.get('steth')).toMatchObject({ is_tracked: false })
  expect(now.get('bitcoin')).toMatchObject({ market_rank: 4, dominance: null, is_tracked: true })
  expect(assetsAt(joined({ markets }), at - 1)).toEqual(known)
  const many = Array.from({ length: 400 }, (_, n) => market(`c${n}`, `c${n}`, `C ${n}`, n + 1, 1_000 - n))
  const tracked = [...held(joined({ markets: many })).values()].filter(({ is_tracked }) => is_tracked)
  expect(tracked.map(({ market_rank }) => market_rank)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1))
})

test('a token belongs to the asset of its symbol whose name its own begins with', () => {
  const token = (symbol: string, name: string, chainId = 1) => ({ chainId, address: '0xAB', symbol, name })
  const tokensOf = (tokens: Lists['tokens']) => held(joined({ tokens })).get('chainlink')?.tokens
  expect(tokensOf([token('LINK', 'ChainLink Token')])).toEqual(['ethereum:0xab'])
  expect(tokensOf([token('LINK', 'Other'), token('LINK', 'Chainlink', 99), token('BTC', 'Chainlink')])).toEqual([])
})

test('overrides replace rows, track and do not track', () => {
  const overrides = parseOverrides('# ours\nchainlink||LINK|Chainlink|ns|||\n-bitcoin\n+oddcoin\n')
  const now = held(joined({ coins: [{ id: 'oddcoin', symbol: 'odd', name: 'Odd' }] }, overrides))
  expect([...now.values()].map(({ asset_id, is_tracked }) => [asset_id, is_tracked])).toEqual([
    ['bitcoin', false],
    ['chainlink', true],
    ['oddcoin', true],
  ])
  expect(now.get('chainlink')?.aliases).toEqual(['chainlink', 'link'])
  expect(() => parseOverrides('+x\n-x')).toThrow('overrides: x with + and -; expected one of them')
  expect(() => parseOverrides('+x\nbroken')).toThrow('assets: line 2 has 1 fields')
})

test('the dictionary is stored in the lake with its dates, and once for an instant', async () => {
  const lake = await newLake()
  const count = z.object({ n: z.coerce.number(), tracked: z.coerce.number() })
  await storeAssets(lake, shippedAssets(), at, ['shipped'])
  await storeAssets(lake, shippedAssets(), at, ['shipped'])
  const [row] = await lake.read((reader) =>
    reader.query(
      'select count(*) as n, count(distinct asset_id) filter (is_tracked) as tracked from lake.assets',
      count,
    ),
  )
  expect(row).toEqual({ n: shippedAssets().length, tracked: 300 })
})

test('a later list replaces an earlier one from its instant on: its coins, its choices and its ranks', async () => {
  const lake = await newLake()
  const store = (day: number, lists: Partial<Lists>, text = ''): Promise<number> => {
    const instant = at + day * DAY
    const assets = joinLists(known, { ...none, ...lists }, parseOverrides(text), { at: instant, chainOf })
    return storeAssets(lake, assets, instant, [])
  }
  const trackedOn = async (day: number): Promise<string[]> => {
    const assets = await lake.read((reader) => assetsBefore(reader, at + day * DAY + 1))
    return assetsAt(assets, at + day * DAY).flatMap(({ asset_id, is_tracked }) => (is_tracked ? [asset_id] : []))
  }
  await store(0, { markets: [market('newcoin', 'new', 'Newcoin', 1, 100)] }, '-bitcoin')
  expect(await trackedOn(0)).toEqual(['chainlink', 'newcoin'])
  await store(1, {})
  expect(await trackedOn(1)).toEqual(['bitcoin', 'chainlink'])
  expect(await store(2, {})).toBe(known.length)
  expect(await trackedOn(2)).toEqual(['bitcoin', 'chainlink'])
})

describe.runIf(isSocialRecorded)('the recorded lists', () => {
  test('parse and join, with contracts of well-known assets', async () => {
    const listOf = (file: string) => join(socialDir, file)
    const coins = await readList(listOf('joshfaust__Crypto-Pi/coins_list.json.gz'), coinsShape)
    const markets = await readList(listOf('ganciaux__crypto/coingecko_markets_2022.json.gz'), marketsShape)
    const tokens = await readList(listOf('Uniswap__default-token-list/mainnet.json.gz'), tokensShape)
    const assets = joinLists(shippedAssets(), { coins, markets, tokens }, noOverrides, { at, chainOf })
    const now = held(assets)
    expect(now.size).toBeGreaterThan(16_000)
    expect(now.get('chainlink')?.tokens).toEqual(['ethereum:0x514910771af9ca656af840dff83e8264ecf986ca'])
    expect([...now.values()].filter(({ is_tracked }) => is_tracked)).toHaveLength(300)
    await expect(readList(listOf('ganciaux__crypto/coingecko_markets_2022.json.gz'), tokensShape)).rejects.toThrow(
      /coingecko_markets_2022.json.gz: .*; expected a public list/,
    )
  })
})
