import { describe, expect, it } from 'vitest'

import { buy, ledgerOf, merge, sell, split } from './examples.ts'

describe('buys and sales', () => {
  it('counts the fee of a buy in its cost and of a sale against its proceeds', () => {
    // 100 cost 40 + 2 = 42. Of them 50 take 21 out, for 30 - 1 = 29: 8 is won, 21 stays.
    const { rows, position } = ledgerOf(buy(1, 0, 100n, 40n, { fee: 2n }), sell(5, 0, 50n, 30n, { fee: 1n }))
    expect(rows).toEqual(['sale m/0 50: 29 - 21 = 8'])
    expect(position('m', 0)).toEqual({
      trader: 'ann',
      market_id: 'm',
      outcome: 0,
      size: 50n,
      cost: 21n,
      bought: 42n,
      sold: 29n,
      fees: 3n,
      realized: 8n,
      size_untracked: 0n,
      untracked: 0n,
      first_at: 1,
      last_at: 5,
      is_complete: true,
    })
  })

  it('takes the average cost over all buys, not that of the first', () => {
    // 10 for 2 and 30 for 18 are 40 for 20; 10 of them cost 5.
    const { rows } = ledgerOf(buy(1, 0, 10n, 2n), buy(2, 0, 30n, 18n), sell(3, 0, 10n, 6n))
    expect(rows).toEqual(['sale m/0 10: 6 - 5 = 1'])
  })

  it('rounds the cost taken out half to even, and leaves the rest', () => {
    // 1 of 2 shares that cost 5: 2.5 is 2, and 3 stays for the last. Of 7: 3.5 is 4, and 3 stays.
    expect(ledgerOf(buy(1, 0, 2n, 5n), sell(2, 0, 1n, 3n), sell(3, 0, 1n, 3n)).rows).toEqual([
      'sale m/0 1: 3 - 2 = 1',
      'sale m/0 1: 3 - 3 = 0',
    ])
    expect(ledgerOf(buy(1, 0, 2n, 7n), sell(2, 0, 1n, 3n)).rows).toEqual(['sale m/0 1: 3 - 4 = -1'])
  })

  it('realizes of a sale what is held and shows the rest as untracked', () => {
    // 3 of 8 are held: 3/8 of 20 is 7.5, to even 8; the other 12 came from 5 shares never seen.
    const { rows, position } = ledgerOf(buy(1, 0, 3n, 1n), sell(2, 0, 8n, 21n, { fee: 1n }))
    expect(rows).toEqual(['sale m/0 3: 8 - 1 = 7'])
    expect(position('m', 0)).toMatchObject({
      size: 0n,
      cost: 0n,
      sold: 8n,
      fees: 1n,
      size_untracked: 5n,
      untracked: 12n,
      is_complete: false,
    })
  })

  it('realizes nothing of a sale without stock', () => {
    const { rows, position } = ledgerOf(sell(1, 1, 5n, 4n, { fee: 1n }))
    expect(rows).toEqual([])
    expect(position('m', 1)).toMatchObject({
      sold: 0n,
      realized: 0n,
      fees: 1n,
      size_untracked: 5n,
      untracked: 3n,
      is_complete: false,
    })
  })

  it('rounds below zero as above it, when a fee exceeds the cash of a sale', () => {
    // 1 of 2 is held and the net is 1 - 4 = -3: half is -1.5, to even -2, and -1 is untracked.
    const { rows, position } = ledgerOf(buy(1, 0, 1n, 0n), sell(2, 0, 2n, 1n, { fee: 4n }))
    expect(rows).toEqual(['sale m/0 1: -2 - 0 = -2'])
    expect(position('m', 0)).toMatchObject({ sold: -2n, untracked: -1n })
  })
})

describe('splits and merges', () => {
  it('splits an odd amount so that both sides cost all of it', () => {
    // Half of 7 is 3.5, to even 4; the other side costs 3. Half of 5 is 2.5, to even 2; the other side costs 3.
    const { position } = ledgerOf(split(1, 7n))
    expect(position('m', 0)).toMatchObject({ size: 7n, cost: 4n, bought: 4n })
    expect(position('m', 1)).toMatchObject({ size: 7n, cost: 3n, bought: 3n })
    expect(ledgerOf(split(1, 5n)).position('m', 0)).toMatchObject({ size: 5n, cost: 2n })
  })

  it('merges both sides at a half each', () => {
    // 10 for 3 and 10 for 6 are merged by 5: 2 - 1.5 (to even 2) and 3 - 3.
    const { rows } = ledgerOf(buy(1, 0, 10n, 3n), buy(1, 1, 10n, 6n), merge(2, 5n))
    expect(rows).toEqual(['merge m/0 5: 2 - 2 = 0', 'merge m/1 5: 3 - 3 = 0'])
  })

  it('merges a missing side as a sale without stock', () => {
    const { rows, position } = ledgerOf(buy(1, 0, 4n, 1n), merge(2, 8n))
    // Side 0 has 4 of 8: half of its 4. Side 1 has none: its 4 are untracked.
    expect(rows).toEqual(['merge m/0 4: 2 - 1 = 1'])
    expect(position('m', 0)).toMatchObject({ size_untracked: 4n, untracked: 2n, is_complete: false })
    expect(position('m', 1)).toMatchObject({ size_untracked: 8n, untracked: 4n, is_complete: false })
  })
})
