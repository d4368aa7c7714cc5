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

describe('pm_traders', () => {
  const list = async (
    results: Row[],
    traders: Row[] = results.map(({ trader }) => traits(String(trader))),
    scores: Row[] = [],
    washes: Row[] = [],
    groups: Row[] = [],
  ) =>
    run('marts.pm_traders', {
      'metrics.wash_shares': washes,
      'metrics.acting_groups': groups,
      'metrics.trader_results': results,
      'metrics.trader_traits': traders,
      'metrics.clv_scores': scores,
    })
  const ranked = (rows: Record<string, unknown>[], sort: string, range = 'all') =>
    rows.filter((row) => row['sort'] === sort && row['range'] === range).map(({ rank, wallet }) => [rank, wallet])

  test('is in the order of the value as served, then of addresses', async () => {
    const rows = await list([
      result('0xc', { realized_usd: 10.004, win_rate: 0.9 }),
      result('0xa', { realized_usd: 9.996, win_rate: 0.9 }),
      result('0xb', { realized_usd: 10.001, win_rate: 0.900001 }),
      result('0xd', { realized_usd: -3, win_rate: 0 }),
      result('0xe', { realized_usd: 10.005, win_rate: 1 }),
    ])
    // To the cent: 10.01, then 10.00 three times.
    expect(ranked(rows, 'pnl')).toEqual([
      [1, '0xe'],
      [2, '0xa'],
      [3, '0xb'],
      [4, '0xc'],
      [5, '0xd'],
    ])
    expect(ranked(rows, 'win_rate')).toEqual([
      [1, '0xe'],
      [2, '0xb'],
      [3, '0xa'],
      [4, '0xc'],
      [5, '0xd'],
    ])
  })

  test('ranks each range for itself, by its own figures', async () => {
    const rows = await list(
      [
        result('0xa', { range: '30d', realized_usd: 1 }),
        result('0xa', { range: '90d', realized_usd: 9 }),
        result('0xb', { range: '30d', realized_usd: 2 }),
        result('0xb', { range: '90d', realized_usd: 3 }),
      ],
      [traits('0xa'), traits('0xb')],
    )
    expect(ranked(rows, 'pnl', '30d')).toEqual([
      [1, '0xb'],
      [2, '0xa'],
    ])
    expect(ranked(rows, 'pnl', '90d')).toEqual([
      [1, '0xa'],
      [2, '0xb'],
    ])
  })

  test('lists who has a complete history, is proven, and had something close in the range', async () => {
    const rows = await list(
      [
        result('0xlisted'),
        result('0xpartial', { is_complete: false }),
        result('0xunproven'),
        result('0xidle', { n_closed: 0 }),
      ],
      [traits('0xlisted'), traits('0xpartial'), traits('0xunproven', 'unproven'), traits('0xidle')],
    )
    expect(rows.map(({ sort, wallet }) => [sort, wallet])).toEqual([
      ['pnl', '0xlisted'],
      ['win_rate', '0xlisted'],
    ])
    expect(rows[0]).toMatchObject({ clv_score: null, clv_kind: null, clv_se: null, archetype: 'generalist' })
  })

  test('lists by win rate who had ten markets close in the range', async () => {
    const rows = await list([result('0xa', { n_closed: 9, win_rate: 1 }), result('0xb', { n_closed: 10 })])
    expect([ranked(rows, 'pnl').length, ranked(rows, 'win_rate')]).toEqual([2, [[1, '0xb']]])
  })

  test('does not list whose volume is like wash trades', async () => {
    const washes = [
      { trader: '0xa', is_wash_like: true },
      { trader: '0xb', is_wash_like: false },
    ]
    const rows = await list([result('0xa'), result('0xb')], undefined, [], washes)
    expect(ranked(rows, 'pnl')).toEqual([[1, '0xb']])
  })

  test('shows no closing line value and lists no trader by it while its guards do not hold', async () => {
    const score = { range: 'all', kind: 'event_start', skill_points: 3, skill_se: 0.5, n_eff: 30 }
    const scores = [
      { ...score, trader: '0xa', is_trusted: false },
      { ...score, trader: '0xb', kind: 'markout_24h', is_trusted: true },
    ]
    const rows = await list([result('0xa'), result('0xb')], undefined, scores)
    expect(ranked(rows, 'clv')).toEqual([[1, '0xb']])
    const byPnl = rows.filter(({ sort }) => sort === 'pnl')
    expect(byPnl.map(({ clv_score, clv_kind }) => [clv_score, clv_kind])).toEqual([
      [null, 'event_start'],
      [3, 'markout_24h'],
    ])
  })

  test('sorts by the closing line value of the range those for whom it rests on ten clusters', async () => {
    const score = (trader: string, skill_points: number, more: Row = {}): Row => ({
      trader,
      range: 'all',
      kind: 'event_start',
      skill_points,
      skill_se: 0.5,
      raw_points: 4,
      raw_lower_points: 1,
      raw_upper_points: 7,
      mu_points: 0.5,
      n_eff: 10,
      ...more,
    })
    const rows = await list(
      ['0xa', '0xb', '0xc', '0xd', '0xe'].map((trader) => result(trader)),
      undefined,
      [
        score('0xa', -1),
        score('0xb', 2.0000004, { kind: 'markout_24h' }),
        score('0xc', 2.0000001),
        score('0xd', 9, { n_eff: 9.99 }),
        score('0xe', 9, { range: '30d' }),
      ],
    )
    // To six places the second and the third are equal.
    expect(ranked(rows, 'clv')).toEqual([
      [1, '0xb'],
      [2, '0xc'],
      [3, '0xa'],
    ])
    expect(rows[0]).toMatchObject({ sort: 'clv', clv_score: 2, clv_kind: 'markout_24h', clv_se: 0.5, clv_n_eff: 10 })
    expect(rows[0]).toMatchObject({
      clv_edge_points: 4,
      clv_lower_points: 1,
      clv_upper_points: 7,
      clv_role_points: 0.5,
    })
    const byPnl = rows.filter(({ sort }) => sort === 'pnl').map(({ wallet, clv_score }) => [wallet, clv_score])
    expect(byPnl).toEqual([
      ['0xa', -1],
      ['0xb', 2],
      ['0xc', 2],
      ['0xd', 9],
      ['0xe', null],
    ])
  })

  test('counts the best of those who act as one once, and has the others beside it', async () => {
    const rows = await list(
      [
        result('0xa', { realized_usd: 1 }),
        result('0xb', { realized_usd: 4 }),
        result('0xc', { realized_usd: 3 }),
        result('0xd', { realized_usd: 2 }),
      ],
      undefined,
      [],
      [],
      [
        { trader: '0xa', acts_with: '0xelsewhere' },
        { trader: '0xc', acts_with: '0xc' },
        { trader: '0xd', acts_with: '0xc' },
      ],
    )
    const byPnl = rows.filter(({ sort }) => sort === 'pnl')
    expect(byPnl.map(({ rank, wallet, acts_with, rank_once }) => [rank, wallet, acts_with, rank_once])).toEqual([
      [1, '0xb', null, 1],
      [2, '0xc', '0xc', 2],
      [3, '0xd', '0xc', null],
      [4, '0xa', '0xelsewhere', 3],
    ])
  })
})
