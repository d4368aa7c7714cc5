import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('the guards are served as they were judged, with the figures that are off', async () => {
  const figures = { gap: 0.01, se: 0.02, slope: 1.3, slope_se: 0.05, extreme_share: 0.125, n_clusters: 9 }
  const rows = await run('marts.clv_guards', {
    'metrics.clv_guards': [
      { ...figures, kind: 'event_start', n_markets: 300, state: 'held', is_held: true },
      { ...figures, kind: 'markout_24h', n_markets: 400, state: 'broken', is_held: false, broken_at: '2026-11-16' },
    ],
  })
  expect(cut(rows, 'kind', 'state', 'is_held', 'broken_at', 'reason')).toEqual([
    ['event_start', 'held', true, null, null],
    [
      'markout_24h',
      'broken',
      false,
      '2026-11-16 00:00:00',
      'markout_24h: payout - close is 0.010 +- 0.039 (bound 0.02), slope 1.30 +- 0.10 (bounds 0.85, 1.15), ' +
        'extreme closes 0.125 (bound 0.15), 400 markets',
    ],
  ])
  const [few] = await run('marts.clv_guards', {
    'metrics.clv_guards': [
      { ...figures, slope: null, kind: 'event_start', n_markets: 12, state: 'unknown', is_held: null },
    ],
  })
  expect(few?.['reason']).toBe('event_start: 12 resolved markets, 200 are needed')
})
