import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const buy = (second: number, outcome: number, size: number, price: number, more: Row = {}): Row => ({
  trader: 'ann',
  event_id: 'e',
  ts: `2026-11-10 10:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`,
  market_id: 'm',
  outcome,
  side: 'buy',
  size,
  cash_usd: size * price,
  ...more,
})
/** The markets are one group, if they are of any. */
const sets = async (fills: Row[], markets: Row[] = [{ market_id: 'm', n_outcomes: 2 }]) =>
  cut(
    await run('core.complete_sets', {
      'core.fills': fills.map((row, seq) => ({ seq, ...row })),
      'core.ledger_markets': markets.map((row) => ({ group_index: 0, ...row })),
    }),
    'cluster_id',
    'ts',
    'n_outcomes',
    'size',
    'cost_usd',
  )

describe('a complete set', () => {
  test('is both outcomes bought for less than a dollar, no more than a minute apart', async () => {
    expect(await sets([buy(0, 0, 10, 0.4), buy(60, 1, 8, 0.5)])).toEqual([['m', '2026-11-10 10:00:00', 2, 8, 7.2]])
    expect(await sets([buy(0, 0, 10, 0.4), buy(61, 1, 8, 0.5)])).toEqual([])
    expect(await sets([buy(0, 0, 10, 0.4), buy(60, 1, 8, 0.6)])).toEqual([])
    expect(await sets([buy(0, 0, 10, 0.4), buy(60, 1, 8, 0.5, { trader: 'bob' })])).toEqual([])
    expect(await sets([buy(0, 0, 10, 0.4), buy(60, 1, 8, 0.5, { side: 'sell' })])).toEqual([])
  })

  test('has shares of every outcome', async () => {
    expect(await sets([buy(0, 0, 10, 0.4), buy(60, 1, 0, 0.5)])).toEqual([])
  })

  test('is none where a piece of a share cost a dollar, as an upstream may say', async () => {
    const dear = buy(0, 0, 0.000001, 0, { cash_usd: 2 })
    expect(await sets([dear, buy(60, 1, 8, 0.5)])).toEqual([])
  })

  test('may be bought in pieces, and again later', async () => {
    const pieces = [buy(0, 0, 5, 0.4), buy(40, 0, 5, 0.5), buy(80, 1, 8, 0.5)]
    const again = [buy(300, 0, 3, 0.4), buy(300, 1, 3, 0.4)]
    expect(await sets([...pieces, ...again])).toEqual([
      ['m', '2026-11-10 10:00:00', 2, 8, 7.6],
      ['m', '2026-11-10 10:05:00', 2, 3, 2.4],
    ])
  })

  test('of a group is YES of every candidate', async () => {
    const group = ['a', 'b', 'c'].map((market_id) => ({ market_id, n_outcomes: 2, neg_risk_id: 'g' }))
    const yes = (market_id: string, second = 0) => buy(second, 0, 10, 0.3, { market_id })
    expect(await sets([yes('a'), yes('b', 20), yes('c', 70)], group)).toEqual([['g', '2026-11-10 10:00:00', 3, 10, 9]])
    expect(await sets([yes('a'), yes('b', 20)], group)).toEqual([])
    expect(await sets([yes('a'), yes('b', 20), { ...yes('c', 30), outcome: 1 }], group)).toEqual([])
  })
})
