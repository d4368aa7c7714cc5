import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'
import { strongest } from '#text/matcher/mention.ts'

const at = Date.UTC(2025, 5, 1) * 1000
const token = '0x514910771af9ca656af840dff83e8264ecf986ca'
const assets = assetsAt(shippedAssets(), at).map((asset) =>
  asset.asset_id === 'chainlink' ? { ...asset, tokens: [`ethereum:${token}`] } : asset,
)
const match = createMatcher(assets)
/** `asset tier text` of each mention. */
const found = (text: string, is_crypto = false): string[] =>
  match({ text, is_crypto }).map(({ asset_id, tier, start, end }) => `${asset_id} ${tier} ${text.slice(start, end)}`)

describe('ids and addresses', () => {
  test('count with the first tier', () => {
    expect(found(`buy ${token.toUpperCase().replace('0X', '0x')} now`)).toEqual([
      `chainlink 1 ${token.toUpperCase().replace('0X', '0x')}`,
    ])
    expect(found('https://www.coingecko.com/en/coins/solana#markets')).toHaveLength(1)
    expect(found('https://coinmarketcap.com/currencies/near-protocol/')).toEqual([
      'near 1 https://coinmarketcap.com/currencies/near-protocol/',
    ])
    expect(found(`https://etherscan.io/token/${token}`)).toHaveLength(1)
    expect(match({ text: 'to the moon', is_crypto: true, native_assets: ['hyperliquid', 'unheard-of'] })).toEqual([
      { asset_id: 'hyperliquid', tier: 1, start: -1, end: -1 },
    ])
  })

  test('names within addresses, handles and forums do not count', () => {
    expect(found('https://example.org/bitcoin-price @bitcoin @raging_bitcoin r/bitcoin bitcoin.org')).toEqual([])
  })
})

describe('cashtags', () => {
  test('count with their suffix and as the base of a pair', () => {
    expect(found('$BTC, $eth.x and $SOLUSDT!')).toEqual(['bitcoin 2 $BTC', 'ethereum 2 $eth.x', 'solana 2 $SOLUSDT'])
  })

  test('prices, variables and letters of formulas do not count', () => {
    expect(found('$100 $5k $link $h_0$ $S')).toEqual([])
  })

  test('a symbol of a stock is the stock among stocks', () => {
    expect(found('$LINK looks good')).toEqual(['chainlink 2 $LINK'])
    expect(found('$LINK looks better than $NVDA')).toEqual([])
    expect(found('$BTC.X $LINK')).toEqual(['bitcoin 2 $BTC.X'])
    expect(found('$CVX raises its dividend')).toEqual([])
    expect(found('$CVX and $CRV')).toEqual(['convex-finance 2 $CVX', 'curve-dao-token 2 $CRV'])
  })
})

describe('names and symbols', () => {
  test('safe names count anywhere, the longest first', () => {
    expect(found('Bitcoin Cash is not #bitcoin')).toEqual(['bitcoin-cash 3 Bitcoin Cash', 'bitcoin 3 bitcoin'])
    expect(found('#BitcoinCash, fetch.ai')).toEqual(['bitcoin-cash 3 BitcoinCash', 'fetch-ai 3 fetch.ai'])
    expect(found("bitcoin's price, BTC/USD, 비트코인 BTC는")).toEqual([
      'bitcoin 3 bitcoin',
      'bitcoin 3 BTC',
      'bitcoin 3 BTC',
    ])
  })

  test('other symbols need a sign that the text is about crypto', () => {
    expect(found('SOL is down')).toEqual([])
    expect(found('SOL is down', true)).toEqual(['solana 4 SOL'])
    expect(found('SOL follows ETH')).toEqual(['solana 4 SOL', 'ethereum 3 ETH'])
    expect(found('The ADA requires ramps for people with disabilities; no crypto')).toEqual([])
  })

  test('names that are words need a context of their own, and no phrase against it', () => {
    expect(found('an Avalanche in the Alps')).toEqual([])
    expect(found('an avalanche of crypto news')).toEqual([])
    expect(found('Avalanche pays fees in AVAX')).toEqual(['avalanche-2 4 Avalanche', 'avalanche-2 3 AVAX'])
    expect(found('optimism about crypto')).toEqual([])
    expect(found('Optimism and Arbitrum are rollups')).toEqual(['optimism 4 Optimism', 'arbitrum 3 Arbitrum'])
    expect(found('DOGE department cuts crypto rules')).toEqual([])
    expect(found('ETH Zurich')).toEqual([])
  })

  test('words cut off by an ellipsis and words in lower case that are symbols do not count', () => {
    expect(found('this will provide a sol…', true)).toEqual([])
    expect(found('back at uni with crypto', true)).toEqual([])
  })

  test.each(['ONE', 'LINK', 'NEAR', 'OP', 'DOT', 'SAND', 'GALA', 'TRUMP'])('a bare %s never counts', (word) => {
    for (const bare of [word, word.toLowerCase(), `#${word}`]) {
      expect(found(`crypto: ${bare} and coin ${bare}.`, true)).toEqual([])
      expect(found(`$${word}`)).toHaveLength(word === 'TRUMP' ? 0 : 1)
    }
  })
})

test('a name counts for the asset that had it on the day', () => {
  const byDay = (day: string) =>
    createMatcher(assetsAt(shippedAssets(), Date.parse(day) * 1000))({ text: '$LUNA and $MATIC', is_crypto: true })
  expect(byDay('2022-05-08').map(({ asset_id }) => asset_id)).toEqual(['terra-luna', 'polygon-ecosystem-token'])
  expect(byDay('2022-06-08').map(({ asset_id }) => asset_id)).toEqual(['terra-luna-2', 'polygon-ecosystem-token'])
  expect(byDay('2025-06-08').map(({ asset_id }) => asset_id)).toEqual(['terra-luna-2'])
})

test('the strongest mention of an asset is the one of the lowest tier, of these the first', () => {
  const mentions = match({ text: 'Solana, SOL, $SOL $SOL', is_crypto: false })
  expect(mentions.map(({ tier }) => tier)).toEqual([3, 4, 2, 2])
  expect(strongest(mentions)).toEqual([{ asset_id: 'solana', tier: 2, start: 13, end: 17 }])
})

test('spans lie within the text, in order and apart, whatever the text', () => {
  const words = [
    '$BTC',
    'Bitcoin Cash',
    'ETH',
    '$LINK.X',
    'İstanbul',
    '🚀',
    'https://coingecko.com/coins/sui',
    '@sol',
    'terra luna',
    '$',
    '…',
    '\n',
  ]
  const texts = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(texts, fc.boolean(), fc.constantFrom('', ' '), (parts, is_crypto, join) => {
      const text = parts.join(join)
      let end = 0
      for (const mention of match({ text, is_crypto })) {
        expect(mention.start).toBeGreaterThanOrEqual(end)
        expect(mention.end).toBeGreaterThan(mention.start)
        end = mention.end
      }
      expect(end).toBeLessThanOrEqual(text.length)
    }),
    { numRuns: sized(200, 1_500, 5_000) },
  )
})
