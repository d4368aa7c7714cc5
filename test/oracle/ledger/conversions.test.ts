import { describe, expect, it } from 'vitest'

import { buy, convert, ledgerOf } from './examples.ts'
import { oracleLedger } from './ledger.ts'

describe('conversions', () => {
  const no = (market_id: string, size: bigint, cash: bigint) => buy(1, 1, size, cash, { market_id })

  it('moves the cost of NO, less the cash handed back, to YES of the other questions', () => {
    // Questions 0 and 1 of three: 10 NO each for 8 and 9, of 20 that cost 16 and of 10 that cost 9.
    // 17 - (2 - 1) * 10 = 7 is what 10 YES of question 2 cost.
    const { rows, position } = ledgerOf(no('qc', 20n, 16n), no('qb', 10n, 9n), convert(2, 10n, 0b011n))
    expect(rows).toEqual(['conversion qc/1 10: 8 - 8 = 0', 'conversion qb/1 10: 9 - 9 = 0'])
    expect(position('qc', 1)).toMatchObject({ size: 10n, cost: 8n, sold: 8n, realized: 0n })
    expect(position('qb', 1)).toMatchObject({ size: 0n, cost: 0n, sold: 9n })
    expect(position('qa', 0)).toMatchObject({ size: 10n, cost: 7n, bought: 7n, first_at: 2, is_complete: true })
  })

  it('gives the odd millionth of the cost to the first of the other questions, by index and not by id', () => {
    // Question 1 alone: no cash. 9 is 5 for question 0 ('qc') and 4 for question 2 ('qa').
    const { position } = ledgerOf(no('qb', 10n, 9n), convert(2, 10n, 0b010n))
    expect(position('qc', 0)).toMatchObject({ size: 10n, cost: 5n })
    expect(position('qa', 0)).toMatchObject({ size: 10n, cost: 4n })
  })

  it('rounds a cost below zero down', () => {
    // Questions 0 and 1 of four, 5 each for 1 and 1: 2 - 5 = -3 over two is -2 each, and one millionth more for the
    // first.
    const markets = [0, 1, 2, 3].map((index) => ({
      market_id: `q${index}`,
      n_outcomes: 2,
      neg_risk_id: 'g',
      neg_risk_index: index,
    }))
    const events = [no('q0', 5n, 1n), no('q1', 5n, 1n), convert(2, 5n, 0b0011n)]
    const { positions } = oracleLedger(events, { markets })
    const costs = positions.filter(({ outcome }) => outcome === 0).map(({ market_id, cost }) => [market_id, cost])
    expect(costs).toEqual([
      ['q2', -1n],
      ['q3', -2n],
    ])
  })

  it('counts NO shares that are missing as untracked, and makes the YES shares all the same', () => {
    // 4 of 10 are held, for 3; 3 is 2 and 1.
    const { rows, position } = ledgerOf(no('qc', 4n, 3n), convert(2, 10n, 0b001n))
    expect(rows).toEqual(['conversion qc/1 4: 3 - 3 = 0'])
    expect(position('qc', 1)).toMatchObject({ size: 0n, size_untracked: 6n, untracked: 0n, is_complete: false })
    expect(position('qb', 0)).toMatchObject({ size: 10n, cost: 2n, is_complete: true })
    expect(position('qa', 0)).toMatchObject({ size: 10n, cost: 1n, is_complete: true })
  })

  it('realizes the cash when all questions are converted', () => {
    // (3 - 1) * 10 = 20 for three: 7, 7 and 6. 'qa' has no NO: its 6 are untracked. 'qb' has 5 of 10 and takes its 7.
    const { rows, position } = ledgerOf(no('qc', 10n, 6n), no('qb', 5n, 4n), convert(2, 10n, 0b111n))
    expect(rows).toEqual(['conversion qc/1 10: 7 - 6 = 1', 'conversion qb/1 5: 7 - 4 = 3'])
    expect(position('qb', 1)).toMatchObject({ sold: 7n, realized: 3n, size_untracked: 5n, is_complete: false })
    expect(position('qa', 1)).toMatchObject({ sold: 0n, untracked: 6n, size_untracked: 10n, is_complete: false })
    expect(position('qa', 0)).toBeUndefined()
  })

  it('moves nothing when the questions are not known, and marks what the trader has in the group by the end', () => {
    const { rows, position, positions } = ledgerOf(
      no('qc', 10n, 6n),
      convert(2, 10n, null),
      buy(3, 0, 1n, 1n, { market_id: 'qa' }),
      buy(3, 0, 1n, 1n),
      buy(3, 0, 1n, 1n, { market_id: 'qa', trader: 'bob' }),
    )
    expect(rows).toEqual([])
    expect(position('qc', 1)).toMatchObject({ size: 10n, cost: 6n, last_at: 1 })
    expect(positions.map((each) => [each.trader, each.market_id, each.is_complete])).toEqual([
      ['ann', 'm', true],
      ['ann', 'qa', false],
      ['ann', 'qc', false],
      ['bob', 'qa', true],
    ])
  })

  it('leaves an empty, incomplete position of a conversion that nothing else reports', () => {
    const { positions, position } = ledgerOf(convert(2, 10n, null), convert(7, 5n, null))
    expect(positions).toHaveLength(1)
    expect(position('qc', 1)).toMatchObject({
      size: 0n,
      size_untracked: 0n,
      first_at: 2,
      last_at: 7,
      is_complete: false,
    })
  })
})
