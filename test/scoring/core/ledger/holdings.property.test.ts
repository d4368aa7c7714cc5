import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { parseModel } from '#builder/load.ts'
import type { SqlModel } from '#builder/model.ts'
import { withConnection } from '#storage/duckdb.ts'
import { oracleHoldings, type Holding } from '#test/oracle/ledger/holdings.ts'
import { sized } from '#test/run/sized.ts'

import { sampleHistories } from './ledger_search.ts'
import { ledgerFolder, loadLedger, openLedgerDuckDB, runLedgers } from './ledgers.ts'

/** A row of `core.holdings`, amounts in millionths; its trader has the number of its history. */
type Row = Omit<Holding, 'change' | 'size'> & { ordinal: string; change: string; size: string }

const sample = sampleHistories({ n: sized(300, 600, 1_500), seed: 515 })
let instance: DuckDBInstance
let rows: Row[]
beforeAll(async () => {
  instance = await openLedgerDuckDB(1)
  const models = await loadLedger()
  const [conversions, holdings] = await Promise.all(['conversions', 'holdings'].map(load))
  if (conversions === undefined || holdings === undefined) throw new Error('no models')
  await runLedgers(instance, { ...models, after: [...models.after, conversions, holdings] }, sample)
  rows = await ask<Row>(
    `select trader, market_id, outcome, ordinal, epoch_us(ts) as ts, kind, tx, (size_change * 1000000)::bigint as change,
       (size * 1000000)::bigint as size
     from core.holdings order by trader, market_id, outcome, ordinal`,
  )
})
afterAll(() => instance.closeSync())

const load = async (name: string): Promise<SqlModel> =>
  parseModel('core', name, await readFile(join(ledgerFolder, `${name}.sql`), 'utf8'))
const ask = <T>(sql: string): Promise<T[]> =>
  withConnection(
    instance,
    async (connection) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as unknown as T[],
  )

type Instant = { moves: string[]; size: string }

/** The moves of each position and instant in a fixed order, and the shares after the last of them. */
function byInstant(moves: readonly (Omit<Row, 'ordinal'> & { history: number })[]): Map<string, Instant> {
  const instants = new Map<string, Instant>()
  for (const { history, trader, market_id, outcome, ts, kind, tx, change, size } of moves) {
    const key = [history, trader, market_id, outcome, ts].join(' ')
    const before = instants.get(key)?.moves ?? []
    instants.set(key, { moves: [...before, `${kind} ${tx} ${change}`].toSorted(), size })
  }
  return instants
}

describe('core.holdings', () => {
  test('has the moves of the independent ledger, and its shares after each instant', () => {
    const expected = sample.flatMap(({ events, context }, history) =>
      oracleHoldings(events, context).map((move) => ({
        ...move,
        history,
        change: String(move.change),
        size: String(move.size),
      })),
    )
    const found = rows.map((row) => ({
      ...row,
      history: Number(row.trader.slice(0, 6)),
      trader: row.trader.slice(7),
      market_id: row.market_id.slice(7),
    }))
    expect(new Set(expected.map(({ kind }) => kind))).toEqual(
      new Set(['buy', 'split', 'conversion', 'merge', 'sale', 'redemption', 'transfer', 'migration']),
    )
    expect(byInstant(found)).toEqual(byInstant(expected))
  })

  test('numbers the moves of a position from 0, each with the shares before it and its change', () => {
    const last = new Map<string, { ordinal: number; size: bigint }>()
    for (const { trader, market_id, outcome, ordinal, change, size } of rows) {
      const key = [trader, market_id, outcome].join(' ')
      const before = last.get(key) ?? { ordinal: -1, size: 0n }
      expect([Number(ordinal), BigInt(size)]).toEqual([before.ordinal + 1, before.size + BigInt(change)])
      expect(BigInt(size) >= 0n, `${key}: below 0 shares`).toBe(true)
      last.set(key, { ordinal: Number(ordinal), size: BigInt(size) })
    }
    expect(last.size).toBeGreaterThan(sample.length)
  })

  test('ends with the shares of core.positions', async () => {
    const [{ n_other, n } = { n_other: '', n: '' }] = await ask<{ n_other: string; n: string }>(
      `with ends as (
         select trader, market_id, outcome, arg_max(size, ordinal) as size from core.holdings group by all
       )
       select count(*) filter (coalesce(e.size, 0) <> p.size) as n_other, count(*) filter (p.size > 0) as n
       from core.positions p left join ends e using (trader, market_id, outcome)`,
    )
    expect(Number(n)).toBeGreaterThan(sample.length / 2)
    expect(n_other).toBe('0')
  })
})
