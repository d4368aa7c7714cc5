import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const asset = (symbol: string, mindshare_pct: number, more: Record<string, string | number | null> = {}) => ({
  range: '7d',
  platform: '*',
  symbol,
  mindshare_pct,
  n_authors: 10,
  n_posts: 10,
  ...more,
})

test('assets are ranked by mindshare, then by symbol, those without a post last, with the platforms behind it', async () => {
  const rows = await run('marts.signals', {
    'core.assets': ['A', 'B', 'C', 'D', 'E', '0'].map((symbol) => ({ symbol })),
    'metrics.platform_periods': [
      { range: '7d', period: 'current', platform: 'x', is_healthy: true },
      { range: '7d', period: 'current', platform: 'news', is_healthy: true },
      { range: '7d', period: 'current', platform: 'reddit', is_healthy: false },
      { range: '7d', period: 'before', platform: 'bluesky', is_healthy: true },
    ],
    'metrics.attention': [
      asset('C', 10, { delta_points: 2.5, before_pct: 7.5, net: 0.2, net_se: 0.1 }),
      asset('B', 10, { net: 0.2, net_se: 0.13 }),
      asset('A', 5, { net: -0.2, net_se: 0.1 }),
      asset('D', 1, { net: 0.2, net_se: 0.01, n_authors: 9 }),
      asset('E', 0, { n_posts: 1 }),
      asset('0', 0, { n_posts: 0 }),
      asset('*', 74),
      { ...asset('A', 90), platform: 'x' },
    ],
  })
  expect(cut(rows, 'rank', 'symbol', 'mindshare_pct', 'mindshare_delta', 'before_pct', 'sentiment')).toEqual([
    [1, 'B', 10, 0, null, 'neutral'],
    [2, 'C', 10, 2.5, 7.5, 'bullish'],
    [3, 'A', 5, 0, null, 'bearish'],
    [4, 'D', 1, 0, null, 'neutral'],
    [5, 'E', 0, 0, null, 'neutral'],
    [6, '0', 0, 0, null, 'neutral'],
  ])
  expect(rows[0]?.['platforms']).toEqual(['news', 'x'])
})

test('each platform with a weight has its state now and before, also if it was never read', async () => {
  const rows = await run('marts.signal_platforms', {
    'core.platforms': ['news', 'x'].map((platform) => ({ platform, weight: 0.1 })),
    'metrics.attention_periods': ['7d', '30d'].flatMap((range) =>
      ['current', 'before'].map((period) => ({ range, period })),
    ),
    'metrics.platform_periods': [
      { range: '7d', period: 'current', platform: 'x', covered_share: 0.9, n_credited: 300, is_healthy: true },
      { range: '7d', period: 'before', platform: 'x', covered_share: 0.1, n_credited: 3, is_healthy: false },
      { range: '30d', period: 'before', platform: 'x', covered_share: 0.8, n_credited: 200, is_healthy: true },
    ],
  })
  expect(cut(rows, 'range', 'platform', 'covered_share', 'n_credited', 'is_healthy', 'was_healthy')).toEqual([
    ['30d', 'news', 0, 0, false, false],
    ['30d', 'x', 0, 0, false, true],
    ['7d', 'news', 0, 0, false, false],
    ['7d', 'x', 0.9, 300, true, false],
  ])
})
