import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { run } from '#test/scoring/model.ts'

const ONE = 1_000_000n
const decimal = (units: bigint): string => `${units / ONE}.${(units % ONE).toString().padStart(6, '0')}`

/** The largest whole number whose square is at most another one, by halving. */
function rootOf(square: bigint): bigint {
  let [low, high] = [0n, square + 1n]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle * middle <= square) low = middle
    else high = middle
  }
  return low
}

/**
 * The fee in units of 0.00001 by the published formula, shares x rate x (p x (1 - p))^exponent, with whole numbers of
 * any size. All arguments are millionths.
 */
function feeOf(size: bigint, rate: bigint, price: bigint, halves: 1n | 2n | 4n): bigint {
  // The square of the fee has no root: (shares x rate)^2 x (p x (1 - p))^(2 x exponent), over the scales.
  const numerator = (size * rate) ** 2n * (price * (ONE - price)) ** halves * 10n ** 10n
  return rootOf(numerator / (ONE ** 4n * (ONE * ONE) ** halves))
}

const fill = fc.record({
  size: fc.oneof(
    fc.bigInt({ min: 0n, max: 100_000n * ONE }),
    fc.bigInt({ min: 0n, max: 10n ** 18n }),
    fc.constantFrom(1n, 10n ** 18n),
  ),
  rate: fc.oneof(fc.constantFrom(30_000n, 40_000n, 70_000n, 250_000n, ONE), fc.bigInt({ min: 1n, max: ONE })),
  price: fc.oneof(fc.constantFrom(0n, 1n, 200_000n, 500_000n, ONE), fc.bigInt({ min: 0n, max: ONE })),
  halves: fc.constantFrom(1n as const, 2n as const, 4n as const),
})

test('a fee is that of the formula, down to a whole 0.00001, for every size, price, rate and exponent', async () => {
  const property = fc.asyncProperty(fc.array(fill, { minLength: 50, maxLength: 200 }), async (fills) => {
    const market = (n: number): string => `m${String(n).padStart(3, '0')}`
    const rows = await run('core.fills', {
      'staging.fills': fills.map(({ size, price }, n) => ({
        venue: 'polymarket',
        token_id: 't',
        ts: '2026-03-01',
        tx: market(n),
        trader: market(n),
        side: 'buy',
        price: decimal(price),
        size: decimal(size),
        market_id: market(n),
        role: 'taker',
      })),
      'core.outcomes': fills.map((_, n) => ({ market_id: market(n), outcome: 0, token_id: 't' })),
      'core.ledger_markets': fills.map((_, n) => ({ market_index: n, market_id: market(n), event_id: 'e' })),
      'core.ledger_traders': fills.map((_, n) => ({ trader_index: n, trader: market(n) })),
      'staging.fee_rates': fills.map(({ rate, halves }, n) => ({
        market_id: market(n),
        from_at: '1970-01-01',
        taker_fee_rate: decimal(rate),
        fee_exponent: Number(halves) / 2,
      })),
    })
    const found = rows.map(({ tx, fee_usd }) => [tx, fee_usd])
    const expected = fills.map(({ size, rate, price, halves }, n) => [
      market(n),
      Number(decimal(feeOf(size, rate, price, halves) * 10n)),
    ])
    expect(found).toEqual(expected)
  })
  await fc.assert(property, { numRuns: sized(4, 20, 60) })
})
