import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

import { parseColumns } from '#models/columns.ts'
import { orderModels } from '#models/dag.ts'
import { parseModel } from '#models/load.ts'
import { checkTable } from '#models/materialize.ts'
import { layers, type Model, type ModelColumn } from '#models/model.ts'
import { runFold } from '#models/run_fold.ts'
import { lotLedger } from '#scoring/wallets/core/lots/lot_ledger.ts'
import { withConnection } from '#storage/duckdb.ts'

/** The folder of the models of wallets. */
export const walletFolder = fileURLToPath(new URL('../../../scoring/wallets/', import.meta.url))

/** The models of wallets: the real ones, or a copy with a bug in it. */
export async function loadWalletModels(folder = walletFolder, fold = lotLedger): Promise<Model[]> {
  const paths = await readdir(folder, { recursive: true })
  const texts = paths.filter((path) => path.endsWith('.sql') && basename(path, '.sql') !== fold.name)
  const parsed = texts.sort().map(async (path) => {
    const layer = layers.find((one) => path.startsWith(`${one}/`))
    if (layer === undefined) throw new Error(`${path}: no layer; expected a folder of ${layers.join(', ')}`)
    return parseModel(layer, basename(path, '.sql'), await readFile(join(folder, path), 'utf8'))
  })
  return [fold, ...(await Promise.all(parsed))]
}

/** The tables that the models of wallets read and do not make. */
const given: Record<string, ModelColumn[]> = Object.fromEntries(
  Object.entries({
    'core.clock': 'as_of;',
    'core.tokens': 'chain, token; symbol?, decimals UTINYINT, kind, asset_id?, first_pool_at?, is_listed, is_excluded',
    'core.prices':
      'chain, token, ts; usd_per_token DOUBLE, method, volume_usd, amount, n_pools, n_senders, depth_usd, is_thin',
    'core.owners': 'address; owner, reason',
    'core.trades':
      'wallet, chain, block, tx_index, tx, seq; ts, kind, token_sold, amount_sold, token_bought, amount_bought, usd?,' +
      ' usd_method, gas_usd, protocol, n_swaps, is_self, is_inferred',
    'core.transfers':
      'wallet, chain, block, tx_index, tx, seq, token; ts, direction, amount, counterparty, usd?, basis',
    'staging.transactions':
      'chain, block, tx_index, tx; ts, sender, recipient?, amount, nonce? BIGINT, is_ok, gas_used? BIGINT, amount_fee,' +
      ' amount_l1_fee?',
    'staging.addresses': 'chain, address; code_hash?, kind?, owner?, first_tx_at?',
    'staging.swaps':
      'chain, block, tx_index, tx, log_index; ts, family, pool?, coin0_index?, coin1_index?, token0?, token1?, amount0?,' +
      ' amount1?, sender?, recipient?, trader?, sqrt_price? BIGNUM, liquidity? BIGNUM',
    'staging.pools': 'chain, pool; family, tokens VARCHAR[], factory?, created_at?, created_tx?',
    'staging.balances': 'chain, address, token; block, amount, seen_at',
  }).map(([table, notation]) => [table, parseColumns(notation)]),
)

export type Rows = Record<string, readonly Record<string, Value>[]>
type Value = string | number | bigint | boolean | null | readonly string[]

/** Makes the given tables anew, with these rows; a column that a row does not name is null, or a plain default. */
export const createGiven = (instance: DuckDBInstance, rows: Rows): Promise<void> =>
  withConnection(instance, async (connection) => {
    for (const schema of ['staging', 'core', 'metrics', 'marts']) {
      await connection.run(`drop schema if exists ${schema} cascade; create schema ${schema}`)
    }
    for (const [table, columns] of Object.entries(given)) {
      await connection.run(`create table ${table} (${columns.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
      await insert(connection, table, columns, rows[table] ?? [])
    }
    const unknown = Object.keys(rows).find((table) => given[table] === undefined)
    if (unknown !== undefined) throw new Error(`table ${unknown}: not given; expected a table of the list`)
  })

async function insert(
  connection: DuckDBConnection,
  table: string,
  columns: readonly ModelColumn[],
  rows: Rows[string],
): Promise<void> {
  for (let start = 0; start < rows.length; start += 1_000) {
    const values = rows
      .slice(start, start + 1_000)
      .map((row) => `(${columns.map((column) => literalOf(row[column.name], column)).join(', ')})`)
    await connection.run(`insert into ${table} values ${values.join(', ')}`)
  }
}

function literalOf(value: Value | undefined, { sql, isNullable }: ModelColumn): string {
  if (value === null || (value === undefined && isNullable)) return 'null'
  if (Array.isArray(value)) return `[${value.map((one) => `'${one}'`).join(', ')}]::${sql}`
  return `'${value === undefined ? defaultOf(sql) : String(value)}'::${sql}`
}

const defaultOf = (sql: string): string => {
  if (sql === 'VARCHAR') return ''
  if (sql === 'BOOLEAN') return 'false'
  return sql === 'TIMESTAMP' ? '2026-01-01' : '0'
}

/** Builds the wanted tables and their inputs as a build does. Each has a unique key and its documented columns. */
export const buildTables = (instance: DuckDBInstance, models: readonly Model[], wanted: readonly string[]) =>
  withConnection(instance, async (connection) => {
    const targets = models.filter(({ layer, name }) => wanted.includes(`${layer}.${name}`))
    for (const { model } of await orderModels(connection, models, new Set(Object.keys(given)), targets)) {
      const { layer, name } = model
      const outputs = model.kind === 'fold' ? Object.keys(model.outputs) : [name]
      for (const table of outputs) await connection.run(`drop table if exists ${layer}.${table}`)
      if (model.kind === 'fold') {
        await runFold(instance, model)
        continue
      }
      const columns = model.columns.map((column) => `"${column.name}"::${column.sql} as "${column.name}"`)
      await connection.run(`create table ${layer}.${name} as select ${columns.join(', ')} from (${model.sql}\n)`)
      await checkTable(connection, model)
    }
  })
