import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const ts = '2026-10-30 10:00:00'
const fill = (seq: number, more: Row = {}): Row => ({
  trader: 'ann',
  trader_index: 5,
  event_id: 'e',
  ts,
  seq,
  tx: `tx${seq}`,
  market_id: 'm',
  market_index: 1,
  outcome: 1,
  side: 'sell',
  role: 'maker',
  price: 0.5,
  size: 100,
  ...more,
})
const edge = (seq: number, more: Row = {}): Row => ({
  trader_index: 5,
  kind: 'event_start',
  ts,
  seq,
  category: 'sports',
  close_price: 0.6,
  edge_points: -10,
  risk_usd: 50,
  is_resolved: false,
  ...more,
})

test('a fill has its names and its cash beside each of its edges', async () => {
  const [row, ...others] = await run('metrics.clv_fills', { 'core.fills': [fill(0)], 'metrics.clv_edges': [edge(0)] })
  expect(others).toEqual([])
  expect(row).toEqual({
    trader: 'ann',
    kind: 'event_start',
    event_id: 'e',
    ts,
    seq: 0,
    market_id: 'm',
    outcome: 1,
    category: 'sports',
    tx: 'tx0',
    side: 'sell',
    role: 'maker',
    price: 0.5,
    size: 100,
    close_at: null,
    close_price: 0.6,
    edge_points: -10,
    risk_usd: 50,
    is_resolved: false,
    left_out: null,
  })
})

test('an edge is that of the trader, the instant and the number of the fill', async () => {
  const rows = await run('metrics.clv_fills', {
    'core.fills': [fill(0), fill(1), fill(2), fill(0, { trader: 'bob', trader_index: 6, tx: 'other' })],
    'metrics.clv_edges': [
      edge(0),
      edge(0, { kind: 'markout_24h', edge_points: 1 }),
      edge(1, { edge_points: 2 }),
      edge(2, { ts: '2026-10-30 10:00:01' }),
      edge(0, { trader_index: 6, edge_points: 3 }),
    ],
  })
  expect(cut(rows, 'tx', 'kind', 'edge_points')).toEqual([
    ['tx0', 'event_start', -10],
    ['tx1', 'event_start', 2],
    ['tx0', 'markout_24h', 1],
    ['other', 'event_start', 3],
  ])
})
