import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

test('the markets of a trader add up by category, from a dollar on', async () => {
  const market = (market_id: string, cost_usd: number, more = {}) => ({ trader: 'ann', market_id, cost_usd, ...more })
  const rows = await run('metrics.trader_categories', {
    'core.markets': [
      { market_id: 'a', category: 'sports' },
      { market_id: 'b', category: 'sports' },
      { market_id: 'c', category: null },
      { market_id: 'd', category: 'news' },
    ],
    'core.trader_markets': [
      market('a', 20, { pnl_usd: -20, volume_usd: 20, closed_at: '2026-11-01' }),
      market('b', 10, { pnl_usd: 5, volume_usd: 30 }),
      market('c', 10),
      market('d', 0.99),
      { trader: 'bob', market_id: 'a', cost_usd: 7 },
    ],
  })
  expect(rows).toMatchObject([
    { trader: 'ann', category: '', n_markets: 1, n_closed: 0, cost_usd: 10, cost_share: 0.25 },
    {
      trader: 'ann',
      category: 'sports',
      n_markets: 2,
      n_closed: 1,
      cost_usd: 30,
      pnl_usd: -15,
      volume_usd: 50,
      cost_share: 0.75,
    },
    { trader: 'bob', category: 'sports', n_markets: 1, cost_share: 1 },
  ])
})
