import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const clv = (kind: string, n_eff: number, clv_points: number, more: Row = {}): Row => ({
  trader: 'ann',
  range: 'all',
  kind,
  n_eff,
  clv_points,
  se: 0.5,
  scored_share: 0.25,
  ...more,
})
const scores = async (...rows: Row[]) =>
  cut(await run('metrics.clv_scores', { 'metrics.clv': rows }), 'trader', 'range', 'kind', 'clv_points', 'n_eff')

test('starts count where they rest on ten clusters’ worth, else markouts', async () => {
  expect(await scores(clv('event_start', 10, 1), clv('markout_24h', 99, 2))).toEqual([
    ['ann', 'all', 'event_start', 1, 10],
  ])
  expect(await scores(clv('event_start', 9.99, 1), clv('markout_24h', 3, 2))).toEqual([
    ['ann', 'all', 'markout_24h', 2, 3],
  ])
  expect(await scores(clv('markout_24h', 3, 2))).toEqual([['ann', 'all', 'markout_24h', 2, 3]])
})

test('too few starts and no markout are no score', async () => {
  expect(await scores(clv('event_start', 9, 1))).toEqual([])
})

test('a kind with a guard that does not hold is not trusted; an unknown guard is no such guard', async () => {
  const rows = [clv('event_start', 12, 1), clv('markout_24h', 12, 1, { trader: 'bob' })]
  const trusted = async (...guards: Row[]) =>
    cut(await run('metrics.clv_scores', { 'metrics.clv': rows, 'metrics.clv_guards': guards }), 'trader', 'is_trusted')
  const guard = (kind: string, subset: string, is_held: boolean | null): Row => ({ kind, subset, is_held })
  expect(await trusted()).toEqual([
    ['ann', true],
    ['bob', true],
  ])
  expect(
    await trusted(
      guard('event_start', 'all', true),
      guard('event_start', 'positive', false),
      guard('markout_24h', 'all', null),
    ),
  ).toEqual([
    ['ann', false],
    ['bob', true],
  ])
})

test('each window and trader is judged for itself', async () => {
  const rows = [
    clv('event_start', 12, 1),
    clv('event_start', 4, 3, { range: '30d' }),
    clv('markout_24h', 5, 4, { range: '30d' }),
    clv('markout_24h', 5, 6, { trader: 'bob' }),
  ]
  expect((await scores(...rows)).map(([trader, range, kind]) => [trader, range, kind])).toEqual([
    ['ann', '30d', 'markout_24h'],
    ['ann', 'all', 'event_start'],
    ['bob', 'all', 'markout_24h'],
  ])
})
