import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const assets = ['BTC', 'ETH'].map((symbol) => ({ symbol, asset_id: symbol, name: symbol }))
const burst = { symbol: 'ETH', ts: '2026-11-20 12:00:00', n_authors: 40, expected: 4.5, p: 1e-9, confidence: 0.8 }
const active = { platform: 'x', hours_ago: 0, n_posts: 90 }
const given = (bursts: object[], exposures = [active]) => ({
  'core.assets': assets,
  'metrics.bursts': bursts as (typeof burst)[],
  'core.attention_exposures': exposures,
})

test('each tracked asset is one test: the burst that ends at the clock, or none', async () => {
  const earlier = { ...burst, symbol: 'BTC', ts: '2026-11-20 11:00:00' }
  expect(await run('metrics.burst_candidates', given([burst, earlier]))).toEqual([
    { symbol: 'BTC', ts: '2026-11-20 12:00:00', n_authors: 0, expected: 0, confidence: 0, p: 1, evidence: [] },
    { ...burst, evidence: [] },
  ])
})

test('without a post of the last hours nothing is tested', async () => {
  expect(await run('metrics.burst_candidates', given([], [{ ...active, hours_ago: 1 }]))).toEqual([])
})
