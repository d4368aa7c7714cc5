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
    reason_code?: string
    fills?: Row[]
    markets?: Row[]
    n_undescribed?: number
    traits?: Row
    scores?: Row[]
    wash?: Row
    balance?: Row
  }) => {
    const rows = await run('marts.pm_wallet', {
      'metrics.trader_results': [
        result('0xa', { realized_usd: 12.345678, untracked_usd: 0.125, n_won: 5, volume_usd: 99, ...given.result }),
        result('0xa', { range: '30d', realized_usd: 7 }),
      ],
      'metrics.trader_traits': [{ ...traits('0xa', given.archetype), ...given.traits }],
      'metrics.clv_scores': given.scores ?? [],
      'metrics.wash_shares': given.wash === undefined ? [] : [{ trader: '0xa', ...given.wash }],
      'metrics.trader_balances': [{ trader: '0xa', ...given.balance }],
      'metrics.acting_groups': [{ trader: '0xa', acts_with: '0xb' }],
      'metrics.trader_habits': [{ trader: '0xa', entry_price: 0.25, drawdown_usd: 7.5, top_category: 'sports' }],
      'core.history_completeness': [
        {
          trader: '0xa',
          is_complete: given.reason === undefined,
          n_undescribed: given.n_undescribed ?? 0,
          ...(given.reason ? { reason: given.reason, reason_code: given.reason_code } : {}),
        },
      ],
      'core.trader_markets': given.markets ?? [],
      'staging.fills': given.fills ?? [],
    })
    expect(rows).toHaveLength(1)
    return rows[0] ?? {}
  }

  test('is of all time, in cents, with every market that was ever traded', async () => {
    const fills = ['m1', 'm1', 'm2', 'not described'].map((market_id, seq) => ({ trader: '0xa', market_id, seq }))
    const markets = ['m1', 'm2', 'moved'].map((market_id) => ({
      trader: '0xa',
      market_id,
      n_fills: market_id === 'moved' ? 0 : 1,
    }))
    expect(await profile({ fills: fills.slice(0, 3), markets })).toMatchObject({ markets_traded: 2 })
    expect(await profile({ fills, markets, n_undescribed: 1 })).toMatchObject({
      address: '0xa',
      total_pnl: 12.35,
      untracked: 0.13,
      win_rate: 0.5,
      n_closed: 10,
      n_won: 5,
      clv_score: null,
      markets_traded: 3,
      archetype: 'generalist',
      is_complete: true,
      unlisted_reason: null,
    })
  })

  test('gives the reason why a trader is not listed: the history first, then too little of it', async () => {
    const reason = 'not pulled'
    expect(await profile({ reason, reason_code: 'unread', archetype: 'unproven' })).toMatchObject({
      is_complete: false,
      unlisted_code: 'unread',
      unlisted_reason: reason,
    })
    expect(await profile({ archetype: 'unproven' })).toMatchObject({
      is_complete: true,
      markets_traded: 0,
      unlisted_code: 'unproven',
      unlisted_reason: 'fewer than 20 fills or 10 closed markets',
    })
  })

  test('has the closing line value of all time; who is unproven has none', async () => {
    const parts = { raw_points: 4, raw_lower_points: 1, raw_upper_points: 7, mu_points: 0.5, mu_se: 0.125 }
    const score = {
      trader: '0xa',
      kind: 'event_start',
      skill_se: 0.5,
      se: 0.25,
      n_eff: 9,
      scored_share: 0.25,
      ...parts,
    }
    const scores = [
      { ...score, range: 'all', skill_points: 1.2345674, clv_points: 1.75 },
      { ...score, range: '30d', skill_points: 9 },
    ]
    const shown = {
      clv_score: 1.234567,
      clv_kind: 'event_start',
      clv_se: 0.5,
      clv_n_eff: 9,
      scored_share: 0.25,
      clv_edge_points: 4,
      clv_lower_points: 1,
      clv_upper_points: 7,
      clv_role_points: 0.5,
      clv_role_se: 0.125,
      clv_points: 1.75,
      clv_points_se: 0.25,
      is_trusted: true,
      clv_reason_code: null,
      clv_reason: null,
    }
    expect(await profile({ scores })).toMatchObject(shown)
    const none = { clv_score: null, clv_kind: null, clv_se: null, clv_n_eff: null, scored_share: null }
    expect(await profile({ scores, archetype: 'unproven' })).toMatchObject({ ...none, clv_reason_code: 'unproven' })
    expect(await profile({})).toMatchObject({ ...none, is_trusted: null, clv_reason_code: 'no_close' })
    const untrusted = scores.map((one) => ({ ...one, is_trusted: false }))
    expect(await profile({ scores: untrusted })).toMatchObject({
      clv_score: null,
      clv_kind: 'event_start',
      is_trusted: false,
      clv_reason_code: 'not_trusted',
      clv_reason: 'the closes of event_start are not trusted',
    })
  })

  test('has how the trader holds and loses beside the result', async () => {
    expect(await profile({ traits: { both_sides_share: 0.5, net_share: 0.25, role: 'poster' } })).toMatchObject({
      role: 'poster',
      both_sides_share: 0.5,
      net_share: 0.25,
      n_fills: 30,
      volume_usd: 99,
      entry_price: 0.25,
      drawdown_usd: 7.5,
      top_category: 'sports',
      acts_with: '0xb',
    })
  })

  test('has income, open shares and parlays beside the result', async () => {
    const balance = { unrealized_usd: -7.125, income_usd: 3.5, combo_usd: -20, n_combo_fills: 2 }
    const shown = { unrealized_usd: -7.13, income_usd: 3.5, combo_usd: -20, has_combos: true }
    expect(await profile({ balance })).toMatchObject({ total_pnl: 12.35, ...shown })
    expect(await profile({})).toMatchObject({ income_usd: 0, has_combos: false })
  })

  test('is not listed with a volume like wash trades', async () => {
    const wash = { is_wash_like: true, self_share: 0.25, partner_share: 0 }
    expect(await profile({ wash })).toMatchObject({
      is_wash_like: true,
      unlisted_code: 'wash',
      unlisted_reason: 'a fifth of its volume or more is with itself, or with one partner',
    })
    expect(await profile({ wash: { ...wash, is_wash_like: false } })).toMatchObject({
      unlisted_code: null,
      unlisted_reason: null,
    })
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
