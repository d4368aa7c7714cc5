import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Model } from '#builder/model.ts'
import { withConnection } from '#storage/duckdb.ts'
import { worlds } from '#test/oracle/lots/worlds.ts'
import { sized } from '#test/run/sized.ts'
import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'
import { loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

import { openLotDuckDB, runLots } from './ledgers.ts'

let duckdb: DuckDBInstance
let models: Model[]
beforeAll(async () => {
  duckdb = await openLotDuckDB(1)
  // As in a build: a join hashes its right side, and the rows of the left side keep their order.
  await queried("set global disabled_optimizers = 'build_side_probe_side'")
  models = await loadWalletModels()
})
afterAll(() => duckdb.closeSync())

const queried = (sql: string): Promise<unknown[][]> =>
  withConnection(duckdb, async (connection) => (await connection.runAndReadAll(sql)).getRowsJson())

/** The values of a disposal that the view decodes. */
const values = `
  case kind when 0 then 'sale' when 1 then 'transfer' when 2 then 'carry' when 3 then 'arbitrage' end as kind,
  coalesce(amount::varchar, (amount_high::hugeint * pow(2, 50)::hugeint + amount_low)::varchar) as amount,
  (proceeds_millionths / 1e6)::decimal(38, 6) as proceeds_usd,
  (cost_millionths / 1e6)::decimal(38, 6) as cost_usd,
  (gas_millionths / 1e6)::decimal(38, 6) as gas_usd,
  (pnl_millionths / 1e6)::decimal(38, 6) as pnl_usd`
const named = 'kind, amount::varchar as amount, proceeds_usd, cost_usd, gas_usd, pnl_usd'
const same = 'block, tx_index, seq, lot, ts, held_s, is_ranked'

test('allocations are the disposals by number', async () => {
  for (const world of fc.sample(worlds(), { numRuns: sized(4, 12), seed: 28 })) {
    await runLots(duckdb, models, world)
    const rows = await queried(
      `select wallet, chain, token, ${same}, ${values}
      from core.allocations
      join core.lot_wallets using (wallet_index)
      join core.lot_tokens using (token_index)
      order by all`,
    )
    const shown = `select wallet, chain, token, ${same}, ${named} from core.disposals order by all`
    expect(rows).toEqual(await queried(shown))
    // An amount stands in halves, or in full.
    const others = await queried(
      `from core.allocations
      where not ((amount is null and amount_high is not null and amount_low is not null)
        or (amount is not null and amount_high is null and amount_low is null))`,
    )
    expect(others).toEqual([])
  }
})

test('allocations are in the order of owners and events, first those with halves', async () => {
  for (const world of fc.sample(worlds(), { numRuns: sized(4, 12), seed: 29 })) {
    await runLots(duckdb, models, world)
    const keys = 'amount is not null, cluster_index, block, tx_index, seq'
    const from = 'from core.allocations a join core.lot_wallets using (wallet_index)'
    const given = await queried(`select ${keys} ${from} order by a.rowid`)
    expect(given).toEqual(await queried(`select ${keys} ${from} order by ${keys}`))
  }
})

test('a result is ranked at a last price of 24 hours that is reliable and as deep as its proceeds', async () => {
  const sales = [
    ['2026-06-01 11:59:59', 50],
    ['2026-06-01 12:00:00', 50],
    ['2026-06-01 12:00:00', 51],
    ['2026-06-02 11:59:59', 50],
    ['2026-06-02 12:00:00', 50],
    ['2026-06-10 12:00:00', 50],
    ['2026-06-10 12:05:00', 50],
  ] as const
  const rows = await run('core.disposals', {
    'core.tokens': monies,
    'core.prices': [
      { chain: 'base', token: 'x', ts: '2026-06-01 12:00:00', depth_usd: 50 },
      { chain: 'base', token: 'x', ts: '2026-06-10 12:00:00', depth_usd: 50 },
      { chain: 'base', token: 'x', ts: '2026-06-10 12:05:00', depth_usd: 50, is_thin: true },
      { chain: 'ethereum', token: 'x', ts: '2026-06-01 11:00:00', depth_usd: 50 },
    ],
    'core.trades': [
      trade('buy', 1, '2026-05-01', { usd: 700, amount: 700 }),
      ...sales.map(([ts, usd], index) => trade('sell', 2 + index, ts, { usd })),
    ],
  })
  const ofX = rows.filter(({ token }) => token === 'x')
  expect(ofX.map(({ is_ranked }) => is_ranked)).toEqual([false, true, false, true, false, true, false])
})

test('a result is ranked only if the trades that bought and sold it count, also after the lot was carried', async () => {
  const result = async (bought: boolean, sold: boolean, wallet = '0xa') => {
    const rows = await run('core.disposals', {
      'core.tokens': monies,
      'core.prices': [{ chain: 'base', token: 'x', ts: '2026-06-01', depth_usd: 1_000 }],
      'core.owners': [{ address: '0xb', owner: '0xa' }],
      'core.trades': [
        trade('buy', 1, '2026-05-01', { usd: 70, is_countable: bought }),
        trade('sell', 9, '2026-06-01 10:00:00', { usd: 90, is_countable: sold, wallet }),
      ],
      'core.transfers': ['in', 'out'].map((direction) => ({
        wallet: direction === 'in' ? '0xb' : '0xa',
        counterparty: direction === 'in' ? '0xa' : '0xb',
        chain: 'base',
        block: wallet === '0xa' ? 20 : 5,
        tx_index: 0,
        tx: '0x5',
        seq: 0,
        token: 'x',
        ts: '2026-05-05',
        direction,
        amount: 100,
        basis: 'carry',
      })),
    })
    return rows.filter(({ kind, token }) => kind === 'sale' && token === 'x').map(({ is_ranked }) => is_ranked)
  }
  expect(await result(true, true)).toEqual([true])
  expect(await result(true, false)).toEqual([false])
  expect(await result(false, true)).toEqual([false])
  expect(await result(true, true, '0xb')).toEqual([true])
  expect(await result(false, true, '0xb')).toEqual([false])
})
