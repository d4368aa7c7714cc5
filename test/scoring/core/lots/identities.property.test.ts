import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Model } from '#builder/model.ts'
import { withConnection } from '#storage/duckdb.ts'
import type { Ledger, Trade, World } from '#test/oracle/lots/types.ts'
import { worlds } from '#test/oracle/lots/worlds.ts'
import { roundHalfEven } from '#test/oracle/round.ts'
import { sized } from '#test/run/sized.ts'
import { buildTables, loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

import { openLotDuckDB, runLots } from './ledgers.ts'

let models: Model[]
let duckdb: DuckDBInstance
beforeAll(async () => {
  models = await loadWalletModels()
  duckdb = await openLotDuckDB(2)
})
afterAll(() => duckdb.closeSync())

const sum = <T>(rows: readonly T[], of: (row: T) => bigint | null): bigint =>
  rows.reduce((total, row) => total + (of(row) ?? 0n), 0n)

const overWorlds = async (seed: number, check: (world: World, ledger: Ledger) => void): Promise<void> => {
  for (const world of fc.sample(worlds(), { numRuns: sized(6, 10, 40), seed })) {
    check(world, await runLots(duckdb, models, world))
  }
}

/** What entered a wallet less what left it, by wallet, chain and token. */
function balances({ trades, transfers }: World): Map<string, bigint> {
  const found = new Map<string, bigint>()
  const add = (key: string, amount: bigint): unknown => found.set(key, (found.get(key) ?? 0n) + amount)
  for (const one of trades) {
    add(`${one.wallet} ${one.chain} ${one.token_sold}`, -one.amount_sold)
    add(`${one.wallet} ${one.chain} ${one.token_bought}`, one.amount_bought)
  }
  for (const { wallet, chain, token, direction, amount, counterparty } of transfers) {
    if (wallet !== counterparty) add(`${wallet} ${chain} ${token}`, direction === 'in' ? amount : -amount)
  }
  return found
}

/** The world in which both sides report each transfer between two of its wallets. */
const withBothSides = (world: World): World => ({
  ...world,
  transfers: world.transfers.flatMap((transfer) => {
    if (transfer.counterparty === '0xpool') return [{ ...transfer, basis: 'market' as const }]
    const { wallet, counterparty } = transfer
    return [transfer, { ...transfer, wallet: counterparty, counterparty: wallet, direction: other[transfer.direction] }]
  }),
})
const other = { in: 'out', out: 'in' } as const

test('the remaining lots less the unmatched amounts are the balance', async () => {
  for (const sample of fc.sample(worlds(), { numRuns: sized(6, 10, 40), seed: 21 })) {
    const world = withBothSides(sample)
    const { lots, unmatched } = await runLots(duckdb, models, world)
    for (const [key, balance] of balances(world)) {
      const isOf = (row: { wallet: string; chain: string; token: string }): boolean =>
        `${row.wallet} ${row.chain} ${row.token}` === key
      const left = sum(lots.filter(isOf), ({ amount_left }) => amount_left)
      expect(left - sum(unmatched.filter(isOf), ({ amount }) => amount)).toBe(balance)
    }
  }
})

test('a lot is the sum of its disposals and its rest, in units and in cost', () =>
  overWorlds(22, (_, { lots, disposals }) => {
    for (const lot of lots) {
      const given = disposals.filter(
        (row) => row.wallet === lot.wallet && row.chain === lot.chain && row.token === lot.token && row.lot === lot.lot,
      )
      expect(sum(given, ({ amount }) => amount) + lot.amount_left).toBe(lot.amount)
      if (lot.cost !== null) expect(sum(given, ({ cost }) => cost) + (lot.cost_left ?? 0n)).toBe(lot.cost)
    }
  }))

test('the proceeds of a sale are those of its lots, their gas and the unmatched proceeds', () =>
  overWorlds(23, ({ trades, kinds }, { disposals, unmatched }) => {
    const moneyness = (token: string): number => ({ stable: 2, native: 1, other: 0 })[kinds.get(token) ?? 'other']
    for (const trade of trades) {
      if (trade.token_sold === trade.token_bought || trade.usd === null) continue
      const isOf = (row: { wallet: string; tx: string; seq: number; kind: string }): boolean =>
        row.kind === 'sale' && row.wallet === trade.wallet && row.tx === trade.tx && row.seq === trade.seq
      const given = disposals.filter(isOf)
      const gas = moneyness(trade.token_sold) > moneyness(trade.token_bought) ? 0n : trade.gas
      if (given.length === 0 && trade.amount_sold === 0n) continue
      expect(
        sum(given, (row) => (row.proceeds ?? 0n) - row.gas) + sum(unmatched.filter(isOf), ({ proceeds }) => proceeds),
      ).toBe(trade.usd - gas)
      for (const row of given) {
        expect(row.pnl).toBe(row.cost === null ? null : (row.proceeds ?? 0n) - row.gas - row.cost)
      }
    }
  }))

test('the days of wallets add up to all time', async () => {
  for (const world of fc.sample(worlds(), { numRuns: sized(5, 8, 30), seed: 25 })) {
    const { disposals, unmatched } = await runLots(duckdb, models, world)
    await buildTables(duckdb, models, ['core.wallet_days'])
    const days = await withConnection(duckdb, (connection) =>
      connection.runAndReadAll(
        `select coalesce(sum(realized_usd + unranked_usd), 0), coalesce(sum(unmatched_usd), 0), coalesce(sum(bought_usd), 0),
          coalesce(sum(sold_usd), 0), coalesce(sum(gas_usd), 0)
        from core.wallet_days`,
      ),
    )
    const millionths = (days.getRows()[0] ?? []).map((value) => BigInt(String(value).replace('.', '')))
    const [value, gas] = [sum(world.trades, ({ usd }) => usd), sum(world.trades, (trade) => trade.gas)]
    expect(millionths).toEqual([
      sum(disposals, ({ pnl }) => pnl),
      sum(unmatched, ({ proceeds }) => proceeds),
      value,
      value,
      gas,
    ])
  }
})

/** Purchases and sales of one token that end at nothing. */
const closedHistories = fc
  .array(fc.record({ amount: fc.bigInt(1n, 10n ** 22n), usd: fc.bigInt(0n, 10n ** 12n), isSale: fc.boolean() }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((steps) => {
    let held = 0n
    const trades: Trade[] = []
    const add = (amount: bigint, usd: bigint, isSale: boolean): void => {
      const place = {
        wallet: '0xa',
        chain: 'base',
        block: trades.length,
        tx_index: 0,
        tx: `0x${trades.length}`,
        seq: 0,
      }
      const [token_sold, token_bought] = isSale ? ['x', 'usdc'] : ['usdc', 'x']
      const [amount_sold, amount_bought] = isSale ? [amount, usd] : [usd, amount]
      trades.push({
        ...place,
        ts: trades.length * 1_000_000,
        token_sold,
        amount_sold,
        token_bought,
        amount_bought,
        usd,
        gas: 3n,
      })
      held += isSale ? -amount : amount
    }
    for (const { amount, usd, isSale } of steps) {
      const part = amount < held ? amount : held
      if (!isSale || part > 0n) add(isSale ? part : amount, usd, isSale)
    }
    if (held > 0n) add(held, 777n, true)
    return trades
  })

test('first in, first out realizes as much as the average cost, for a token closed by sales', async () => {
  for (const trades of fc.sample(closedHistories, { numRuns: sized(6, 10, 40), seed: 24 })) {
    const world: World = { trades, transfers: [], owners: new Map(), kinds: new Map([['usdc', 'stable']]) }
    const { disposals } = await runLots(duckdb, models, world)
    let [size, cost, realized] = [0n, 0n, 0n]
    for (const trade of trades) {
      if (trade.token_bought === 'x') {
        size += trade.amount_bought
        cost += trade.usd === null ? 0n : trade.usd + trade.gas
        continue
      }
      const taken = roundHalfEven(cost * trade.amount_sold, size)
      realized += (trade.usd ?? 0n) - trade.gas - taken
      size -= trade.amount_sold
      cost -= taken
    }
    expect(size).toBe(0n)
    expect(
      sum(
        disposals.filter(({ token }) => token === 'x'),
        ({ pnl }) => pnl,
      ),
    ).toBe(realized)
  }
})
