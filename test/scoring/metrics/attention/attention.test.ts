import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

const period = {
  range: '7d',
  period: 'current',
  from_at: '2026-11-13 12:00:00',
  to_at: '2026-11-20 12:00:00',
  n_hours: 168,
}

test('a range has two periods of whole days that end at the clock', async () => {
  const rows = await run('metrics.attention_periods', {}, '2026-11-20 12:30:00')
  expect(cut(rows, 'range', 'period', 'from_at', 'to_at', 'n_hours')).toEqual([
    ['30d', 'before', '2026-09-21 12:30:00', '2026-10-21 12:30:00', 720],
    ['30d', 'current', '2026-10-21 12:30:00', '2026-11-20 12:30:00', 720],
    ['7d', 'before', '2026-11-06 12:30:00', '2026-11-13 12:30:00', 168],
    ['7d', 'current', '2026-11-13 12:30:00', '2026-11-20 12:30:00', 168],
  ])
})

test('shares are of the credit of all assets, with the spread between authors, by hand', async () => {
  const cluster = (n: number, symbol: string, author: string, credit: number, ts = '2026-11-20 01:00:00') => ({
    platform: 'x',
    cluster_id: `${n}`,
    asset_id: symbol,
    symbol,
    author,
    credit,
    ts,
  })
  const rows = await run('metrics.attention_shares', {
    'metrics.attention_periods': [period],
    'core.clusters': [
      cluster(1, 'A', 'a', 2),
      cluster(2, 'B', 'a', 1),
      cluster(3, '*', 'b', 1),
      cluster(4, 'A', 'c', 9, '2026-11-13 12:00:00'),
      cluster(5, 'A', 'c', 9, '2026-11-20 12:00:01'),
    ],
  })
  // A: the residuals are 2 - 3/2 and 0 - 1/2, so the variance is 2 x (1/4 + 1/4) / 16.
  expect(rows.find(({ symbol }) => symbol === 'A')).toMatchObject({ credit: 2, share: 0.5, variance: 1 / 16 })
  expect(cut(rows, 'symbol', 'share')).toEqual([
    ['*', 0.25],
    ['A', 0.5],
    ['B', 0.25],
  ])
})

test('the tone of an asset is that of its authors minus that of the other assets, by hand', async () => {
  const mention = (post_id: string, symbol: string, author: string, bull_rate: number, n_assets = 1) => ({
    platform: 'x',
    post_id,
    asset_id: symbol,
    symbol,
    author,
    ts: '2026-11-20 01:00:00',
    bull_rate,
    n_assets,
  })
  const rows = await run('metrics.tone', {
    'metrics.attention_periods': [period],
    'core.mentions': [
      mention('1', 'A', 'a', 1),
      mention('2', 'A', 'a', 0.5),
      mention('3', 'A', 'b', 0.25),
      mention('4', 'B', 'b', 0.5),
      mention('5', 'B', 'c', 0.1),
      mention('6', 'A', 'd', 1, 9),
    ],
  })
  const tone = rows.find(({ symbol }) => symbol === 'A')
  // The means of a and b on A are 0.75 and 0.25, those of b and c on B are 0.5 and 0.1.
  expect(tone).toMatchObject({ n_authors: 2, n_posts: 3 })
  expect(tone?.['net']).toBeCloseTo(0.5 - 0.3, 9)
  // The influences of a, b and c are 0.125, -0.125 - 0.1 and 0.1; the correction is 2.
  expect(tone?.['se']).toBeCloseTo(Math.sqrt(2 * (0.125 ** 2 + 0.225 ** 2 + 0.1 ** 2)), 9)
})

test.each([
  [200, 1, true],
  [199, 1, false],
  [200, 0.79, false],
])(
  'a platform with %d credited posts and a covered share of %d is healthy: %s',
  async (n, covered_share, isHealthy) => {
    const hours = Array.from({ length: 168 }, (_, hour) => ({
      platform: 'x',
      hour_at: new Date(Date.UTC(2026, 10, 13, 12 + hour)).toISOString().slice(0, 19),
      covered_share,
    }))
    const rows = await run('metrics.platform_periods', {
      'metrics.attention_periods': [period],
      'core.platforms': [{ platform: 'x', weight: 1 }],
      'core.platform_hours': [...hours, { platform: 'other', hour_at: '2026-11-20 01:00:00', covered_share: 1 }],
      'core.mentions': Array.from({ length: n }, (_, post_id) => ({
        platform: 'x',
        asset_id: 'a',
        post_id: `${post_id}`,
        ts: '2026-11-20 01:00:00',
        n_assets: 8,
      })),
    })
    expect(cut(rows, 'platform', 'n_credited', 'is_healthy')).toEqual([['x', n, isHealthy]])
  },
)
