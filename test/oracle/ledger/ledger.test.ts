import { describe, expect, it } from 'vitest'

import { buy, context, convert, ledgerOf, merge, redeem, resolve, sell, split } from './examples.ts'
import { oracleLedger } from './ledger.ts'

const firstWins = [1_000_000n, 0n]

// The oracle itself. Its comparison with scoring is test/scoring/core/ledger/ledger.property.test.ts.
describe('the order of events', () => {
  it('within an instant has buys and splits, conversions and merges, sales, resolutions, redemptions', () => {
    // 4 for 1 and a split of 4 for 2 and 2: 8 for 3, and 4 for 2. The merge of 2 takes 3*2/8 = 0.75 and 2*2/4 = 1.
    // The sale takes 3 of the 6 that are left for 2. The resolution finds 3 for 1 and 2 for 1, the redemption 3 for 3.
    const { rows } = ledgerOf(
      redeem(1, 3n, { tx: '0x1' }),
      resolve(1, firstWins, { tx: '0x2' }),
      sell(1, 0, 3n, 2n, { tx: '0x3' }),
      merge(1, 2n, { tx: '0x4' }),
      split(1, 4n, { tx: '0x5' }),
      buy(1, 0, 4n, 1n, { tx: '0x6' }),
    )
    expect(rows).toEqual([
      'merge m/0 2: 1 - 1 = 0',
      'merge m/1 2: 1 - 1 = 0',
      'sale m/0 3: 2 - 1 = 1',
      'resolution m/0 3: 3 - 1 = 2',
      'resolution m/1 2: 0 - 1 = -1',
      'redemption m/0 3: 3 - 3 = 0',
      'redemption m/1 2: 0 - 0 = 0',
    ])
  })

  it('within an instant sells the YES shares of a conversion, of the NO shares of a buy', () => {
    // 4 NO of question 0 for 2 are 4 YES of question 1 for 1 and of question 2 for 1.
    const { rows } = ledgerOf(
      sell(1, 0, 4n, 3n, { tx: '0x1', market_id: 'qb' }),
      convert(1, 4n, 0b001n, { tx: '0x2' }),
      buy(1, 1, 4n, 2n, { tx: '0x3', market_id: 'qc' }),
    )
    expect(rows).toEqual(['conversion qc/1 4: 2 - 2 = 0', 'sale qb/0 4: 3 - 1 = 2'])
  })

  it('goes by time before phase, and within a phase by transaction, market, outcome, size, cash and seq', () => {
    const sale = (ts: number, tx: string, size: bigint, cash: bigint, seq: number) =>
      sell(ts, 0, size, cash, { tx, seq })
    const { realizations } = ledgerOf(
      buy(1, 0, 100n, 100n),
      buy(1, 0, 1n, 1n, { market_id: 'three' }),
      buy(1, 1, 1n, 1n, { market_id: 'three' }),
      // Code units, not letters: 'B' is before 'a', and '0x10' before '0x9'.
      sale(2, 'a', 1n, 1n, 1),
      sale(2, 'B', 1n, 1n, 2),
      sale(2, '0x9', 1n, 1n, 3),
      sale(2, '0x10', 1n, 1n, 4),
      sale(3, 'a', 10n, 1n, 5),
      sale(3, 'a', 9n, 2n, 6),
      sale(3, 'a', 9n, 1n, 7),
      sale(3, 'a', 9n, 1n, 0),
      sell(4, 1, 1n, 1n, { seq: 8, market_id: 'three' }),
      sell(4, 0, 1n, 1n, { seq: 9, market_id: 'three' }),
      sell(4, 0, 1n, 1n, { seq: 10 }),
    )
    expect(
      realizations.map(({ ts, market_id, outcome, tx, seq }) => `${ts} ${tx} ${market_id}/${outcome} ${seq}`),
    ).toEqual([
      '2 0x10 m/0 4',
      '2 0x9 m/0 3',
      '2 B m/0 2',
      '2 a m/0 1',
      '3 a m/0 0',
      '3 a m/0 7',
      '3 a m/0 6',
      '3 a m/0 5',
      '4 0x1 m/0 10',
      '4 0x1 three/0 9',
      '4 0x1 three/1 8',
    ])
  })

  it('takes the same row twice as two events', () => {
    const twice = buy(1, 0, 10n, 4n)
    expect(ledgerOf(twice, twice).position('m', 0)).toMatchObject({ size: 20n, cost: 8n })
  })
})

describe('what the rules do not decide', () => {
  it.each([
    ['two rows that differ and tie', [buy(1, 0, 1n, 1n), buy(1, 0, 1n, 1n, { fee: 1n })], 'need different seq'],
    ['no size', [buy(1, 0, 0n, 1n)], 'must be above 0'],
    ['a split of three outcomes', [split(1, 1n, { market_id: 'three' })], 'market of 2 outcomes'],
    ['a payout too few', [resolve(1, [1_000_000n])], 'pay each outcome'],
    ['a group that is not given', [convert(1, 1n, 1n, { neg_risk_id: 'other' })], 'group of a given market'],
    ['a question that is not given', [convert(1, 1n, 0b1001n)], 'none else'],
    ['no question', [convert(1, 1n, 0n)], 'some of the group'],
  ])('is refused: %s', (_, events, message) => {
    expect(() => oracleLedger(events, context)).toThrow(message)
  })
})
