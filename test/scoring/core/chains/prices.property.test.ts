import fc from 'fast-check'
import { expect, test } from 'vitest'

import { oraclePrices, type PoolSwap } from '#test/oracle/chains/prices.ts'
import { swapWorlds, tokens } from '#test/oracle/chains/worlds.ts'
import { sized } from '#test/run/sized.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

import { build, movesOf, swap, transaction } from './lake.ts'

const start = Date.UTC(2026, 10, 10)
const instant = (minute: number): string => new Date(start + minute * 60_000).toISOString().slice(0, 19)
const contract = (token: string): string => (token === 'native' ? 'weth' : token)

/** The lake of a world. Each swap is a block of its own. */
const lakeOf = (swaps: readonly PoolSwap[]): Rows => {
  const placed = swaps.map(({ minute, pool, sender, paid, got }, block) => ({
    pool,
    sender,
    legs: [
      [contract(paid.token), paid.amount],
      [contract(got.token), got.amount],
    ] as const,
    place: { block, ts: instant(minute) },
  }))
  return {
    'lake.transactions': placed.map(({ sender, place }) => transaction(sender, place)),
    'lake.swaps': placed.map(({ pool, legs: [paid, got], place }) => swap(pool, paid, got, place)),
    'lake.transfers': placed.flatMap(({ pool, sender, legs, place }) => movesOf(pool, sender, legs, place)),
  }
}

test('prices are those that the definitions give, print by print', async () => {
  await fc.assert(
    fc.asyncProperty(swapWorlds(120), async (swaps) => {
      const { 'core.prices': rows } = await build(['core.prices'], lakeOf(swaps))
      const expected = oraclePrices(swaps, tokens)
      const keyOf = (token: unknown, ts: string): string => `${String(token)} ${ts.replace('T', ' ')}`
      expect(rows.map(({ token, ts }) => keyOf(token, String(ts))).sort()).toEqual(
        expected.map(({ token, at }) => keyOf(token, instant(at))).sort(),
      )
      for (const price of expected) {
        const row =
          rows.find(({ token, ts }) => keyOf(token, String(ts)) === keyOf(price.token, instant(price.at))) ?? {}
        const where = keyOf(price.token, instant(price.at))
        const { n_pools, n_senders, is_thin, amount } = row
        expect([where, Number(n_pools), Number(n_senders), is_thin, amount]).toEqual([
          where,
          price.n_pools,
          price.n_senders,
          price.is_thin,
          String(price.amount),
        ])
        expect(Number(row['volume_usd']) / price.volume, where).toBeCloseTo(1, 6)
        expect(Number(row['usd_per_token']) / price.usd, where).toBeCloseTo(1, 6)
        expect(Number(row['depth_usd']), where).toBeCloseTo(price.depth, 3)
      }
    }),
    { numRuns: sized(10, 20, 50), seed: 13, endOnFailure: true },
  )
})
