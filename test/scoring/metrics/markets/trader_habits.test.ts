import { expect, test } from 'vitest'

import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const habits = async (given: Given) => {
  const rows = await run('metrics.trader_habits', {
    'metrics.trader_results': [
      { trader: 'ann', range: 'all' },
      { trader: 'ann', range: '30d' },
    ],
    ...given,
  })
  expect(rows).toHaveLength(1)
  return rows[0] ?? {}
}

test('a trader without a market has none', async () => {
  expect(await habits({})).toEqual({
    trader: 'ann',
    entry_price: null,
    holding_s: null,
    drawdown_usd: 0,
    top_category: '',
    top_category_share: 0,
    n_categories: 0,
  })
})

test('the holding time is that of closed markets, by their cost', async () => {
  const market = (market_id: string, cost_usd: number, first_at: string, closed_at: string | null): Row => ({
    trader: 'ann',
    market_id,
    cost_usd,
    first_at,
    closed_at,
  })
  const given = {
    'core.trader_markets': [
      market('a', 10, '2026-11-01 00:00:00', '2026-11-01 01:00:00'),
      market('b', 30, '2026-11-01 00:00:00', '2026-11-01 03:00:00'),
      market('open', 500, '2026-11-01 00:00:00', null),
      market('dust', 0.5, '2026-10-01 00:00:00', '2026-11-01 00:00:00'),
    ],
  }
  expect(await habits(given)).toMatchObject({ holding_s: (10 * 3600 + 30 * 10_800) / 40 })
  const huge = market('huge', 900_000_000_000, '2024-01-01 00:00:00', '2026-01-01 00:00:00')
  expect(await habits({ 'core.trader_markets': [huge] })).toMatchObject({ holding_s: 731 * 86_400 })
})

test('the drawdown is the largest fall from a peak, which begins at 0', async () => {
  const day = (of: number, realized_usd: number, market_id = 'm'): Row => ({
    trader: 'ann',
    day: `2026-11-0${of}`,
    market_id,
    realized_usd,
  })
  const drawdown = async (...days: Row[]) => (await habits({ 'core.trader_days': days }))['drawdown_usd']
  expect(await drawdown(day(1, 5), day(2, 7))).toBe(0)
  expect(await drawdown(day(1, -5), day(2, 7), day(3, -1))).toBe(5)
  // A day's markets count together: -20 and 15 are a fall of 5.
  expect(await drawdown(day(1, 10), day(2, -20), day(2, 15, 'n'), day(3, -4), day(4, 30))).toBe(9)
})

test('the first category is that of the highest cost', async () => {
  const category = (name: string, cost_usd: number, cost_share: number): Row => ({
    trader: 'ann',
    category: name,
    cost_usd,
    cost_share,
  })
  const given = { 'metrics.trader_categories': [category('news', 10, 0.25), category('sports', 30, 0.75)] }
  expect(await habits(given)).toMatchObject({ top_category: 'sports', top_category_share: 0.75, n_categories: 2 })
})
