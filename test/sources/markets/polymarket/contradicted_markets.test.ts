import { expect, test } from 'vitest'

import { mostRejected } from '#ingest/parse/rows.ts'
import type { LakeReader } from '#lake/reader.ts'
import { openContradicted } from '#sources/markets/polymarket/contradicted_markets.ts'
import { describeMarket, gammaMarket } from '#sources/markets/polymarket/wire/gamma_rows.ts'

import { gammaMarketBody } from './wire.ts'

/** No id ends with the zeros of a padded one. */
const conditionOf = (n: number): string => `0x${n.toString(16).padStart(62, '0')}01`

/** A lake that has every market open, with the tokens 1 and 2. */
const query: LakeReader['query'] = async (_sql, shape, params) =>
  String(params?.['market_ids'])
    .split(',')
    .map((market_id) => shape.parse({ market_id, status: 'open', token_ids: ['1', '2'] }))

/** Finds the contradicted among so many listed markets. Those at odd places have other tokens. */
async function list(n_markets: number) {
  const contradicted = openContradicted({ query }, { source: 'polymarket_markets', at: 9 })
  const places = Array.from({ length: n_markets }, (_, n) => n)
  const tokensOf = (n: number): string => JSON.stringify(n % 2 === 1 ? ['1', '3'] : ['1', '2'])
  const markets = places.map((n) =>
    gammaMarket.parse(gammaMarketBody(n, { conditionId: conditionOf(n), clobTokenIds: tokensOf(n) })),
  )
  // The list comes in parts.
  for (let from = 0; from < n_markets; from += 7_000) {
    const some = markets.slice(from, from + 7_000)
    await contradicted.find(
      some.map((market, n) => describeMarket(market, from + n)),
      some,
    )
  }
  return { contradicted, odd: places.filter((n) => n % 2 === 1) }
}

test('each contradicted market is found, and the first rejections have their bodies', async () => {
  const { contradicted, odd } = await list(2 * (mostRejected + 30))
  expect(odd.every(contradicted.has)).toBe(true)
  expect(odd.some((place) => contradicted.has(place - 1))).toBe(false)
  const rejected = contradicted.rejections(new Set(odd))
  expect(rejected.map(({ body }) => body)).toEqual(
    odd.slice(0, mostRejected).map((n) => expect.objectContaining({ conditionId: conditionOf(n) })),
  )
  expect(new Set(rejected.map(({ reason }) => reason))).toEqual(
    new Set(['token_ids: others than before; expected the tokens of the market']),
  )
})

test('a market beyond the bodies that are held is rejected without one', async () => {
  const { contradicted, odd } = await list(2 * (mostRejected + 30))
  // The first five are listed again later, and that description counts.
  const rejected = contradicted.rejections(new Set(odd.slice(5)))
  expect(rejected).toHaveLength(mostRejected)
  expect(rejected.filter(({ body }) => body === null)).toHaveLength(5)
  expect(rejected.slice(-5).every(({ body }) => body === null)).toBe(true)
})
