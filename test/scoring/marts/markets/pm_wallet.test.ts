import { describe, expect, test } from 'vitest'

import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const result = (trader: string, more: Row = {}): Row => ({
  trader,
  range: 'all',
  realized_usd: 1,
  win_rate: 0.5,
  n_closed: 10,
  is_complete: true,
  ...more,
})
const traits = (trader: string, archetype = 'generalist'): Row => ({ trader, archetype, n_fills: 30, n_closed: 10 })

describe('pm_wallet', () => {
  const profile = async (given: {
    result?: Row
    archetype?: string
    reason?: string
    fills?: Row[]
    traits?: Row
    scores?: Row[]
  }) => {
    const rows = await run('marts.pm_wallet', {
      'metrics.trader_results': [
        result('0xa', { realized_usd: 12.345678, untracked_usd: 0.125, n_won: 5, volume_usd: 99, ...given.result }),
        result('0xa', { range: '30d', realized_usd: 7 }),
      ],
      'metrics.trader_traits': [{ ...traits('0xa', given.archetype), ...given.traits }],
      'metrics.clv_scores': given.scores ?? [],
      'core.history_completeness': [
        { trader: '0xa', is_complete: given.reason === undefined, ...(given.reason ? { reason: given.reason } : {}) },
      ],
      'staging.fills': given.fills ?? [],
    })
    expect(rows).toHaveLength(1)
    return rows[0] ?? {}
  }

  test('is of all time, in cents, with every market that was ever traded', async () => {
    const fills = ['m1', 'm1', 'm2', 'not described'].map((market_id, seq) => ({ trader: '0xa', market_id, seq }))
    expect(await profile({ fills })).toMatchObject({
      address: '0xa',
      total_pnl: 12.35,
      untracked: 0.13,
      win_rate: 0.5,
      n_closed: 10,
      n_won: 5,
      clv_score: 0,
      markets_traded: 3,
      archetype: 'generalist',
      is_complete: true,
      unlisted_reason: null,
    })
  })

  test('says why somebody is not listed: the history first, then too little of it', async () => {
    const reason = 'not pulled'
    expect(await profile({ reason, archetype: 'unproven' })).toMatchObject({
      is_complete: false,
      unlisted_reason: reason,
    })
    expect(await profile({ archetype: 'unproven' })).toMatchObject({
      is_complete: true,
      markets_traded: 0,
      unlisted_reason: 'fewer than 20 fills or 10 closed markets',
    })
  })

  test('has the closing line value of all time; who is unproven has none', async () => {
    const score = { trader: '0xa', kind: 'event_start', se: 0.5, n_eff: 9, scored_share: 0.25 }
    const scores = [
      { ...score, range: 'all', clv_points: 1.2345674 },
      { ...score, range: '30d', clv_points: 9 },
    ]
    const shown = { clv_score: 1.234567, clv_kind: 'event_start', clv_se: 0.5, clv_n_eff: 9, scored_share: 0.25 }
    expect(await profile({ scores })).toMatchObject(shown)
    const none = { clv_score: 0, clv_kind: null, clv_se: null, clv_n_eff: null, scored_share: null }
    expect(await profile({ scores, archetype: 'unproven' })).toMatchObject(none)
    expect(await profile({})).toMatchObject(none)
  })

  test('keeps what the archetype rests on; what is not known is not there', async () => {
    const known = { maker_share: 0.5, net_share: 0.25, volume_90d_usd: 77, volume_90d_pct: 40 }
    const kept = async (of: Row) => {
      const { traits: map } = await profile({ traits: of })
      return Object.fromEntries((map as { key: string; value: number }[]).map(({ key, value }) => [key, value]))
    }
    const others = {
      both_sides_share: 0,
      set_share: 0,
      dip_share: 0,
      rise_share: 0,
      longshot_share: 0,
      favorite_share: 0,
    }
    expect(await kept(known)).toEqual({ n_fills: 30, n_closed: 10, volume_usd: 99, ...known, ...others })
    expect(Object.keys(await kept({ maker_share: null }))).not.toContain('maker_share')
  })
})
