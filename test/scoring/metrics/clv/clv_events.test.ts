import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const fill = (market_id: string, edge_points: number | null, risk_usd: number, more: Row = {}): Row => ({
  trader: 'ann',
  kind: 'event_start',
  event_id: 'e',
  market_id,
  close_at: '2026-11-01 18:00:00',
  edge_points,
  risk_usd,
  ...more,
})
const events = async (...rows: Row[]) =>
  cut(
    await run('metrics.clv_events', { 'metrics.clv_fills': rows.map((row, seq) => ({ seq, ...row })) }),
    'trader',
    'kind',
    'event_id',
    'close_at',
    'edge_points',
    'risk_usd',
    'n_fills',
  )

test('the candidates of an event are one observation, weighted by what was at risk', async () => {
  const rows = [
    fill('red', 3, 10),
    fill('blue', -1, 30, { close_at: '2026-11-01 19:00:00' }),
    fill('red', 5, 1, { event_id: 'f' }),
  ]
  expect(await events(...rows)).toEqual([
    ['ann', 'event_start', 'e', '2026-11-01 19:00:00', 0, 40, 2],
    ['ann', 'event_start', 'f', '2026-11-01 18:00:00', 5, 1, 1],
  ])
})

test('kinds and traders are kept apart, and what was left out is out', async () => {
  const rows = [
    fill('m', 2, 10),
    fill('m', 4, 10, { kind: 'markout_24h' }),
    fill('m', 8, 10, { trader: 'bob' }),
    fill('m', null, 10, { left_out: 'in_play' }),
    fill('m', null, 10, { event_id: 'f', left_out: 'no_close' }),
  ]
  expect((await events(...rows)).map((row) => [...row.slice(0, 3), ...row.slice(4)])).toEqual([
    ['ann', 'event_start', 'e', 2, 10, 1],
    ['ann', 'markout_24h', 'e', 4, 10, 1],
    ['bob', 'event_start', 'e', 8, 10, 1],
  ])
})

test('a mean keeps its digits', async () => {
  const [row] = await events(fill('m', 1 / 3, 0.000001), fill('m', -2 / 7, 123456.654321))
  const mean = (0.000001 / 3 - (123456.654321 * 2) / 7) / (0.000001 + 123456.654321)
  expect(row?.[4]).toBeCloseTo(mean, 11)
})
