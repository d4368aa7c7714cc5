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
  const row = {
    wallet: 'listed',
    role: 'poster',
    clv_kind: 'event_start',
    clv_score: 2.5,
    pnl: -7.51,
    win_rate: 0.6,
    roi: 0.5,
    n_closed: 20,
  }
  const list = [
    { ...row, range: 'all', sort: 'clv', rank: 1 },
    { ...row, range: 'all', sort: 'pnl', rank: 1, wallet: 'unscored' },
    { ...row, range: '30d', sort: 'clv', rank: 1, clv_score: 9 },
  ]
  const fill = { trader: 'listed', kind: 'event_start', market_id: 'm', outcome: 0, left_out: null }
  const given = {
    'marts.pm_traders': list,
    'metrics.clv': [{ trader: 'listed', range: 'all', kind: 'event_start', raw_points: 4 }],
    // Bought at 0.4 and at 0.8 what pays 1: 60 and 20 points, each of a day of its own and of 40 US dollars.
    'metrics.clv_fills': [
      { ...fill, seq: 0, close_at: '2026-11-01', side: 'buy', size: 100, risk_usd: 40 },
      { ...fill, seq: 1, close_at: '2026-11-02', side: 'buy', size: 50, risk_usd: 40 },
      { ...fill, seq: 2, close_at: '2026-11-02', side: 'buy', size: 50, risk_usd: 40, left_out: 'in_play' },
    ],
    'core.outcomes': [{ market_id: 'm', outcome: 0, payout: 1 }],
  }
  expect(await select('ranks', given)).toEqual([
    {
      trader: 'listed',
      role: 'poster',
      clv_kind: 'event_start',
      clv_points: 2.5,
      raw_points: 4,
      shrunk_payout_points: expect.closeTo((40 * 2) / 22, 9),
      shrunk_roi: 0.25,
      pnl_usd: -7.51,
      win_rate: 0.6,
    },
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
