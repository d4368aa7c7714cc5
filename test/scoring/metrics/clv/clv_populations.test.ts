import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

test('a population is stored as the shrinkage found it', async () => {
  const counts = { kind: 'event_start', range: 'all', n_traders: 9, n_pooled: 4 }
  const prior = { ...counts, s2: 7.5, s2_price: 30.5, tau2: 2.5, b0: -0.5, b1: 1.5 }
  expect(await run('metrics.clv_populations', { 'metrics.clv_priors': [prior] })).toEqual([prior])
})
