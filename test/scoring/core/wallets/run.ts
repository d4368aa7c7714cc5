import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'

import { openDuckDB, withConnection } from '#storage/duckdb.ts'

import { buildTables, createGiven, loadWalletModels, type Rows } from './tables.ts'

/** The instant that builds of tests are as of. */
const clock = '2026-11-20 12:00:00'

let opened: Promise<DuckDBInstance> | undefined
const open = (): Promise<DuckDBInstance> =>
  openDuckDB({ threads: 1, memory: '1GB', scratch: join(tmpdir(), `tapeline-wallets-${process.pid}`) })

/**
 * Builds a table of wallets with all tables before it, over given rows. Its rows come back in the order of the key,
 * numbers as numbers.
 */
export async function run(table: string, given: Rows): Promise<Record<string, unknown>[]> {
  const instance = await (opened ??= open())
  const models = await loadWalletModels()
  await createGiven(instance, { 'core.clock': [{ as_of: clock }], ...given })
  await buildTables(instance, models, [table])
  return withConnection(instance, async (connection) => {
    const reader = await connection.runAndReadAll(`from ${table} order by all`)
    const types = new Map(reader.columnNames().map((name, index) => [name, String(reader.columnType(index))]))
    const isNumber = (name: string): boolean => /^(DECIMAL|BIGINT|INTEGER|HUGEINT|DOUBLE)/.test(types.get(name) ?? '')
    return reader
      .getRowObjectsJson()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, isNumber(name) && value !== null ? Number(value) : value]),
        ),
      )
  })
}

/** A trade of token `x` for the stable `usdc`, or the reverse, of `usd` dollars. */
export const trade = (
  side: 'buy' | 'sell',
  block: number,
  ts: string,
  {
    usd,
    gas_usd = 0,
    wallet = '0xa',
    token = 'x',
    amount = 100,
    ...rest
  }: Record<string, string | number | boolean> & {
    usd: number
  },
): Rows[string][number] => {
  const [token_sold, token_bought] = side === 'buy' ? ['usdc', token] : [token, 'usdc']
  const [amount_sold, amount_bought] = side === 'buy' ? [usd, amount] : [amount, usd]
  const place = { wallet, chain: 'base', block, tx_index: 0, tx: `0x${block}`, seq: 0, ts }
  return {
    ...place,
    kind: 'swap',
    is_certain: true,
    is_countable: true,
    token_sold,
    amount_sold,
    token_bought,
    amount_bought,
    usd,
    gas_usd,
    ...rest,
  }
}

/** The chain's monies. */
export const monies = [
  { chain: 'base', token: 'usdc', kind: 'stable', decimals: 6 },
  { chain: 'base', token: 'native', kind: 'native', decimals: 18 },
]
