import { describe, expect, it } from 'vitest'

import { buy, ledgerOf, redeem, resolve, sell } from './examples.ts'

const firstWins = [1_000_000n, 0n]
const secondWins = [0n, 1_000_000n]

describe('resolutions', () => {
  it('realizes at the payout, keeps the size, and is neither a buy nor a sale', () => {
    const { rows, position } = ledgerOf(buy(1, 0, 100n, 40n), buy(2, 1, 10n, 6n), resolve(9, firstWins))
    expect(rows).toEqual(['resolution m/0 100: 100 - 40 = 60', 'resolution m/1 10: 0 - 6 = -6'])
    expect(position('m', 0)).toMatchObject({ size: 100n, cost: 100n, bought: 40n, sold: 0n, realized: 60n, last_at: 9 })
    expect(position('m', 1)).toMatchObject({ size: 10n, cost: 0n, bought: 6n, sold: 0n, realized: -6n, last_at: 9 })
  })

  it('leaves alone what is no longer held', () => {
    const { rows, position } = ledgerOf(buy(1, 0, 4n, 2n), sell(2, 0, 4n, 2n), resolve(9, firstWins))
    expect(rows).toEqual(['sale m/0 4: 2 - 2 = 0'])
    expect(position('m', 0)).toMatchObject({ last_at: 2 })
  })

  it('pays halves and thirds to the millionth, half to even', () => {
    // 5 at 0.50 are 2.5, to even 2; 7 at 0.333333 are 2.333331, so 2; 7 at 0.50 are 3.5, to even 4.
    expect(ledgerOf(buy(1, 0, 5n, 2n), resolve(2, [500_000n, 500_000n])).rows).toEqual(['resolution m/0 5: 2 - 2 = 0'])
    expect(ledgerOf(buy(1, 0, 7n, 2n), resolve(2, [333_333n, 0n])).rows).toEqual(['resolution m/0 7: 2 - 2 = 0'])
    expect(ledgerOf(buy(1, 0, 7n, 2n), resolve(2, [500_000n, 500_000n])).rows).toEqual(['resolution m/0 7: 4 - 2 = 2'])
  })

  it('takes a correction from the value of the resolution before it', () => {
    const { rows, position } = ledgerOf(buy(1, 0, 10n, 4n), resolve(2, firstWins), resolve(3, secondWins))
    expect(rows).toEqual(['resolution m/0 10: 10 - 4 = 6', 'resolution m/0 10: 0 - 10 = -10'])
    expect(position('m', 0)).toMatchObject({ size: 10n, cost: 0n, realized: -4n })
  })

  it('realizes only the difference in a sale after it, and opens anew on a buy', () => {
    // 10 are worth 10; 5 sold for 4 lose 1; 5 bought for 2 make 10 at 7.
    const { rows, position } = ledgerOf(
      buy(1, 0, 10n, 4n),
      resolve(2, firstWins),
      sell(3, 0, 5n, 4n),
      buy(4, 0, 5n, 2n),
    )
    expect(rows).toEqual(['resolution m/0 10: 10 - 4 = 6', 'sale m/0 5: 4 - 5 = -1'])
    expect(position('m', 0)).toMatchObject({ size: 10n, cost: 7n, realized: 5n })
  })

  it('concerns every trader that holds, and no other', () => {
    const { realizations, positions } = ledgerOf(
      buy(1, 0, 4n, 1n),
      buy(1, 1, 4n, 3n, { trader: 'bob' }),
      buy(1, 0, 4n, 3n, { trader: 'cy', market_id: 'three' }),
      resolve(2, firstWins),
    )
    expect(realizations.map(({ trader, pnl }) => [trader, pnl])).toEqual([
      ['ann', 3n],
      ['bob', -3n],
    ])
    expect(positions.map(({ trader }) => trader)).toEqual(['ann', 'bob', 'cy'])
  })
})

describe('redemptions', () => {
  it('burns all for its value, losers too', () => {
    const { rows, position } = ledgerOf(
      buy(1, 0, 100n, 40n),
      buy(1, 1, 10n, 6n),
      resolve(2, firstWins),
      redeem(3, 100n),
    )
    expect(rows.slice(2)).toEqual(['redemption m/0 100: 100 - 100 = 0', 'redemption m/1 10: 0 - 0 = 0'])
    expect(position('m', 0)).toMatchObject({ size: 0n, cost: 0n, sold: 100n, realized: 60n, is_complete: true })
    expect(position('m', 1)).toMatchObject({ size: 0n, cost: 0n, sold: 0n, last_at: 3, is_complete: true })
  })

  it('gives a difference of up to 10 millionths to the last outcome that is worth something', () => {
    // Worth 50 + 20 + 0: 80 is 10 more, so the second takes 30; 60 is 10 less, so it takes 10.
    const bought = [0, 1, 2].map((outcome) =>
      buy(1, outcome, [100n, 40n, 9n][outcome] ?? 0n, 0n, { market_id: 'three' }),
    )
    const resolved = resolve(2, [500_000n, 500_000n, 0n], { market_id: 'three' })
    const redeemed = (cash: bigint) =>
      ledgerOf(...bought, resolved, redeem(3, cash, { market_id: 'three' })).rows.slice(3)
    expect(redeemed(80n)).toEqual([
      'redemption three/0 100: 50 - 50 = 0',
      'redemption three/1 40: 30 - 20 = 10',
      'redemption three/2 9: 0 - 0 = 0',
    ])
    expect(redeemed(60n)[1]).toBe('redemption three/1 40: 10 - 20 = -10')
  })

  it('drops a difference of up to 10 millionths where nothing held is worth anything', () => {
    const { rows, position } = ledgerOf(buy(1, 1, 10n, 6n), resolve(2, firstWins), redeem(3, 10n))
    expect(rows.slice(1)).toEqual(['redemption m/1 10: 0 - 0 = 0'])
    expect(position('m', 1)).toMatchObject({ size: 0n, sold: 0n, untracked: 0n, is_complete: true })
    expect(position('m', 0)).toBeUndefined()
  })

  it('shows cash above the value as untracked on the first outcome that pays', () => {
    const { rows, position } = ledgerOf(buy(1, 0, 10n, 6n), resolve(2, secondWins), redeem(3, 11n))
    expect(rows.slice(1)).toEqual(['redemption m/0 10: 0 - 0 = 0'])
    expect(position('m', 0)).toMatchObject({ size: 0n, untracked: 0n, is_complete: true })
    expect(position('m', 1)).toMatchObject({ size: 0n, untracked: 11n, first_at: 3, is_complete: false })
  })

  it('shows cash for a market that pays nothing as untracked on outcome 0', () => {
    const { rows, position } = ledgerOf(buy(1, 1, 10n, 6n), resolve(2, [0n, 0n]), redeem(3, 11n))
    expect(rows.slice(1)).toEqual(['redemption m/1 10: 0 - 0 = 0'])
    expect(position('m', 0)).toMatchObject({ untracked: 11n, is_complete: false })
  })

  it('burns in proportion when the cash is less than the value, and keeps losers', () => {
    // Worth 50 + 21 = 71. For 30: 100*30/71 = 42.3 shares and 50*30/71 = 21.1 USD of the first; 42*30/71 = 17.7 shares
    // and the remaining 9 of the second. Costs out: 50*42/100 = 21 and 21*17/42 = 8.5, to even 8.
    const bought = [0, 1, 2].map((outcome) =>
      buy(1, outcome, [100n, 42n, 9n][outcome] ?? 0n, 0n, { market_id: 'three' }),
    )
    const { rows, position } = ledgerOf(
      ...bought,
      resolve(2, [500_000n, 500_000n, 0n], { market_id: 'three' }),
      redeem(3, 30n, { market_id: 'three' }),
    )
    expect(rows.slice(3)).toEqual(['redemption three/0 42: 21 - 21 = 0', 'redemption three/1 17: 9 - 8 = 1'])
    expect(position('three', 0)).toMatchObject({ size: 58n, cost: 29n, sold: 21n })
    expect(position('three', 1)).toMatchObject({ size: 25n, cost: 13n, sold: 9n })
    expect(position('three', 1)).toMatchObject({ last_at: 3 })
    expect(position('three', 2)).toMatchObject({ size: 9n, last_at: 2 })
  })

  it('pays the last outcome what the others leave of the cash', () => {
    // Worth 50 + 50. For 33 the first takes 16.5, to even 16, and the second 17; each burns 33 of its 100 shares.
    const { rows } = ledgerOf(
      buy(1, 0, 100n, 0n),
      buy(1, 1, 100n, 0n),
      resolve(2, [500_000n, 500_000n]),
      redeem(3, 33n),
    )
    expect(rows.slice(2)).toEqual(['redemption m/0 33: 16 - 16 = 0', 'redemption m/1 33: 17 - 16 = 1'])
  })

  it('keeps cash for less than a millionth of a share apart', () => {
    // Worth 1 + 100 = 101. For 60: 1*60/101 is no whole share of the first, but 0.59 is a millionth of USD.
    const { rows, position } = ledgerOf(
      buy(1, 0, 1n, 0n),
      buy(1, 1, 1_000n, 0n),
      resolve(2, [900_000n, 100_000n]),
      redeem(3, 60n),
    )
    // The second: 1000*60/101 = 594.06 shares, 100*594/1000 = 59.4 of the cost, and the remaining 59.
    expect(rows.slice(2)).toEqual(['redemption m/1 594: 59 - 59 = 0'])
    expect(position('m', 0)).toMatchObject({ size: 1n, sold: 0n, untracked: 1n, is_complete: false })
  })

  it('goes by the latest payouts', () => {
    const { rows } = ledgerOf(
      buy(1, 0, 50n, 4n),
      resolve(2, firstWins),
      resolve(3, [500_000n, 500_000n]),
      redeem(4, 25n),
    )
    expect(rows.at(-1)).toBe('redemption m/0 50: 25 - 25 = 0')
  })

  it('burns nothing before a resolution is known', () => {
    const { rows, position } = ledgerOf(buy(1, 1, 50n, 4n), redeem(2, 50n))
    expect(rows).toEqual([])
    expect(position('m', 1)).toMatchObject({ size: 50n, cost: 4n, is_complete: true })
    expect(position('m', 0)).toMatchObject({ size: 0n, untracked: 50n, is_complete: false })
    expect(ledgerOf(redeem(2, 0n)).position('m', 0)).toMatchObject({ untracked: 0n, is_complete: true })
  })
})
