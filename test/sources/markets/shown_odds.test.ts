import { expect, test } from 'vitest'

import { kalshiMarket, quoteOf as kalshiQuote } from '#sources/markets/kalshi/wire/market_rows.ts'
import { limitlessMarket } from '#sources/markets/limitless/wire/market_rows.ts'
import { quoteOf as limitlessQuote } from '#sources/markets/limitless/wire/quote_rows.ts'
import { gammaMarket, quoteOf as gammaQuote } from '#sources/markets/polymarket/wire/gamma_rows.ts'
import { market_id, recent, yes } from '#test/scoring/metrics/markets/market_odds_given.ts'
import { run, type Given } from '#test/scoring/model.ts'

import { marketBody as kalshiBody } from './kalshi/wire.ts'
import { marketBody as limitlessBody } from './limitless/wire.ts'
import { gammaMarketBody } from './polymarket/wire.ts'

type Body = Record<string, unknown>

const quoteOf = {
  polymarket: (body: Body) => gammaQuote(gammaMarket.parse(gammaMarketBody(1, body)), 0),
  limitless: (body: Body) => limitlessQuote(limitlessMarket.parse(limitlessBody(1, body)), 0),
  kalshi: (body: Body) => kalshiQuote(kalshiMarket.parse(kalshiBody('KXA-1', body)), 0),
} as const

const decimal = (millionths: bigint | null | undefined): number | null =>
  millionths === null || millionths === undefined ? null : Number(millionths) / 1e6

/** The price that the API shows for a market of a venue, and how it was found, from the venue's own description. */
async function shown(venue: keyof typeof quoteOf, body: Body): Promise<unknown[]> {
  const quote = quoteOf[venue](body)
  if (quote === null) throw new Error('the market is open')
  const { bid, ask, last, venue_price, liquidity_usd } = quote
  const prices = Object.entries({ bid, ask, last, venue_price, liquidity_usd })
  const row = Object.fromEntries(prices.map(([name, value]) => [name, decimal(value)]))
  const quotes = [{ market_id, ts: recent, period_s: 0, source: `${venue}_odds`, ...row }]
  const odds = await run('core.odds', { 'staging.quotes': quotes })
  return (await yes({ 'core.odds': odds as Given[string] }))?.slice(0, 2) ?? []
}

const noPrices = { bestBid: undefined, bestAsk: undefined, lastTradePrice: undefined, outcomePrices: undefined }
const shares = (yesPrice: string, noPrice: string): Body => ({ outcomePrices: JSON.stringify([yesPrice, noPrice]) })
/** The market prices of a sale and of a purchase of YES on Limitless. */
const book = (sold: number, bought: number): Body => ({
  tradePrices: {
    buy: { market: [bought, 1 - sold], limit: [sold, 1 - bought] },
    sell: { market: [sold, 1 - bought], limit: [bought, 1 - sold] },
  },
})

test.each<[keyof typeof quoteOf, string, Body, number | null, string]>([
  ['polymarket', 'with a narrow book', {}, 0.4, 'mid'],
  ['polymarket', 'without a price', noPrices, null, 'none'],
  ['polymarket', 'with a placeholder of 0.5', { ...noPrices, ...shares('0.5', '0.5') }, null, 'none'],
  ['polymarket', 'with 0.5 and liquidity', { ...noPrices, ...shares('0.5', '0.5'), liquidity: '10' }, 0.5, 'venue'],
  ['polymarket', 'without a book', { ...noPrices, ...shares('0.07', '0.93') }, 0.07, 'venue'],
  ['polymarket', 'with an empty book', { bestBid: 0, bestAsk: 1, ...shares('0.07', '0.93') }, 0.07, 'venue'],
  ['polymarket', 'with a crossed book', { bestBid: 0.6, bestAsk: 0.35, ...shares('0.2', '0.8') }, 0.2, 'venue'],
  ['polymarket', 'without a bid', { bestBid: undefined, bestAsk: 0.001, ...shares('0.0005', '0.9995') }, 0.0005, 'mid'],
  ['polymarket', 'without an ask', { bestBid: 0.994, bestAsk: undefined, ...shares('0.997', '0.003') }, 0.997, 'mid'],
  ['polymarket', 'above its ask', { bestBid: undefined, bestAsk: 0.3, ...shares('0.98', '0.02') }, 0.3, 'ask'],
  ['polymarket', 'below its bid', { bestBid: 0.6, bestAsk: undefined, ...shares('0.2', '0.8') }, 0.6, 'bid'],
  ['limitless', 'with a narrow book', {}, 0.4, 'mid'],
  ['limitless', 'with an empty book', { ...book(0.001, 0.999), prices: [0.5, 0.5] }, null, 'none'],
  ['limitless', 'with a crossed book', { ...book(0.6, 0.4), prices: [0.2, 0.8] }, 0.2, 'venue'],
  ['limitless', 'outside its book', { ...book(0.6, 0.8), prices: [0.2, 0.8] }, 0.6, 'bid'],
  ['kalshi', 'with a narrow book', {}, 0.41, 'mid'],
  [
    'kalshi',
    'with an empty book',
    { yes_bid_dollars: '0.0000', yes_ask_dollars: '1.0000', last_price_dollars: '0.0000' },
    null,
    'none',
  ],
  ['kalshi', 'with a crossed book', { yes_bid_dollars: '0.6000', yes_ask_dollars: '0.4000' }, 0.41, 'venue'],
  ['kalshi', 'below its bid', { yes_bid_dollars: '0.7000', yes_ask_dollars: '1.0000' }, 0.7, 'bid'],
])('a market of %s %s is shown as its venue shows it, and never guessed', async (venue, _case, body, price, method) => {
  expect(await shown(venue, body)).toEqual([price, method])
})
