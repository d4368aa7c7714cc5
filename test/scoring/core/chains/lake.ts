import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'

import { tablesOf } from '#builder/dag.ts'
import type { Model } from '#builder/model.ts'
import { loadScoring } from '#scoring/index.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { buildTables, createGiven, type Rows } from '#test/scoring/core/wallets/tables.ts'

/** The instant that builds of chains are as of. */
export const clock = '2026-11-20 12:00:00'

/** The tables that models of chains are given: the lake, the clock and the chains. */
const given = [
  'core.clock',
  'core.chains',
  ...'coverage transactions swaps transfers calls user_operations pools tokens addresses balances'
    .split(' ')
    .map((name) => `lake.${name}`),
]

/** A chain with two dollars, of 6 and 18 decimals, a coin of 18, and tokens `a` (18) and `b` (0). */
export const chainRows: Rows = {
  'core.clock': [{ as_of: clock }],
  'core.chains': [
    { chain: 'base', native_symbol: 'ETH', native_decimals: 18, wrapped: 'weth', stables: ['usdc', 'dai'] },
  ],
  'lake.tokens': Object.entries({ usdc: 6, dai: 18, weth: 18, a: 18, b: 0 }).map(([token, decimals]) => ({
    chain: 'base',
    token,
    symbol: token.toUpperCase(),
    decimals,
    source: 'evm',
  })),
  'lake.coverage': ['transactions', 'swaps', 'transfers', 'user_operations'].map((dataset) => ({
    dataset,
    unit: 'evm/base/0-1000000',
    part: 'base',
    key: '',
    precedence: 1,
    state: 'done',
    from_block: 0,
    to_block: 1_000_000,
    source: 'evm',
  })),
}

let opened: Promise<DuckDBInstance> | undefined
const open = (): Promise<DuckDBInstance> =>
  openDuckDB({ threads: 2, memory: '1GB', scratch: join(tmpdir(), `tapeline-chains-${process.pid}`) })

const models = await loadScoring()

const nameOf = (model: Model | undefined): string => {
  if (model === undefined) throw new Error('no model makes the table; expected a table of scoring')
  return `${model.layer}.${model.name}`
}

/** Builds tables over a lake with these rows, in addition to `chainRows`, and returns the rows of each, by key. */
export async function build<const T extends string>(
  tables: readonly T[],
  rows: Rows,
): Promise<Record<T, Record<string, unknown>[]>> {
  const instance = await (opened ??= open())
  const merged = Object.fromEntries(
    [...new Set([...Object.keys(chainRows), ...Object.keys(rows)])].map((table) => [
      table,
      [
        ...(table === 'core.clock' && rows[table] !== undefined ? [] : (chainRows[table] ?? [])),
        ...(rows[table] ?? []),
      ],
    ]),
  )
  await createGiven(instance, merged, given)
  const outputs = new Map(models.flatMap((model) => tablesOf(model).map((table) => [table, model] as const)))
  await buildTables(
    instance,
    models,
    tables.map((table) => nameOf(outputs.get(table))),
    given,
  )
  return withConnection(instance, async (connection) => {
    const read = async (table: string) =>
      (await connection.runAndReadAll(`from ${table} order by all`)).getRowObjectsJson() as Record<string, unknown>[]
    const found: [string, Record<string, unknown>[]][] = []
    for (const table of tables) found.push([table, await read(table)])
    return Object.fromEntries(found) as Record<T, Record<string, unknown>[]>
  })
}

/** The instant of a block, two seconds after the one before. Block 0 is at 10:00 of the clock's day. */
export const timeOf = (block: number): string =>
  new Date(Date.UTC(2026, 10, 20, 10) + block * 2_000).toISOString().slice(0, 19)

type Place = { block: number; tx?: string; log_index?: number; ts?: string }
const placeOf = ({ block, tx = `0x${block}`, ts = timeOf(block) }: Place) => ({
  chain: 'base',
  block,
  tx_index: 0,
  tx,
  ts,
  source: 'evm',
})

/** A transaction that succeeded, of `sender`. */
export const transaction = (sender: string, place: Place, more: Rows[string][number] = {}): Rows[string][number] => ({
  ...placeOf(place),
  sender,
  recipient: 'router',
  is_ok: true,
  ...more,
})

export const transfer = (
  token: string,
  [sender, recipient]: readonly [string, string],
  amount: bigint,
  place: Place,
): Rows[string][number] => ({
  ...placeOf(place),
  log_index: place.log_index ?? 0,
  kind: 'transfer',
  token,
  sender,
  recipient,
  amount,
})

/** A swap in a pool: the amount paid in, and the amount paid out. */
export const swap = (
  pool: string,
  paid: readonly [string, bigint],
  got: readonly [string, bigint],
  place: Place,
): Rows[string][number] => ({
  ...placeOf(place),
  log_index: place.log_index ?? 9,
  family: 'uniswap_v3',
  pool,
  token0: paid[0],
  token1: got[0],
  amount0: paid[1],
  amount1: -got[1],
})

/** The transfers of a swap: the payment of the sender to the pool, and the payment of the pool. */
export const movesOf = (
  pool: string,
  sender: string,
  [paid, got]: readonly [readonly [string, bigint], readonly [string, bigint]],
  place: Place,
): Rows[string] => [
  transfer(paid[0], [sender, pool], paid[1], { ...place, log_index: 1 }),
  transfer(got[0], [pool, sender], got[1], { ...place, log_index: 2 }),
]
