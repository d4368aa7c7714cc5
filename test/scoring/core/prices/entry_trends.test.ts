import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const ts = '2026-11-10 10:00:00'
const fill = (more: Row = {}): Row => ({
  trader: 'ann',
  trader_index: 5,
  event_id: 'e',
  ts,
  seq: 0,
  market_id: 'm',
  market_index: 1,
  outcome: 0,
  side: 'buy',
  cash_usd: 10,
  fee_usd: 1,
  is_self: false,
  ...more,
})
const tick = (at: string, price: number, market_index = 1): Row => ({ market_index, outcome: 0, ts: at, price })
const trends = async (fills: Row[], ticks: Row[] = []) =>
  cut(
    await run('core.entry_trends', {
      'core.fills': fills,
      'core.cumulative_trades': ticks,
      'core.ledger_markets': [{ market_index: 1, market_id: 'm', n_outcomes: 2 }],
    }),
    'outcome',
    'stake_usd',
    'price_before',
    'price_day_before',
  )

test('a purchase has the last price before it, and the last one of a day earlier', async () => {
  const ticks = [
    tick('2026-11-01', 0.1),
    tick('2026-11-09 10:00:00', 0.2),
    tick('2026-11-09 10:00:01', 0.3),
    tick('2026-11-10 09:59:59', 0.4),
    tick(ts, 0.5),
    tick('2026-11-10 09:59:59', 0.9, 2),
  ]
  expect(await trends([fill()], ticks)).toEqual([[0, 11, 0.4, 0.2]])
  expect(await trends([fill({ outcome: 1 })], ticks)).toEqual([[1, 11, 0.6, 0.8]])
})

test('it has none where no trader had traded by then', async () => {
  expect(await trends([fill()])).toEqual([[0, 11, null, null]])
  expect(await trends([fill()], [tick('2026-11-10 09:00:00', 0.4)])).toEqual([[0, 11, 0.4, null]])
})

test('sales and trades of a trader with itself are no purchases', async () => {
  expect(await trends([fill({ side: 'sell' }), fill({ seq: 1, is_self: true })])).toEqual([])
})
