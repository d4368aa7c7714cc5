import { onTestFinished, describe, expect, test } from 'vitest'

import { truePrices } from '#sim/evm/ledger/true_prices.ts'
import { trueBooks, trueResults } from '#sim/evm/ledger/true_results.ts'
import { openEvmWorld, type EvmWorld } from '#sim/evm/world.ts'
import { oracleLots } from '#test/oracle/lots/ledger.ts'
import type { Ledger } from '#test/oracle/lots/types.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'

const now_s = 1_790_000_000

/** The lots of a world by the oracle of lots, which knows nothing of the simulation. */
function lotsOf({ ledger, dollar }: EvmWorld): Ledger {
  const priceOf = truePrices(ledger.poolSwaps, dollar)
  const place = { chain: 'ethereum', seq: 0 }
  return oracleLots({
    trades: trueBooks(ledger, dollar).trades.map(({ ts_s, gas_usd, ...trade }) => ({
      ...place,
      ...trade,
      ts: ts_s * 1_000_000,
      gas: gas_usd,
    })),
    transfers: ledger.transfers.map(({ ts_s, log_index: _, ...transfer }) => {
      const usd = priceOf(transfer.token, transfer.amount, ts_s)
      const basis = usd === null ? ('unpriced' as const) : ('market' as const)
      return { ...place, ...transfer, ts: ts_s * 1_000_000, usd, basis }
    }),
    owners: new Map(),
    kinds: new Map([
      [dollar, 'stable'],
      ['native', 'native'],
    ]),
  })
}

describe.skipIf(anvil === undefined)('the results of simulated wallets', () => {
  test('are those of the oracle of lots, and add up over windows', async () => {
    const world = await openEvmWorld({ seed: 7, size: sized(0.1, 0.1, 1), now_s })
    onTestFinished(world.close)
    const books = trueBooks(world.ledger, world.dollar)
    const results = trueResults(books, world.dollar, { from_s: 0, to_s: now_s })
    const { disposals, unmatched } = lotsOf(world)
    for (const [wallet, { realized_usd, unmatched_usd }] of results) {
      const own = disposals.filter((row) => row.wallet === wallet && (row.kind === 'sale' || row.kind === 'arbitrage'))
      expect(realized_usd).toBe(own.reduce((sum, { pnl }) => sum + (pnl ?? 0n), 0n))
      const untold = unmatched.filter((row) => row.wallet === wallet)
      expect(unmatched_usd).toBe(untold.reduce((sum, { proceeds }) => sum + (proceeds ?? 0n), 0n))
    }
    const middle_s = now_s - 30 * 86_400
    const before = trueResults(books, world.dollar, { from_s: 0, to_s: middle_s })
    const after = trueResults(books, world.dollar, { from_s: middle_s, to_s: now_s })
    for (const [wallet, { realized_usd, volume_usd, n_trades }] of results) {
      const parts = [before.get(wallet), after.get(wallet)]
      expect(parts.reduce((sum, part) => sum + (part?.realized_usd ?? 0n), 0n)).toBe(realized_usd)
      expect(parts.reduce((sum, part) => sum + (part?.volume_usd ?? 0n), 0n)).toBe(volume_usd)
      expect(parts.reduce((sum, part) => sum + (part?.n_trades ?? 0), 0)).toBe(n_trades)
    }
    expect(books.sales.length).toBeGreaterThan(100)
    // Every trade has a value, since the native coin and the dollar have a price all the time.
    expect(books.trades.filter(({ usd }) => usd === null)).toEqual([])
  })

  test('follow the plan: skilled wallets gain, fading wallets lose, holds are as long as planned', async () => {
    const world = await openEvmWorld({ seed: 11, size: sized(0.3, 0.3, 1), now_s })
    onTestFinished(world.close)
    const books = trueBooks(world.ledger, world.dollar)
    const results = trueResults(books, world.dollar, { from_s: 0, to_s: now_s })
    const of = (role: string) =>
      world.plan.actors.filter((actor) => actor.role === role).map(({ index }) => world.addresses[index] ?? '')
    const skilled = world.plan.actors.filter(({ tags }) => tags.includes('smart_money'))
    for (const { index } of skilled)
      expect(Number(results.get(world.addresses[index] ?? '')?.realized_usd)).toBeGreaterThan(0)
    for (const wallet of of('fade_target')) expect(Number(results.get(wallet)?.realized_usd)).toBeLessThan(0)
    const medianHold = (wallet: string): number => {
      const held = books.sales
        .filter((sale) => sale.wallet === wallet && sale.token !== world.dollar && sale.token !== 'native')
        .map(({ held_s }) => held_s)
        .toSorted((a, b) => a - b)
      return held[Math.floor((held.length - 1) / 2)] ?? 0
    }
    const [hour_s, day_s] = [3_600, 86_400]
    const ranges = {
      scalper: [1, hour_s],
      swing_trader: [hour_s, 7 * day_s],
      diamond_hands: [90 * day_s, 150 * day_s],
      accumulator: [7 * day_s, 90 * day_s],
      generalist: [7 * day_s, 90 * day_s],
      dormant: [7 * day_s, 90 * day_s],
    }
    for (const [role, [least, most]] of Object.entries(ranges) as [string, [number, number]][])
      for (const wallet of of(role)) {
        expect(`${role} ${medianHold(wallet) > least && medianHold(wallet) <= most}`).toBe(`${role} true`)
        expect(results.get(wallet)?.n_closed).toBeGreaterThanOrEqual(5)
        expect(results.get(wallet)?.n_trades).toBeGreaterThanOrEqual(10)
      }
  })
})
