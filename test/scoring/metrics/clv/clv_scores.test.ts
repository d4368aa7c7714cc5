import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const traders = ['ann', 'bob'].map((trader, trader_index) => ({ trader, trader_index }))
/** A score whose distance from its role is that of its raw value, in standard errors. */
const clv = (kind: string, n_eff: number, raw_points: number, more: Row = {}): Row => ({
  trader: 'ann',
  range: 'all',
  kind,
  n_eff,
  raw_points,
  mu_points: 0,
  v: 1,
  clv_points: raw_points / 2,
  se: 0.5,
  skill_points: raw_points / 4,
  skill_se: 0.25,
  scored_share: 0.25,
  ...more,
})
const scores = async (rows: Row[], given: Given = {}) =>
  run('metrics.clv_scores', { 'metrics.clv': rows, 'core.ledger_traders': traders, ...given })
const kinds = async (...rows: Row[]) => cut(await scores(rows), 'trader', 'range', 'kind')

test('the kind is that of ten clusters in which the trader is farthest from the role, on either side', async () => {
  expect(await kinds(clv('event_start', 10, 1), clv('markout_24h', 99, 2))).toEqual([['ann', 'all', 'markout_24h']])
  expect(await kinds(clv('event_start', 10, -3), clv('markout_24h', 99, 2))).toEqual([['ann', 'all', 'event_start']])
  // By standard errors, and from the mean of the role.
  expect(await kinds(clv('event_start', 10, 3, { v: 4 }), clv('markout_24h', 10, 2))).toEqual([
    ['ann', 'all', 'markout_24h'],
  ])
  expect(await kinds(clv('event_start', 10, 3, { mu_points: 2 }), clv('markout_24h', 10, 2))).toEqual([
    ['ann', 'all', 'markout_24h'],
  ])
  expect(await kinds(clv('event_start', 9.99, 9), clv('markout_24h', 10, 2))).toEqual([['ann', 'all', 'markout_24h']])
  expect(await kinds(clv('event_start', 9, 9), clv('markout_24h', 3, 2))).toEqual([['ann', 'all', 'event_start']])
  expect(await kinds(clv('event_start', 12, 2), clv('markout_24h', 99, 2))).toEqual([['ann', 'all', 'event_start']])
})

test('a kind whose guard does not hold comes last, and is not trusted; an unknown guard is no such guard', async () => {
  const rows = [clv('event_start', 12, 5), clv('markout_24h', 12, 1), clv('event_start', 12, 1, { trader: 'bob' })]
  const trusted = async (...guards: Row[]) =>
    cut(await scores(rows, { 'metrics.clv_guards': guards }), 'trader', 'kind', 'is_trusted')
  expect(await trusted()).toEqual([
    ['ann', 'event_start', true],
    ['bob', 'event_start', true],
  ])
  expect(await trusted({ kind: 'event_start', is_held: false }, { kind: 'markout_24h', is_held: null })).toEqual([
    ['ann', 'markout_24h', true],
    ['bob', 'event_start', false],
  ])
})

test('each window and trader has its own figures, and the rates of the window', async () => {
  const rows = [clv('event_start', 12, 1), clv('markout_24h', 5, 4, { range: '30d' })]
  const rates = [
    { range: 'all', trader_index: 0, q: 0.25, q_below: null, q_wide: 0.125 },
    { range: 'all', trader_index: 1, q: 0.5 },
  ]
  expect(await scores(rows, { 'metrics.clv_rates': rates })).toMatchObject([
    { range: '30d', kind: 'markout_24h', q: null, q_wide: null },
    {
      trader: 'ann',
      range: 'all',
      kind: 'event_start',
      clv_points: 0.5,
      skill_points: 0.25,
      skill_se: 0.25,
      raw_points: 1,
      mu_points: 0,
      q: 0.25,
      q_below: null,
      q_wide: 0.125,
      is_trusted: true,
    },
  ])
})
