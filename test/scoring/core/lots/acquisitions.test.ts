import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { withConnection } from '#storage/duckdb.ts'
import { worlds } from '#test/oracle/lots/worlds.ts'
import { sized } from '#test/run/sized.ts'
import { loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

import { openLotDuckDB, runLots } from './ledgers.ts'

let duckdb: DuckDBInstance
beforeAll(async () => {
  duckdb = await openLotDuckDB(1)
})
afterAll(() => duckdb.closeSync())

const rowsOf = (sql: string): Promise<unknown[][]> =>
  withConnection(duckdb, async (connection) => (await connection.runAndReadAll(sql)).getRowsJson())

/** The values of a lot that the view decodes. */
const values = `
  case origin when 0 then 'buy' when 1 then 'transfer' when 2 then 'carry' when 3 then 'arbitrage' end as origin,
  coalesce(amount_left::varchar, (left_high::hugeint * pow(2, 50)::hugeint + left_low)::varchar) as amount_left,
  (cost_millionths / 1e6)::decimal(38, 6) as cost_usd,
  (cost_left_millionths / 1e6)::decimal(38, 6) as cost_left_usd`
const named = 'origin, amount_left::varchar as amount_left, cost_usd, cost_left_usd'

test('acquisitions are the lots by number', async () => {
  const models = await loadWalletModels()
  for (const world of fc.sample(worlds(), { numRuns: sized(4, 12), seed: 26 })) {
    await runLots(duckdb, models, world)
    const rows = await rowsOf(
      `select w.wallet, k.chain, k.token, a.lot, ${values}
      from core.acquisitions a
      join core.lot_wallets w on w.wallet_index = a.wallet_index
      join core.lot_tokens k on k.token_index = a.token_index
      order by all`,
    )
    expect(rows).toEqual(await rowsOf(`select wallet, chain, token, lot, ${named} from core.lots order by all`))
    // What is left stands in halves, or in full beside an amount.
    const others = await rowsOf(
      `select distinct amount, left_high, left_low, amount_left::varchar
      from core.acquisitions
      where not ((amount is null and left_high is not null and left_low is not null and amount_left is null)
        or (amount is not null and left_high is null and left_low is null and amount_left is not null))`,
    )
    expect(others).toEqual([])
  }
})

test('acquisitions are in the order of owners, first those with the amount of their event', async () => {
  const models = await loadWalletModels()
  for (const world of fc.sample(worlds(), { numRuns: sized(4, 12), seed: 27 })) {
    await runLots(duckdb, models, world)
    const given = await rowsOf(
      `select a.amount is not null as is_own, w.cluster_index
      from core.acquisitions a
      join core.lot_wallets w on w.wallet_index = a.wallet_index
      order by a.rowid`,
    )
    const keys = given.map(([isOwn, cluster]) => (isOwn === true ? 1_000 : 0) + Number(cluster))
    expect(keys).toEqual(keys.toSorted((a, b) => a - b))
  }
})
