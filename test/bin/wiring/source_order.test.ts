import { expect, test } from 'vitest'

import { backfillRequests, prerequisitesOf } from '#bin/wiring/source_order.ts'
import { sources } from '#sources/index.ts'

const requestsOf = (names: readonly string[]) => backfillRequests(sources, { names, from: 5, to: 9 })
const namesOf = (names: readonly string[]): string[] => requestsOf(names).map(({ source }) => source)

test('all sources that can be followed are read, each after those that it plans from', () => {
  expect(namesOf([])).toEqual([
    'polymarket_markets',
    'polymarket_resolutions',
    'polymarket_trades',
    'polymarket_activity',
    'polymarket_feed',
    'polymarket_odds',
    'polymarket_chain',
    'limitless_markets',
    'limitless_trades',
    'limitless_activity',
    'limitless_resolutions',
    'limitless_odds',
    'kalshi_markets',
    'kalshi_settlements',
    'kalshi_trades',
    'kalshi_odds',
    'evm_swaps',
    'evm_accounts',
    'evm_tokens',
    'evm_traces',
    'evm_addresses',
    'evm_balances',
    'solana_blocks',
    'solana_accounts',
    'solana_tokens',
    'news_feeds',
    'gdelt_articles',
    'fourchan_biz',
    'farcaster_snapchain',
    'reddit_listings',
    'stocktwits_symbols',
    'telegram_previews',
  ])
})

test('a source that needs a key is read by its name', () => {
  expect(namesOf(['x_search'])).toEqual(['x_search'])
})

test('named sources are read in the same order, whatever the order of the names', () => {
  expect(
    namesOf(['polymarket_activity', 'polymarket_clob_markets', 'polymarket_trades', 'polymarket_activity']),
  ).toEqual(['polymarket_clob_markets', 'polymarket_trades', 'polymarket_activity'])
})

test('a backfill of all sources reads the feed as a follow does; a named feed is read over the interval', () => {
  for (const request of requestsOf([])) {
    expect(request).toEqual({
      source: request.source,
      from: request.source === 'polymarket_feed' ? 0 : 5,
      to: 9,
      keys: [],
    })
  }
  expect(requestsOf(['polymarket_feed'])).toEqual([{ source: 'polymarket_feed', from: 5, to: 9, keys: [] }])
})

test('a source plans from those of its venue before it in its group, and from those in none', () => {
  expect(prerequisitesOf(sources, 'polymarket_trades')).toEqual([
    'polymarket_markets',
    'polymarket_clob_markets',
    'polymarket_resolutions',
  ])
  expect(prerequisitesOf(sources, 'polymarket_markets')).toEqual([])
  expect(prerequisitesOf(sources, 'kalshi_settlements')).toEqual(['kalshi_markets'])
})

test('prices and balances are read only up to the present: left out of a past interval, and refused by name', () => {
  const minute = 60_000_000
  const of = (names: readonly string[], { to, now }: { to: number; now: number }) =>
    backfillRequests(sources, { names, from: 0, to, now }).map(({ source }) => source)
  const [past, present] = [
    { to: 10 * minute, now: 20 * minute },
    { to: 20 * minute, now: 20 * minute },
  ]
  const prices = ['polymarket_odds', 'limitless_odds', 'kalshi_odds', 'evm_balances']
  expect(of([], present).filter((name) => prices.includes(name))).toEqual(prices)
  expect(of([], past)).toEqual(of([], present).filter((name) => !prices.includes(name)))
  expect(of(['polymarket_odds'], present)).toEqual(['polymarket_odds'])
  expect(() => of(['evm_balances'], past)).toThrow('evm_balances: observes the present')
  expect(of(['polymarket_odds'], { to: 30 * minute, now: 20 * minute })).toEqual(['polymarket_odds'])
  expect(() => of(['polymarket_trades', 'polymarket_odds'], past)).toThrow(
    'polymarket_odds: observes the present, and its upstream shows no past; expected no --to, or one in the future',
  )
})
