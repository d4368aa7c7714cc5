import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

const ts = '2026-03-01 10:00:00'
type Fill = Given[string][number]

const fill = (more: Fill = {}): Fill => ({
  venue: 'polymarket',
  token_id: 'yes',
  ts,
  tx: '0x1',
  trader: 'ann',
  side: 'buy',
  price: 0.3,
  size: 100,
  market_id: 'm',
  ...more,
})
const described: Given = {
  'core.outcomes': [
    { market_id: 'm', outcome: 0, token_id: 'yes' },
    { market_id: 'm', outcome: 1, token_id: 'no' },
    { market_id: 'free', outcome: 0, token_id: 'yes' },
  ],
  'core.ledger_markets': [
    { market_index: 1, market_id: 'free', event_id: 'e' },
    { market_index: 2, market_id: 'm', event_id: 'e' },
  ],
  'core.ledger_traders': [
    { trader_index: 3, trader: 'ann' },
    { trader_index: 4, trader: 'bob' },
  ],
  'staging.fee_rates': [
    { market_id: 'm', from_at: '1970-01-01', taker_fee_rate: 0.02 },
    { market_id: 'm', from_at: '2026-03-05', taker_fee_rate: 0.05 },
    { market_id: 'm', from_at: '2026-03-06', taker_fee_rate: null },
    { market_id: 'free', from_at: '1970-01-01', taker_fee_rate: 0 },
  ],
}
const scored = (fills: readonly Fill[], tape: readonly Fill[] = []) =>
  run('core.fills', { ...described, 'staging.fills': fills, 'staging.tape': tape })

describe('the cash of a fill', () => {
  test('is what the venue moved, else price times size to the millionth', async () => {
    const rows = await scored([
      fill({ cash_usd: 29.123456 }),
      fill({ ts: '2026-03-02', price: 0.333333, size: 3.333333 }),
      fill({ ts: '2026-03-03', price: 0.999999, size: '123456789.000001' }),
    ])
    // 3.333333 x 0.333333 = 1.111109888889; 123456789.000001 x 0.999999 = 123456665.543211999999
    expect(cut(rows, 'cash_usd')).toEqual([[29.123456], [1.11111], [123456665.543212]])
  })
})

describe('the fee of a fill', () => {
  const fees = async (fills: readonly Fill[], tape: readonly Fill[] = []) =>
    cut(await scored(fills, tape), 'fee_usd', 'is_fee_estimated')

  test('is what the venue says, else what a taker pays by the rate of the market', async () => {
    expect(await fees([fill({ fee_usd: 0.07, role: 'taker' })])).toEqual([[0.07, false]])
    expect(await fees([fill({ fee_usd: 0, role: 'taker' })])).toEqual([[0, false]])
    // 100 x 0.02 x 0.3 x 0.7
    expect(await fees([fill({ role: 'taker' })])).toEqual([[0.42, true]])
    expect(await fees([fill({ role: 'maker' })])).toEqual([[0, false]])
    expect(await fees([fill({ role: 'taker', market_id: 'free' })])).toEqual([[0, false]])
  })

  test('is estimated by the rate of its instant, and not without a known rate', async () => {
    const at = (ts: string) => fees([fill({ role: 'taker', ts })])
    expect(await at('2026-03-04 23:59:59')).toEqual([[0.42, true]])
    expect(await at('2026-03-05')).toEqual([[1.05, true]])
    expect(await at('2026-03-06')).toEqual([[0, false]])
  })

  test('is estimated down to a whole 0.00001, exactly', async () => {
    const of = (more: Fill) => fees([fill({ role: 'taker', ...more })])
    // 3.333333 x 0.02 x 0.333333 x 0.666667 = 0.014814805...
    expect(await of({ size: 3.333333, price: 0.333333 })).toEqual([[0.01481, true]])
    // 0.002 x 0.02 x 0.5 x 0.5 is exactly the least fee; a smaller one is none.
    expect(await of({ size: 0.002, price: 0.5 })).toEqual([[0.00001, true]])
    expect(await of({ size: 0.001999, price: 0.5 })).toEqual([[0, true]])
    // 900000000000 x 0.02 x 0.25
    expect(await of({ size: '900000000000', price: 0.5 })).toEqual([[4_500_000_000, true]])
  })

  test('has the exponent of the schedule, by the instant of the fill', async () => {
    const schedule = [
      { market_id: 'm', from_at: '1970-01-01', taker_fee_rate: 0.25, fee_exponent: 2 },
      { market_id: 'm', from_at: '2026-03-02', taker_fee_rate: 0.07, fee_exponent: 1 },
      { market_id: 'm', from_at: '2026-03-03', taker_fee_rate: 0.04, fee_exponent: 0.5 },
      { market_id: 'm', from_at: '2026-03-04', taker_fee_rate: 0.04, fee_exponent: 1.5 },
    ]
    const at = async (ts: string, size: number, price: number) => {
      const given = { ...described, 'staging.fee_rates': schedule }
      const rows = await run('core.fills', { ...given, 'staging.fills': [fill({ role: 'taker', ts, size, price })] })
      return cut(rows, 'fee_usd', 'is_fee_estimated')[0]
    }
    // 100 x 0.25 x (0.5 x 0.5)^2
    expect(await at('2026-03-01', 100, 0.5)).toEqual([1.5625, true])
    // A charge that was seen on the chain: 25 x 0.07 x 0.64 x 0.36.
    expect(await at('2026-03-02', 25, 0.64)).toEqual([0.4032, true])
    // 100 x 0.04 x (0.2 x 0.8)^0.5
    expect(await at('2026-03-03', 100, 0.2)).toEqual([1.6, true])
    // 100 x 0.04 x (0.3 x 0.7)^0.5 = 1.8330302...
    expect(await at('2026-03-03', 100, 0.3)).toEqual([1.83303, true])
    expect(await at('2026-03-04', 100, 0.3)).toEqual([0, false])
  })

  test('is not estimated for an unknown role', async () => {
    expect(await fees([fill()])).toEqual([[0, false]])
    expect(await fees([fill({ market_id: 'free' })])).toEqual([[0, false]])
  })

  test('goes by the role on the tape where the account does not say it', async () => {
    expect(await fees([fill()], [fill({ role: 'taker' })])).toEqual([[0.42, true]])
    expect(await fees([fill()], [fill({ role: 'maker' })])).toEqual([[0, false]])
  })
})

describe('the role of a fill', () => {
  test('is that of the same fill on the tape, and of no other', async () => {
    const roles = async (tape: Fill) => cut(await scored([fill({ seq: 1 })], [{ ...tape, role: 'maker' }]), 'role')
    expect(await roles(fill({ seq: 1 }))).toEqual([['maker']])
    for (const other of [
      { seq: 0 },
      { seq: 1, side: 'sell' },
      { seq: 1, trader: 'bob' },
      { seq: 1, tx: '0x2' },
      { seq: 1, price: 0.300001 },
      { seq: 1, size: 99 },
      { seq: 1, ts: '2026-03-01 10:00:01' },
      { seq: 1, token_id: 'no' },
    ]) {
      expect(await roles(fill(other))).toEqual([[null]])
    }
  })
})

describe('the order within an instant', () => {
  test('is buys first, then by transaction, market and outcome, counted for each trader', async () => {
    const rows = await scored([
      fill({ side: 'sell', tx: '0x0' }),
      fill({ tx: '0x2', token_id: 'no' }),
      fill({ tx: '0x2' }),
      fill({ tx: '0x1', market_id: 'm', size: 7 }),
      fill({ tx: '0x1', market_id: 'free' }),
      fill({ tx: '0x1', size: 5 }),
      fill({ trader: 'bob', side: 'sell' }),
      fill({ ts: '2026-03-01 10:00:01', side: 'sell' }),
    ])
    expect(cut(rows, 'trader', 'ts', 'seq', 'side', 'tx', 'market_id', 'outcome', 'size')).toEqual([
      ['ann', ts, 0, 'buy', '0x1', 'free', 0, 100],
      ['ann', ts, 1, 'buy', '0x1', 'm', 0, 5],
      ['ann', ts, 2, 'buy', '0x1', 'm', 0, 7],
      ['ann', ts, 3, 'buy', '0x2', 'm', 0, 100],
      ['ann', ts, 4, 'buy', '0x2', 'm', 1, 100],
      ['ann', ts, 5, 'sell', '0x0', 'm', 0, 100],
      ['ann', '2026-03-01 10:00:01', 0, 'sell', '0x1', 'm', 0, 100],
      ['bob', ts, 0, 'sell', '0x1', 'm', 0, 100],
    ])
  })
})

describe('a fill', () => {
  test('is marked as with oneself where a trader was maker and taker of a transaction in a market', async () => {
    const rows = await scored([
      fill({ role: 'taker' }),
      fill({ role: 'maker', side: 'sell' }),
      fill({ role: 'maker', trader: 'bob' }),
      fill({ role: 'taker', tx: '0x2' }),
      fill({ role: 'maker', tx: '0x3' }),
      fill({ role: 'maker', tx: '0x1', market_id: 'free' }),
    ])
    expect(cut(rows, 'trader', 'tx', 'market_id', 'is_self').filter(([, , , isSelf]) => isSelf === true)).toEqual([
      ['ann', '0x1', 'm', true],
      ['ann', '0x1', 'm', true],
    ])
  })

  test('has the numbers of its trader and its market', async () => {
    const rows = await scored([fill(), fill({ market_id: 'free' }), fill({ trader: 'bob' })])
    expect(cut(rows, 'trader', 'market_id', 'trader_index', 'market_index')).toEqual([
      ['ann', 'free', 3, 1],
      ['ann', 'm', 3, 2],
      ['bob', 'm', 4, 2],
    ])
  })

  test('in a market or of a token without a description is left out', async () => {
    expect(await scored([fill({ market_id: 'unknown' }), fill({ token_id: 'unknown' })])).toEqual([])
  })
})
