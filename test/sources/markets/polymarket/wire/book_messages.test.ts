import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { bestPrices, pushedEvents, subscriptionTo } from '#sources/markets/polymarket/wire/book_messages.ts'
import { recordingsDir } from '#test/recordings/routes.ts'

const at_ms = 1_790_000_000_123
const at = at_ms * 1_000
const timestamp = String(at_ms)
const prices = (event: unknown) => bestPrices(JSON.stringify(event))
const level = (price: string, size = '10') => ({ price, size })

describe('the best prices of a message', () => {
  test('are those of a book, in any order of its levels', () => {
    const bids = [level('0.01'), level('0.5'), level('0.49'), level('0.7', '0')]
    const book = { event_type: 'book', asset_id: '7', timestamp, bids, asks: [level('0.99'), level('0.53')] }
    const best = { token: '7', at, bid: 500_000n, ask: 530_000n }
    expect(prices(book)).toEqual([best])
    expect(prices([book, { ...book, asset_id: '8', bids: [], asks: [] }])).toEqual([
      best,
      { token: '8', at, bid: null, ask: null },
    ])
  })

  test('are those of each change, which may be of a deeper level without them', () => {
    const change = { asset_id: '7', price: '0.51', side: 'BUY', size: '1', best_bid: '0.51', best_ask: '0.52' }
    const deeper = { asset_id: '8', price: '0.4', side: 'BUY', size: '1' }
    const event = { event_type: 'price_change', timestamp, price_changes: [change, deeper] }
    expect(prices(event)).toEqual([{ token: '7', at, bid: 510_000n, ask: 520_000n }])
  })

  test('have an empty side at 0 and at 1, and a time as a number too', () => {
    const event = { event_type: 'best_bid_ask', asset_id: '7', best_bid: '0', best_ask: '0.3', timestamp: at_ms }
    expect(prices(event)).toEqual([{ token: '7', at, bid: null, ask: 300_000n }])
    expect(prices({ ...event, best_bid: '0.2', best_ask: '1' })).toEqual([{ token: '7', at, bid: 200_000n, ask: null }])
  })

  test('are none of an event of another type, and of an event in another shape an error', () => {
    expect(prices({ event_type: 'market_resolved', winning_outcome: 'Yes' })).toEqual([])
    expect(prices([{ event_type: 'new_thing', depth: [] }, {}])).toEqual([])
    expect(() => prices({ event_type: 'price_change', timestamp, changes: [] })).toThrow('price_changes')
    expect(() => prices({ event_type: 'best_bid_ask', asset_id: '7', best_bid: 'half', timestamp })).toThrow('price')
    expect(() => bestPrices('nothing')).toThrow()
    const inSeconds = {
      event_type: 'best_bid_ask',
      asset_id: '7',
      best_bid: '0.2',
      timestamp: Math.floor(at_ms / 1000),
    }
    expect(() => prices(inSeconds)).toThrow('expected a time in milliseconds')
    expect(pushedEvents('[{"event_type":"book"},{}]')).toEqual(['book', 'unnamed'])
  })
})

test('a subscription has at most 100 tokens a text, and each token once', () => {
  const tokens = Array.from({ length: 250 }, (_, n) => String(n))
  const texts = subscriptionTo(tokens).map((text) => JSON.parse(text) as { type?: string; assets_ids: string[] })
  expect(texts.map(({ type, assets_ids }) => [type, assets_ids.length])).toEqual([
    ['market', 100],
    [undefined, 100],
    [undefined, 50],
  ])
  expect(texts.flatMap(({ assets_ids }) => assets_ids)).toEqual(tokens)
})

const folder = join(recordingsDir, 'nautechsystems__nautilus_trader/test_data')

test.skipIf(!existsSync(folder))('the examples of another client parse', () => {
  const counts = ['book', 'price_change', 'best_bid_ask', 'last_trade', 'new_market', 'resolved', 'tick_size'].map(
    (name) => bestPrices(readFileSync(join(folder, `ws_market_${name}_msg.json`), 'utf8')).length,
  )
  expect(counts).toEqual([1, 1, 1, 0, 0, 0, 0])
})
