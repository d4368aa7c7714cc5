import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

test('a population is stored as the shrinkage found it', async () => {
  const prior = { kind: 'event_start', range: 'all', n_traders: 9, n_pooled: 4, s2: 7.5, tau2: 2.5, mu: -0.5 }
  expect(await run('metrics.clv_populations', { 'metrics.clv_priors': [prior] })).toEqual([prior])
})
