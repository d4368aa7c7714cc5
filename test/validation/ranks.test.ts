import { expect, it } from 'vitest'

import type { Given } from '#test/scoring/model.ts'

import { select } from './select.ts'

/** A trader who passes all, and others who lack one thing each. */
const given: Given = {
  'metrics.clv_scores': [
    { trader: 'listed', range: 'all', kind: 'event_start', clv_points: 2.5, n_eff: 12 },
    { trader: 'listed', range: '30d', kind: 'markout_24h', clv_points: 9, n_eff: 40 },
    { trader: 'few', range: 'all', kind: 'markout_24h', clv_points: 3, n_eff: 9.9 },
    { trader: 'partial', range: 'all', kind: 'event_start', clv_points: 4, n_eff: 40 },
    { trader: 'new', range: 'all', kind: 'event_start', clv_points: 5, n_eff: 40 },
    { trader: 'idle', range: 'all', kind: 'event_start', clv_points: 5, n_eff: 40 },
  ],
  'metrics.trader_results': [
    { trader: 'listed', range: 'all', realized_usd: -7.5, n_closed: 20, win_rate: 0.6, is_complete: true },
    { trader: 'listed', range: '30d', realized_usd: 100, n_closed: 20, win_rate: 1, is_complete: true },
    ...['few', 'new', 'unscored'].map((trader) => ({ trader, range: 'all', n_closed: 20, is_complete: true })),
    { trader: 'idle', range: 'all', n_closed: 0, is_complete: true },
    { trader: 'partial', range: 'all', n_closed: 20, is_complete: false },
  ],
  'metrics.trader_traits': [
    ...['listed', 'few', 'partial', 'unscored', 'idle'].map((trader) => ({ trader, archetype: 'generalist' })),
    { trader: 'new', archetype: 'unproven' },
  ],
}

it('ranks the list by closing line value of all time, by what it shows', async () => {
  const row = { wallet: 'listed', clv_kind: 'event_start', clv_score: 2.5, pnl: -7.51, win_rate: 0.6 }
  const list = [
    { ...row, range: 'all', sort: 'clv', rank: 1 },
    { ...row, range: 'all', sort: 'pnl', rank: 1, wallet: 'unscored' },
    { ...row, range: '30d', sort: 'clv', rank: 1, clv_score: 9 },
  ]
  expect(await select('ranks', { 'marts.pm_traders': list })).toEqual([
    { trader: 'listed', clv_kind: 'event_start', clv_points: 2.5, pnl_usd: -7.51, win_rate: 0.6 },
  ])
})

it('counts the traders that pass each condition', async () => {
  const [counts] = await select('funnel', given)
  expect(counts).toMatchObject({ n_known: 6, n_complete: 5, n_proven: 3, n_scored: 1 })
})

it('counts no traders in an empty lake', async () => {
  expect(await select('ranks', {})).toEqual([])
  const [counts] = await select('funnel', {})
  expect(counts).toMatchObject({ n_known: 0, n_complete: 0, n_proven: 0, n_scored: 0 })
})
