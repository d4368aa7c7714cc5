import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

const balances = async (given: Given, ...columns: string[]) =>
  cut(
    await run('metrics.trader_balances', {
      'core.history_completeness': [{ trader: 'ann' }],
      'core.markets': [
        { market_id: 'm', n_outcomes: 2 },
        { market_id: 'three', n_outcomes: 3 },
        { market_id: 'over', n_outcomes: 2, resolved_at: '2026-11-01' },
      ],
      'metrics.market_odds': [
        { market_id: 'm', yes_price: 0.7, yes_method: 'mid' },
        { market_id: 'three', yes_price: 0.2, yes_method: 'last_trade' },
        { market_id: 'over', yes_price: 1, yes_method: 'payout' },
      ],
      ...given,
    }),
    ...columns,
  )
const position = (market_id: string, outcome: number, size: number, cost_usd: number) => ({
  trader: 'ann',
  market_id,
  outcome,
  size,
  cost_usd,
})

test('open shares are worth the market’s price above their cost; those without a price their cost', async () => {
  const positions = [
    position('m', 0, 10, 5),
    position('m', 1, 10, 5),
    position('three', 0, 10, 5),
    position('three', 2, 10, 4),
    position('over', 0, 10, 10),
  ]
  // 2 - 2 - 3; the third outcome of three has no price.
  const columns = ['open_cost_usd', 'unrealized_usd', 'n_unpriced']
  expect(await balances({ 'core.positions': positions }, ...columns)).toEqual([[19, -3, 1]])
  const none = [{ market_id: 'm', yes_price: 0.5, yes_method: 'none' }]
  const given = { 'core.positions': positions.slice(0, 1), 'metrics.market_odds': none }
  expect(await balances(given, ...columns)).toEqual([[5, 0, 1]])
})

test('rewards and rebates are income, other moves are not', async () => {
  const move = (kind: string, cash_usd: number, seq: number) => ({ trader: 'ann', kind, cash_usd, seq })
  const activity = [move('reward', 1.5, 0), move('rebate', 0.25, 1), move('redeem', 9, 2), move('deposit', 9, 3)]
  expect(await balances({ 'staging.activity': activity }, 'income_usd')).toEqual([[1.75]])
})

test('parlays stand apart; a trader of none has none', async () => {
  const columns = ['combo_usd', 'n_combo_fills']
  expect(await balances({ 'core.combos': [{ trader: 'ann', n_fills: 2, combo_usd: -3 }] }, ...columns)).toEqual([
    [-3, 2],
  ])
  expect(await balances({}, ...columns)).toEqual([[0, 0]])
})
