import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const fill = (category: string, edge_points: number | null, risk_usd: number, more: Row = {}): Row => ({
  trader_index: 0,
  kind: 'event_start',
  category,
  close_at: '2026-11-01 18:00:00',
  side: 'buy',
  role: 'taker',
  price: 0.5,
  edge_points,
  risk_usd,
  is_resolved: false,
  ...more,
})
const rowsOf = (...rows: Row[]) =>
  run('metrics.clv_clusters', {
    'core.ledger_traders': ['ann', 'bob'].map((trader, trader_index) => ({ trader_index, trader })),
    'metrics.clv_edges': rows.map((row, seq) => ({ seq, ...row })),
  })
const clusters = async (...rows: Row[]) =>
  cut(
    (await rowsOf(...rows)).filter(({ range }) => range === 'all'),
    'trader',
    'kind',
    'category',
    'day',
    'edge_points',
    'risk_usd',
    'n_fills',
  )

test('the closes of a category in one UTC day are one observation, weighted by what was at risk', async () => {
  const rows = [
    fill('sports', 3, 10, { close_at: '2026-11-01 00:00:00' }),
    fill('sports', -1, 30, { close_at: '2026-11-01 23:59:59' }),
    fill('sports', 5, 1, { close_at: '2026-11-02 00:00:00' }),
    fill('crypto', 7, 1),
  ]
  expect(await clusters(...rows)).toEqual([
    ['ann', 'event_start', 'crypto', '2026-11-01', 7, 1, 1],
    ['ann', 'event_start', 'sports', '2026-11-01', 0, 40, 2],
    ['ann', 'event_start', 'sports', '2026-11-02', 5, 1, 1],
  ])
})

test('kinds and traders are kept apart, and what was left out is out', async () => {
  const rows = [
    fill('', 2, 10),
    fill('', 4, 10, { kind: 'markout_24h' }),
    fill('', 8, 10, { trader_index: 1 }),
    fill('', null, 10, { left_out: 'in_play' }),
    fill('', null, 10, { close_at: '2026-11-03', left_out: 'no_close' }),
  ]
  expect((await clusters(...rows)).map(([trader, kind, , , edge]) => [trader, kind, edge])).toEqual([
    ['ann', 'event_start', 2],
    ['ann', 'markout_24h', 4],
    ['bob', 'event_start', 8],
  ])
})

test('a window has the fills whose close lies in it, its first instant excluded', async () => {
  const at = (close_at: string, edge: number) => fill('', edge, 1, { close_at })
  const rows = await rowsOf(
    at('2026-10-21 12:00:00', 1),
    at('2026-10-21 12:00:01', 2),
    at('2026-08-22 12:00:00', 3),
    at('2026-08-22 12:00:01', 4),
  )
  const found = cut(rows, 'range', 'day', 'edge_points', 'n_fills')
  expect(found.filter(([range]) => range === '30d')).toEqual([['30d', '2026-10-21', 2, 1]])
  expect(found.filter(([range]) => range === '90d')).toEqual([
    ['90d', '2026-08-22', 4, 1],
    ['90d', '2026-10-21', 1.5, 2],
  ])
  expect(found.filter(([range]) => range === 'all')).toEqual([
    ['all', '2026-08-22', 3.5, 2],
    ['all', '2026-10-21', 1.5, 2],
  ])
})

test('a row has the made share, the variance of the price and the resolved markets', async () => {
  const rows = await rowsOf(
    fill('', 2, 30, { role: 'maker', price: 0.5 }),
    fill('', 2, 10, { role: null, price: 0.1, is_resolved: true }),
  )
  const [row] = rows.filter(({ range }) => range === 'all')
  expect(row).toMatchObject({ risk_usd: 40, maker_usd: 30, n_fills: 2, n_resolved: 1 })
  expect(row?.['price_variance']).toBeCloseTo((0.25 * 30 + 0.09 * 10) / 40, 12)
})

test('a mean keeps its digits', async () => {
  const [row] = await clusters(fill('', 1 / 3, 0.000001), fill('', -2 / 7, 123456.654321))
  const mean = (0.000001 / 3 - (123456.654321 * 2) / 7) / (0.000001 + 123456.654321)
  expect(row?.[4]).toBeCloseTo(mean, 11)
})
