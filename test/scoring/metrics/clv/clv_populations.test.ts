import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

test('a population is stored as the shrinkage found it', async () => {
  const counts = { kind: 'event_start', range: 'all', n_traders: 9, n_pooled: 4, n_fitted: 3 }
  const prior = { ...counts, s2: 7.5, s2_price: 30.5, b_taken: -0.5, b_made: 1.5, b_both: 0.25, b_flat: 0 }
  expect(await run('metrics.clv_populations', { 'metrics.clv_priors': [prior] })).toEqual([prior])
})
