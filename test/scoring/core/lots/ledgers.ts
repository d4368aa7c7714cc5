import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBTimestampValue, type DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'

import type { Model } from '#builder/model.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import type { Disposal, Ledger, Lot, Unmatched, World } from '#test/oracle/lots/types.ts'
import { buildTables, createGiven, type Rows } from '#test/scoring/core/wallets/tables.ts'

/** A DuckDB for ledgers. */
export const openLotDuckDB = (threads: number): Promise<DuckDBInstance> =>
  openDuckDB({ threads, memory: '1GB', scratch: join(tmpdir(), `tapeline-lots-${process.pid}`) })

/** The ledger of a world by the models, each table in the order of its key. */
export async function runLots(instance: DuckDBInstance, models: readonly Model[], world: World): Promise<Ledger> {
  await createGiven(instance, rowsOf(world))
  await buildTables(instance, models, ['core.lots', 'core.disposals', 'core.unmatched'])
  return readLedger(instance)
}

const readLedger = (instance: DuckDBInstance): Promise<Ledger> =>
  withConnection(instance, async (connection) => {
    const read = async <T>(table: string, shape: (row: Record<string, DuckDBValue>) => T): Promise<T[]> => {
      const reader = await connection.runAndReadAll(`from ${table}`)
      return reader.getRowObjects().map(shape)
    }
    return sorted({
      lots: await read('core.lots', lotOf),
      disposals: await read('core.disposals', disposalOf),
      unmatched: await read('core.unmatched', unmatchedOf),
    })
  })

/** A ledger with its rows in one order, so that equal ledgers are deeply equal. */
export function sorted({ lots, disposals, unmatched }: Ledger): Ledger {
  const by =
    <T>(key: (row: T) => string) =>
    (a: T, b: T): number =>
      key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0
  const digits = (value: number): string => String(value).padStart(12, '0')
  const placeOf = ({ wallet, chain, token, block, tx_index, seq, kind }: Unmatched): string =>
    [wallet, chain, token, digits(block), digits(tx_index), digits(seq), kind].join(' ')
  return {
    lots: [...lots].sort(by(({ wallet, chain, token, lot }) => [wallet, chain, token, digits(lot)].join(' '))),
    disposals: [...disposals].sort(by((row) => `${placeOf(row)} ${digits(row.lot)}`)),
    unmatched: [...unmatched].sort(by(placeOf)),
  }
}

/** The given tables of a world. */
export const rowsOf = ({ trades, transfers, owners, kinds }: World): Rows => ({
  'core.trades': trades.map(({ gas, usd, ts, ...trade }) => ({
    ...trade,
    ts: instant(ts),
    usd: usd === null ? null : dollars(usd),
    gas_usd: dollars(gas),
    kind: trade.token_sold === trade.token_bought ? 'arbitrage' : 'swap',
    is_countable: true,
  })),
  'core.transfers': transfers.map(({ usd, ts, ...transfer }) => ({
    ...transfer,
    ts: instant(ts),
    usd: usd === null ? null : dollars(usd),
  })),
  'core.owners': [...owners].map(([address, owner]) => ({ address, owner })),
  'core.tokens': [...new Set([...trades, ...transfers].map(({ chain }) => chain))].flatMap((chain) =>
    [...kinds].map(([token, kind]) => ({ chain, token, kind })),
  ),
})

const instant = (ts: number): string =>
  new Date(ts / 1_000).toISOString().slice(0, -1) + String(ts % 1_000).padStart(3, '0')

/** Millionths as a decimal. */
const dollars = (value: bigint): string => {
  const digits = String(value < 0n ? -value : value).padStart(7, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

type Row = Record<string, DuckDBValue>

const millionths = (value: DuckDBValue | undefined): bigint | null =>
  value === null || value === undefined ? null : BigInt(String(value).replace('.', ''))
const micros = (value: DuckDBValue | undefined): number => {
  if (!(value instanceof DuckDBTimestampValue)) throw new TypeError(`${String(value)} is no timestamp`)
  return Number(value.micros)
}
const whole = (value: DuckDBValue | undefined): bigint => BigInt(String(value))

const lotOf = (row: Row): Lot => ({
  wallet: String(row['wallet']),
  chain: String(row['chain']),
  token: String(row['token']),
  lot: Number(row['lot']),
  ts: micros(row['ts']),
  tx: String(row['tx']),
  origin: String(row['origin']) as Lot['origin'],
  amount: whole(row['amount']),
  amount_left: whole(row['amount_left']),
  cost: millionths(row['cost_usd']),
  cost_left: millionths(row['cost_left_usd']),
})

const unmatchedOf = (row: Row): Unmatched => ({
  wallet: String(row['wallet']),
  chain: String(row['chain']),
  token: String(row['token']),
  block: Number(row['block']),
  tx_index: Number(row['tx_index']),
  tx: String(row['tx']),
  seq: Number(row['seq']),
  ts: micros(row['ts']),
  kind: String(row['kind']) as Disposal['kind'],
  amount: whole(row['amount']),
  proceeds: millionths(row['proceeds_usd']),
})

const disposalOf = (row: Row): Disposal => ({
  ...unmatchedOf(row),
  lot: Number(row['lot']),
  cost: millionths(row['cost_usd']),
  gas: millionths(row['gas_usd']) ?? 0n,
  pnl: millionths(row['pnl_usd']),
  held_s: whole(row['held_s']),
})
