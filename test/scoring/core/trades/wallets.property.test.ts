import fc from 'fast-check'
import { expect, test } from 'vitest'

import { oraclePrices } from '#test/oracle/chains/prices.ts'
import { tradeValue, valueOf } from '#test/oracle/chains/value.ts'
import { wallets, walletWorlds, type WalletWorld } from '#test/oracle/chains/wallet_worlds.ts'
import { tokens } from '#test/oracle/chains/worlds.ts'
import { sized } from '#test/run/sized.ts'
import { build } from '#test/scoring/core/chains/lake.ts'

const start = Date.UTC(2026, 10, 1)
const instant = (minute: number): string => new Date(start + minute * 60_000).toISOString().slice(0, 19)

const buildWorld = ({ rows }: WalletWorld) =>
  build(['core.trades', 'core.transfers', 'core.lots', 'core.unmatched', 'core.disposals', 'core.wallet_days'], {
    'lake.transactions': rows.transactions,
    'lake.swaps': rows.swaps,
    'lake.transfers': rows.transfers,
    'lake.user_operations': rows.user_operations,
    'lake.addresses': [{ chain: 'base', address: 'safe', owner: 'ann', kind: 'safe', source: 'evm' }],
  })

/** The sum of a column of amounts for each wallet and token. */
function sums(rows: readonly Record<string, unknown>[], column: string): Map<string, bigint> {
  const found = new Map<string, bigint>()
  for (const row of rows) {
    const key = `${String(row['wallet'])} ${String(row['token'])}`
    found.set(key, (found.get(key) ?? 0n) + BigInt(String(row[column])))
  }
  return found
}

/** Values are of prices whose volumes are rounded to a millionth of a dollar, from 10 dollars on. */
const expectNear = (value: number, expected: number): void =>
  expect(Math.abs(value - expected)).toBeLessThan(1e-6 + 1e-7 * expected)

test('simulated wallets have exactly their trades, at their values, and lots that add up to their balances', async () => {
  await fc.assert(
    fc.asyncProperty(walletWorlds(80, instant), async (world) => {
      const found = await buildWorld(world)
      const prices = oraclePrices(world.swaps, tokens)
      const tradeOf = (row: Record<string, unknown>): string =>
        'tx wallet token_sold amount_sold token_bought amount_bought usd_method'
          .split(' ')
          .map((name) => String(row[name]))
          .join(' ')
      const expected = world.trades.map((trade) => ({ ...trade, ...tradeValue(prices, tokens, trade) }))
      expect(found['core.trades'].map(tradeOf).toSorted()).toEqual(
        expected
          .map(({ tx, wallet, sold, amount_sold, bought, amount_bought, method }) =>
            [tx, wallet, sold, amount_sold, bought, amount_bought, method].join(' '),
          )
          .toSorted(),
      )
      for (const trade of expected) {
        const row = found['core.trades'].find(({ tx }) => tx === trade.tx)
        const gas = valueOf(prices, tokens, { token: 'native', amount: trade.fee, minute: trade.minute }) ?? 0
        expectNear(Number(row?.['usd'] ?? 0), trade.usd ?? 0)
        expectNear(Number(row?.['gas_usd']), gas)
      }

      const [left, unmatched] = [sums(found['core.lots'], 'amount_left'), sums(found['core.unmatched'], 'amount')]
      const traders = new Set(world.trades.map(({ wallet }) => wallet))
      if (traders.has('ann') || traders.has('safe')) traders.add('ann').add('safe')
      for (const wallet of wallets.filter((one) => traders.has(one))) {
        for (const token of Object.keys(tokens.decimals)) {
          const key = `${wallet} ${token}`
          expect([key, (left.get(key) ?? 0n) - (unmatched.get(key) ?? 0n)]).toEqual([
            key,
            world.balances.get(key) ?? 0n,
          ])
        }
      }
    }),
    { numRuns: sized(5, 8, 40), seed: 31, endOnFailure: true },
  )
})
