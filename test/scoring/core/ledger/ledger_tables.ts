import {
  DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampValue,
  type DuckDBConnection,
  type DuckDBValue,
} from '@duckdb/node-api'

import { parseColumns } from '#builder/columns.ts'
import type { LedgerEvent, Position, Realization } from '#test/oracle/ledger/event.ts'
import type { History } from '#test/oracle/ledger/history.ts'

/** The results of a ledger, in the order of the keys. */
export type Results = { realizations: Realization[]; positions: Position[] }

type Row = Record<string, DuckDBValue>

const usd = (millionths: bigint): DuckDBDecimalValue => new DuckDBDecimalValue(millionths, 38, 6)
const ratio = (millionths: bigint): DuckDBDecimalValue => new DuckDBDecimalValue(millionths, 9, 6)
const instant = (us: number): DuckDBTimestampValue => new DuckDBTimestampValue(BigInt(us))

/** An id of the history with this number, which no other history has. */
const own = (history: number, id: string): string => `${String(history).padStart(6, '0')}/${id}`

/**
 * Makes the tables that the ledger reads, with the events of all histories in the order in which they are given. The
 * fills have the columns of `core.fills` without the numbers of trader and market, which `numberFills` adds.
 */
export async function createInputs(connection: DuckDBConnection, histories: readonly History[]): Promise<void> {
  const create = (name: string, columns: string, rows: (history: History, number: number) => Row[]): Promise<void> =>
    createTable(connection, name, columns, histories.flatMap(rows))
  await create(
    'staging.fills',
    `trader, event_id, ts, seq; tx, venue, market_id, outcome, side, role?, price, size, cash_usd, fee_usd,
    is_fee_estimated, is_self`,
    fills,
  )
  await create(
    'core.markets',
    `market_id; venue, event_id, category?, n_outcomes, starts_at?, starts_by?, resolved_at?, neg_risk_id?,
    neg_risk_index?`,
    markets,
  )
  await create(
    'staging.activity',
    'venue, trader, ts, tx, kind, market_id, token_id, seq; size?, cash_usd?, neg_risk_id?, index_set?, n_questions?, source',
    moves,
  )
  await create('staging.wallet_owners', 'wallet; owner', () => [])
  await create('staging.outcome_tokens', 'token_id; market_id, outcome', tokens)
  await create(
    'core.share_transfers',
    `trader, ts, tx, seq, token_id, kind; wallet, venue, market_id, outcome, size, value_usd, trader_index,
    market_index`,
    transfers,
  )
  await create('staging.resolutions', 'market_id, ts; venue, payouts DECIMAL(9,6)[], status, tx?, source', resolutions)
}

/** Gives transfers their numbers, and makes `core.fills`, after the numbers of traders and markets. */
export async function numberTransfers(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    update core.share_transfers s set
      trader_index = (select trader_index from core.ledger_traders t where t.trader = s.trader),
      market_index = (select market_index from core.ledger_markets m where m.market_id = s.market_id)`)
}

/** Makes `core.fills` after the numbers of traders and markets. */
export async function numberFills(connection: DuckDBConnection): Promise<void> {
  await connection.run(`
    create or replace view core.fills as
    select f.*, t.trader_index, m.market_index
    from staging.fills f
    left join core.ledger_traders t on t.trader = f.trader
    left join core.ledger_markets m on m.market_id = f.market_id`)
}

const markets = ({ context }: History, number: number): Row[] =>
  context.markets.map(({ market_id, n_outcomes, neg_risk_id, neg_risk_index }) => ({
    market_id: own(number, market_id),
    venue: 'venue',
    event_id: own(number, neg_risk_id ?? market_id),
    n_outcomes: BigInt(n_outcomes),
    neg_risk_id: neg_risk_id === null ? null : own(number, neg_risk_id),
    neg_risk_index,
  }))

/** Fills as `core.fills` has them: `seq` is the ledger's order within a trader's instant, buys first. */
function fills({ events }: History, number: number): Row[] {
  const next = new Map<string, number>()
  return events
    .filter(({ kind }) => kind === 'buy' || kind === 'sell')
    .sort(byOrderOfFills)
    .map(({ trader, market_id, ts, tx, outcome, kind, size, cash, fee }) => {
      const seq = next.get(`${trader} ${ts}`) ?? 0
      next.set(`${trader} ${ts}`, seq + 1)
      return {
        trader: own(number, trader),
        event_id: own(number, market_id),
        ts: instant(ts),
        seq,
        tx,
        venue: 'venue',
        market_id: own(number, market_id),
        outcome,
        side: kind,
        role: null,
        price: ratio(500_000n),
        size: usd(size),
        cash_usd: usd(cash),
        fee_usd: usd(fee),
        is_fee_estimated: false,
        is_self: false,
      }
    })
}

const byOrderOfFills = (a: LedgerEvent, b: LedgerEvent): number =>
  compare(a.kind, b.kind) ||
  compare(a.tx, b.tx) ||
  compare(a.market_id, b.market_id) ||
  a.outcome - b.outcome ||
  compare(a.size, b.size) ||
  compare(a.cash, b.cash) ||
  a.seq - b.seq

const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

/** Moves as sources write them: an index set is a decimal or a hexadecimal integer, beside other kinds of activity. */
const moves = ({ events }: History, number: number): Row[] =>
  events
    .filter(({ kind }) => kind !== 'buy' && kind !== 'sell' && kind !== 'resolution')
    .flatMap((event, index) => {
      const { trader, market_id, ts, tx, seq, kind, outcome, size, cash, neg_risk_id, index_set, target } = event
      const move = {
        venue: 'venue',
        trader: own(number, trader),
        ts: instant(ts),
        tx,
        kind: kind as string,
        market_id: market_id === '' ? '' : own(number, market_id),
        token_id: outcome === -1 ? '' : tokenOf(number, market_id, outcome),
        seq,
        size: size === 0n ? null : usd(size),
        cash_usd: kind === 'redeem' ? usd(cash) : null,
        neg_risk_id: neg_risk_id === null ? null : own(number, neg_risk_id),
        n_questions: null,
        index_set: index_set === null ? null : index % 2 === 0 ? String(index_set) : `0x${index_set.toString(16)}`,
        source: 'test',
      }
      if (target !== null) {
        const to = own(number, target.market_id)
        const token_id = tokenOf(number, target.market_id, target.outcome)
        return [
          { ...move, size: usd(-size) },
          { ...move, market_id: to, token_id },
        ]
      }
      return index % 5 === 0 ? [move, { ...move, kind: 'reward' }] : [move]
    })

const tokenOf = (history: number, market_id: string, outcome: number): string => `${own(history, market_id)}/${outcome}`

const tokens = ({ context }: History, number: number): Row[] =>
  context.markets.flatMap(({ market_id, n_outcomes }) =>
    Array.from({ length: n_outcomes }, (_, outcome) => ({
      token_id: tokenOf(number, market_id, outcome),
      market_id: own(number, market_id),
      outcome,
    })),
  )

/** Transfers with their value, as `core.share_transfers` has them. */
const transfers = ({ events }: History, number: number): Row[] =>
  events
    .filter(({ kind }) => kind === 'transfer_in' || kind === 'transfer_out')
    .map(({ trader, market_id, ts, tx, seq, kind, outcome, size, cash }) => ({
      trader: own(number, trader),
      ts: instant(ts),
      tx,
      seq,
      token_id: tokenOf(number, market_id, outcome),
      kind: kind as string,
      wallet: own(number, trader),
      venue: 'venue',
      market_id: own(number, market_id),
      outcome,
      size: usd(size),
      value_usd: usd(cash),
      trader_index: 0,
      market_index: 0,
    }))

const resolutions = ({ events }: History, number: number): Row[] =>
  events.flatMap(({ market_id, ts, tx, payouts }) =>
    payouts === null
      ? []
      : {
          market_id: own(number, market_id),
          ts: instant(ts),
          venue: 'venue',
          payouts: new DuckDBListValue(payouts.map(ratio)),
          status: 'resolved',
          tx: tx === '' ? null : tx,
          source: 'test',
        },
  )

async function createTable(connection: DuckDBConnection, table: string, columns: string, rows: Row[]): Promise<void> {
  const parsed = parseColumns(columns)
  await connection.run(`create table ${table} (${parsed.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
  const [schema, name = ''] = table.split('.')
  const appender = await connection.createAppender(name, schema)
  const types = parsed.map((_, index) => appender.columnType(index))
  for (let start = 0; start < rows.length; start += 2048) {
    const part = rows.slice(start, start + 2048)
    const chunk = DuckDBDataChunk.create(types, part.length)
    chunk.setColumns(parsed.map((column) => part.map((row) => row[column.name] ?? null)))
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}

/** Reads what the ledger made of each history. */
export async function readResults(connection: DuckDBConnection, n_histories: number): Promise<Results[]> {
  const results = Array.from({ length: n_histories }, (): Results => ({ realizations: [], positions: [] }))
  const read = async (table: string, take: (results: Results, row: Row) => void): Promise<void> => {
    const reader = await connection.runAndReadAll(`from ${table} order by all`)
    for (const row of reader.getRowObjects()) {
      const of = results[Number(String(row['trader']).slice(0, 6))]
      if (of === undefined) throw new Error(`no history has the trader ${String(row['trader'])}`)
      take(of, row)
    }
  }
  await read('core.realizations', ({ realizations }, row) => realizations.push(realization(row)))
  await read('core.positions', ({ positions }, row) => positions.push(position(row)))
  return results
}

const realization = (row: Row): Realization => ({
  trader: id(row['trader']),
  market_id: id(row['market_id']),
  outcome: Number(row['outcome']),
  ts: micros(row['ts']),
  kind: String(row['kind']) as Realization['kind'],
  tx: String(row['tx']),
  seq: Number(row['seq']),
  size: millionths(row['size']),
  proceeds: millionths(row['proceeds_usd']),
  cost: millionths(row['cost_usd']),
  pnl: millionths(row['pnl_usd']),
})

const position = (row: Row): Position => ({
  trader: id(row['trader']),
  market_id: id(row['market_id']),
  outcome: Number(row['outcome']),
  size: millionths(row['size']),
  cost: millionths(row['cost_usd']),
  bought: millionths(row['bought_usd']),
  sold: millionths(row['sold_usd']),
  fees: millionths(row['fees_usd']),
  realized: millionths(row['realized_usd']),
  size_untracked: millionths(row['size_untracked']),
  untracked: millionths(row['untracked_usd']),
  first_at: micros(row['first_at']),
  last_at: micros(row['last_at']),
  is_complete: row['is_complete'] === true,
})

const id = (value: DuckDBValue | undefined): string => String(value).slice('000000/'.length)

function micros(value: DuckDBValue | undefined): number {
  if (!(value instanceof DuckDBTimestampValue)) throw new TypeError(`${String(value)} is no timestamp`)
  return Number(value.micros)
}

function millionths(value: DuckDBValue | undefined): bigint {
  if (!(value instanceof DuckDBDecimalValue) || value.scale !== 6) throw new TypeError(`${String(value)} is no amount`)
  return value.value
}
