import fc from 'fast-check'

import type { PoolSwap, Tokens } from './prices.ts'

/** Two dollars of 6 and 18 decimals, the coin, and two tokens. */
export const tokens: Tokens = { decimals: { usdc: 6, dai: 18, native: 18, a: 18, b: 0 }, dollars: ['usdc', 'dai'] }

const prices: Record<string, number> = { usdc: 1, dai: 1, native: 3_000, a: 2, b: 40 }

/**
 * Swaps of a few senders in a few pools over two days, with stray prices, dust, quiet times, swaps with a hostile
 * amount, and an hour in which the second dollar loses its peg.
 */
export const swapWorlds = (maxLength: number): fc.Arbitrary<PoolSwap[]> =>
  fc
    .array(
      fc.record({
        pair: fc.constantFrom(
          'usdc native',
          'dai native',
          'usdc dai',
          'usdc a',
          'native a',
          'dai a',
          'native b',
          'a b',
        ),
        isReverse: fc.boolean(),
        step: fc.oneof(
          { weight: 20, arbitrary: fc.integer({ min: 0, max: 4 }) },
          { weight: 2, arbitrary: fc.integer({ min: 30, max: 300 }) },
          { weight: 1, arbitrary: fc.integer({ min: 1_400, max: 1_480 }) },
        ),
        pool: fc.constantFrom('p1', 'p2'),
        sender: fc.constantFrom('ann', 'bob', 'cem', 'dia'),
        usd: fc.oneof(
          { weight: 10, arbitrary: fc.double({ min: 20, max: 50_000, noNaN: true }) },
          { weight: 1, arbitrary: fc.double({ min: 0.01, max: 15, noNaN: true }) },
        ),
        drift: fc.oneof(
          { weight: 10, arbitrary: fc.double({ min: 0.97, max: 1.03, noNaN: true }) },
          { weight: 2, arbitrary: fc.double({ min: 0.2, max: 5, noNaN: true }) },
        ),
        isHostile: fc.integer({ min: 0, max: 40 }).map((n) => n === 0),
      }),
      { minLength: 10, maxLength },
    )
    .map((events) => {
      let minute = 0
      return events.map(({ pair, isReverse, step, pool, sender, usd, drift, isHostile }) => {
        minute += step
        const [x = '', y = ''] = isReverse ? pair.split(' ').toReversed() : pair.split(' ')
        const isLost = Math.floor(minute / 60) % 4 === 1
        const worth = (token: string): number => (token === 'dai' && isLost ? 0.8 : (prices[token] ?? 1))
        const units = (token: string, price: number): bigint =>
          (BigInt(Math.max(1, Math.round((usd / price) * 1e6))) * 10n ** BigInt(tokens.decimals[token] ?? 0)) /
            1_000_000n +
          1n
        return {
          minute,
          pool: `${pair} ${pool}`,
          sender,
          paid: { token: x, amount: isHostile ? 2n ** 250n : units(x, worth(x)) },
          got: { token: y, amount: units(y, worth(y) * drift) },
        }
      })
    })
