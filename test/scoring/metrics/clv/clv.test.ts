import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const shrunk = (more: Row = {}): Row => ({
  kind: 'event_start',
  range: 'all',
  trader_index: 5,
  clv_points: 1.25,
  raw_points: 2.5,
  raw_lower: -1.5,
  raw_upper: 6.5,
  se: 0.5,
  mu_points: 0.25,
  mu_se: 0.125,
  v: 4,
  tau2: 2,
  skill_points: 1,
  skill_se: 0.75,
  p_above: 0.05,
  p_below: 0.95,
  n_clusters: 12,
  n_eff: 10.5,
  ...more,
})
const fill = (close_at: string | null, left_out: string | null = null, more: Row = {}): Row => ({
  trader_index: 5,
  kind: 'event_start',
  close_at,
  left_out,
  is_resolved: false,
  ...more,
})
const clv = (given: Given) =>
  run('metrics.clv', {
    'metrics.clv_shrunk': [shrunk()],
    'core.ledger_traders': [{ trader_index: 5, trader: 'ann' }],
    ...given,
  })

test('a score is listed by the trader’s name', async () => {
  expect(await clv({})).toEqual([
    {
      trader: 'ann',
      range: 'all',
      kind: 'event_start',
      clv_points: 1.25,
      raw_points: 2.5,
      raw_lower_points: -1.5,
      raw_upper_points: 6.5,
      mu_points: 0.25,
      mu_se: 0.125,
      v: 4,
      tau2: 2,
      se: 0.5,
      skill_points: 1,
      skill_se: 0.75,
      p_above: 0.05,
      p_below: 0.95,
      n_clusters: 12,
      n_eff: 10.5,
      n_resolved: 0,
      scored_share: 0,
    },
  ])
})

describe('the share of fills scored', () => {
  const shares = async (...fills: Row[]) => {
    const ranges = ['30d', '90d', 'all'].map((range) => shrunk({ range }))
    const rows = await clv({ 'metrics.clv_shrunk': ranges, 'metrics.clv_edges': fills })
    return Object.fromEntries(cut(rows, 'range', 'scored_share') as [string, number][])
  }

  test('is of the fills whose close lies in the window: its end is in, its beginning is not', async () => {
    const [clock, month, quarter] = ['2026-11-20 12:00:00', '2026-10-21 12:00:00', '2026-08-22 12:00:00']
    const scored = [fill(clock), fill('2020-01-01')]
    const out = [fill(month, 'start'), fill(quarter, 'self'), fill('2026-11-20 12:00:01', 'no_close')]
    expect(await shares(...scored, ...out)).toEqual({ '30d': 1, '90d': 0.5, all: 0.4 })
  })

  test('is beside the number of those whose market resolved before their window was over', async () => {
    const resolved = { is_resolved: true }
    const at = '2026-11-20'
    const fills = [fill(at), fill(at, null, resolved), fill('2020-01-01', null, resolved), fill(at, 'self', resolved)]
    const ranges = ['30d', 'all'].map((range) => shrunk({ range }))
    const rows = await clv({ 'metrics.clv_shrunk': ranges, 'metrics.clv_edges': fills })
    expect(cut(rows, 'range', 'n_resolved')).toEqual([
      ['30d', 1],
      ['all', 2],
    ])
  })

  test('is of the trader and the kind', async () => {
    const at = '2026-11-20'
    const others = [fill(at, 'self', { trader_index: 6 }), fill(at, 'self', { kind: 'markout_24h' })]
    expect(await shares(fill(at), ...others)).toEqual({ '30d': 1, '90d': 1, all: 1 })
  })
})
