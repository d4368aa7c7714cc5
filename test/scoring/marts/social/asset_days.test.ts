import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const hour = (symbol: string, hour_at: string, credit: number, platform = 'x') => ({
  platform,
  symbol,
  hour_at,
  n_posts: 2,
  n_clusters: 1,
  credit,
})

test('days of a tracked asset are shares of all recognised assets of the platform', async () => {
  const rows = await run('marts.asset_days', {
    'core.assets': [{ symbol: 'BTC' }, { symbol: 'ETH' }],
    'core.attention_hours': [
      hour('BTC', '2026-11-19 01:00:00', 1),
      hour('BTC', '2026-11-19 05:00:00', 2),
      hour('ETH', '2026-11-19 05:00:00', 3),
      hour('*', '2026-11-19 05:00:00', 6),
      hour('ETH', '2026-11-19 05:00:00', 3, 'news'),
      hour('BTC', '2026-10-20 05:00:00', 3),
      hour('BTC', '2026-11-18 05:00:00', 0),
    ],
  })
  expect(cut(rows, 'symbol', 'day', 'platform', 'n_posts', 'n_clusters', 'credit', 'day_pct')).toEqual([
    ['BTC', '2026-11-18', 'x', 2, 1, 0, 0],
    ['BTC', '2026-11-19', 'x', 4, 2, 3, 25],
    ['ETH', '2026-11-19', 'news', 2, 1, 3, 100],
    ['ETH', '2026-11-19', 'x', 2, 1, 3, 25],
  ])
})
