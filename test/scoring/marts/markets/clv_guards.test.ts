import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('the guards are served as they were judged', async () => {
  const guards = [
    { kind: 'event_start', subset: 'all', n_markets: 300, gap: 0.01, se: 0.02, extreme_share: 0.1, is_held: true },
    { kind: 'markout_24h', subset: 'positive', n_markets: 12, gap: -0.2, se: 0.1, extreme_share: 0, is_held: null },
  ]
  const rows = await run('marts.clv_guards', {
    'metrics.clv_guards': guards.map((guard) => ({ ...guard, n_clusters: guard.n_markets, slope: 1, slope_se: null })),
  })
  expect(cut(rows, 'kind', 'subset', 'gap', 'se', 'is_held')).toEqual([
    ['event_start', 'all', 0.01, 0.02, true],
    ['markout_24h', 'positive', -0.2, 0.1, null],
  ])
})
