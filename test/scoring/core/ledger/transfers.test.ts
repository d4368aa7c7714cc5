import type { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { LedgerEvent, Position } from '#test/oracle/ledger/event.ts'
import { buy, context, migrate, redeem, resolve, sell, transferIn, transferOut } from '#test/oracle/ledger/examples.ts'

import { loadLedger, openLedgerDuckDB, runLedgers, type LedgerModels } from './ledgers.ts'

let instance: DuckDBInstance
let models: LedgerModels
beforeAll(async () => {
  instance = await openLedgerDuckDB(1)
  models = await loadLedger()
})
afterAll(() => instance.closeSync())

/** The realizations as `kind market/outcome size: proceeds - cost`, and a position's part. */
async function ledgerOf(...events: LedgerEvent[]) {
  const [results] = await runLedgers(instance, models, [{ events, context }])
  const { realizations, positions } = results ?? { realizations: [], positions: [] }
  return {
    rows: realizations
      .toSorted((a, b) => a.ts - b.ts || a.outcome - b.outcome)
      .map((row) => `${row.kind} ${row.market_id}/${row.outcome} ${row.size}: ${row.proceeds} - ${row.cost}`),
    position: (market_id: string, outcome: number): Partial<Position> =>
      positions.find((each) => each.market_id === market_id && each.outcome === outcome) ?? {},
  }
}

const target = { target: { market_id: 'qa', outcome: 0 } }

test('shares of somebody else cost their value, and shares for somebody else bring it', async () => {
  const { rows, position } = await ledgerOf(
    buy(1, 0, 10n, 4n),
    transferIn(2, 0, 10n, 6n),
    transferOut(3, 0, 5n, 4n),
    transferOut(4, 0, 20n, 12n),
  )
  expect(rows).toEqual(['transfer m/0 5: 4 - 2', 'transfer m/0 15: 9 - 8'])
  expect(position('m', 0)).toMatchObject({ size: 0n, bought: 10n, sold: 13n, size_untracked: 5n, untracked: 3n })
  expect(position('m', 0).is_complete).toBe(false)
})

test('a migration takes the cost along, before the sales of its instant, and realizes nothing', async () => {
  const { rows, position } = await ledgerOf(
    buy(1, 0, 10n, 7n),
    migrate(2, 0, 4n, target),
    sell(2, 0, 4n, 3n, { market_id: 'qa' }),
    sell(3, 0, 6n, 6n),
  )
  expect(rows).toEqual(['migration m/0 4: 3 - 3', 'sale qa/0 4: 3 - 3', 'sale m/0 6: 6 - 4'])
  expect(position('qa', 0)).toMatchObject({ size: 0n, cost: 0n, bought: 3n, sold: 3n, realized: 0n, is_complete: true })
})

test('a migration of shares that were never seen bought gives none', async () => {
  const { position } = await ledgerOf(buy(1, 0, 4n, 2n), migrate(2, 0, 10n, target))
  expect(position('m', 0)).toMatchObject({ size: 0n, size_untracked: 6n, is_complete: false })
  expect(position('qa', 0)).toMatchObject({ size: 4n, cost: 2n, size_untracked: 0n })
})

test('a redemption that names its outcome takes its shares, and one of pairs as many of both', async () => {
  const payouts = resolve(2, [1_000_000n, 0n])
  const bought = [buy(1, 0, 10n, 4n), buy(1, 1, 10n, 6n)]
  const named = await ledgerOf(...bought, payouts, redeem(3, 0n, { outcome: 1, size: 10n }))
  expect(named.position('m', 0)).toMatchObject({ size: 10n, cost: 10n })
  expect(named.position('m', 1)).toMatchObject({ size: 0n, cost: 0n, is_complete: true })
  const pairs = await ledgerOf(...bought, payouts, redeem(3, 7n, { size: 7n }))
  expect(pairs.position('m', 0)).toMatchObject({ size: 3n, cost: 3n, sold: 7n })
  expect(pairs.position('m', 1)).toMatchObject({ size: 3n, cost: 0n, sold: 0n, is_complete: true })
})
