import { expect, test } from 'vitest'

import { N_TRACKED, parseAssets } from '#text/dictionary/parse_assets.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'

const line = 'near|2020-10-01|NEAR|NEAR Protocol|n!|near foundation|nightshade,aurora|near the'

test('a line is an asset with its rank, its safe names and its contexts', () => {
  expect(parseAssets(`# largest first\nbitcoin||BTC|Bitcoin|ns|||\n${line}\n`)).toEqual([
    expect.objectContaining({ asset_id: 'bitcoin', valid_at: 0, market_rank: 1, aliases: ['bitcoin', 'btc'] }),
    {
      asset_id: 'near',
      valid_at: Date.UTC(2020, 9, 1) * 1000,
      symbol: 'NEAR',
      name: 'NEAR Protocol',
      market_rank: 2,
      dominance: null,
      is_tracked: true,
      is_never_bare: true,
      aliases: ['near protocol', 'near foundation'],
      context_any: ['nightshade', 'aurora'],
      exclude_any: ['near the'],
      tokens: [],
    },
  ])
})

test.each([
  ['near||NEAR', 'assets: line 1 has 3 fields; expected 8, with an id, a symbol and a name'],
  ['near||NEAR|NEAR Protocol|x|||', 'assets: line 1: bare x; expected n, s, ns or -, with or without !'],
  ['near|soon|NEAR|NEAR Protocol|n!|||', 'assets: line 1: date soon; expected YYYY-MM-DD'],
  [`${line}\n${line}`, 'assets: two lines with one id and instant; expected one'],
])('the line %s is rejected', (text, message) => {
  expect(() => parseAssets(text)).toThrow(message)
})

test('the shipped assets have 300 tracked ones, of which no two share a symbol at one instant', () => {
  const assets = shippedAssets()
  expect(new Set(assets.filter(({ is_tracked }) => is_tracked).map(({ asset_id }) => asset_id)).size).toBe(N_TRACKED)
  for (const instant of new Set(assets.map(({ valid_at }) => valid_at))) {
    const held = assetsAt(assets, instant).filter(({ is_tracked }) => is_tracked)
    expect(new Set(held.map(({ symbol }) => symbol.toUpperCase())).size).toBe(held.length)
  }
})

test('of one asset the last row that is valid holds', () => {
  const symbolAt = (day: string) =>
    assetsAt(shippedAssets(), Date.parse(day) * 1000).find(({ asset_id }) => asset_id === 'terra-luna')?.symbol
  expect([symbolAt('2019-01-01'), symbolAt('2022-05-27'), symbolAt('2022-05-28')]).toEqual([undefined, 'LUNA', 'LUNC'])
})
