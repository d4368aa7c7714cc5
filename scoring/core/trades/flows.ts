import { readFileSync } from 'node:fs'

import { DuckDBTimestampValue, type DuckDBDataChunk } from '@duckdb/node-api'

import type { Emit, FoldModel, ModelColumn } from '#builder/model.ts'

import type { Flow, SwapFact, Trade } from './flows/facts.ts'
import { movementsOf } from './flows/movements.ts'
import { flowsOf } from './flows/net_flows.ts'
import { counterpartyOf, otherFlowsOf } from './flows/others.ts'
import { tradesOf } from './flows/trades.ts'
import { chainOf, factsOf } from './transaction.ts'
import { transactionsOf, type InputRow } from './transaction_rows.ts'

/** The columns of an output from their types: first the key, then the rest. */
const table = (key: Record<string, string>, rest: Record<string, string>): ModelColumn[] =>
  [key, rest].flatMap((columns, index) =>
    Object.entries(columns).map(([name, sql]) => ({ name, sql, isNullable: false, isKey: index === 0 })),
  )

const place = {
  wallet: 'VARCHAR',
  chain: 'VARCHAR',
  block: 'BIGINT',
  tx_index: 'INTEGER',
  tx: 'VARCHAR',
  seq: 'INTEGER',
}

const movement = table(
  { ...place, token: 'VARCHAR' },
  { ts: 'TIMESTAMP', amount: 'BIGNUM', counterparty: 'VARCHAR', is_inferred: 'BOOLEAN' },
)

const outputs = {
  flows: movement,
  other_flows: movement,
  trade_legs: table(place, {
    ts: 'TIMESTAMP',
    kind: 'VARCHAR',
    token_sold: 'VARCHAR',
    amount_sold: 'BIGNUM',
    token_bought: 'VARCHAR',
    amount_bought: 'BIGNUM',
    protocol: 'VARCHAR',
    n_swaps: 'BIGINT',
    is_bound: 'BOOLEAN',
    is_certain: 'BOOLEAN',
  }),
}

/**
 * The net movements of wallets and the legs of their trades, transaction by transaction. The rows of one transaction
 * decide, but only together, so each step of the rule would be a join in SQL. The functions read some 600,000 rows in a CPU
 * second.
 */
export const flows: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'flows',
  doc:
    'The net movement of each token for each candidate wallet of a transaction (`flows`), and for each other address ' +
    'that is no pool (`other_flows`). `counterparty` is the other side of its largest movement, or empty. ' +
    '`trade_legs` has the trades that follow from the flows, before they are valued.',
  sql: readFileSync(new URL('flows.sql', import.meta.url), 'utf8'),
  outputs,
  fold: foldTransactions,
}

/** The number of transactions whose rows are emitted at once. */
const batchSize = 512

async function foldTransactions(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const rows: Record<keyof typeof outputs, unknown[][]> = { flows: [], other_flows: [], trade_legs: [] }
  const flush = (): void => {
    for (const name of ['flows', 'other_flows', 'trade_legs'] as const) {
      if (rows[name].length > 0) emit(name, turned(rows[name], outputs[name].length))
      rows[name] = []
    }
  }
  let n = 0
  for await (const facts of transactionsOf(chunks)) {
    const [transaction] = facts
    // Without its transaction, the sender of a row is unknown.
    if (transaction?.kind !== 'transaction') continue
    const [tx, chain] = [factsOf(transaction, facts), chainOf(transaction, facts)]
    const [txFlows, movements] = [flowsOf(tx, chain), movementsOf(tx, chain)]
    const readers = transaction.readers === null ? null : new Set(transaction.readers.split(','))
    const isCounted = ({ wallet }: { wallet: string }): boolean => readers === null || readers.has(wallet)
    const at = [transaction.chain, transaction.block, transaction.tx_index, transaction.tx]
    const rowOf = (flow: Flow): unknown[] => flowRow(flow, at, transaction, counterpartyOf(flow, tx, movements))
    rows.flows.push(...txFlows.filter(isCounted).map(rowOf))
    rows.other_flows.push(...otherFlowsOf(tx, txFlows, chain).filter(isCounted).map(rowOf))
    const trades = tradesOf(tx, txFlows, chain).filter(isCounted)
    rows.trade_legs.push(...trades.map((trade) => tradeRow(trade, at, transaction, tx.swaps)))
    if (++n % batchSize === 0) flush()
  }
  flush()
}

const timestamp = (micros: bigint): DuckDBTimestampValue => new DuckDBTimestampValue(micros)

const flowRow = (
  { wallet, seq, token, amount, is_inferred }: Flow,
  at: unknown[],
  { ts_us }: InputRow,
  counterparty: string,
): unknown[] => [wallet, ...at, seq, token, timestamp(ts_us), amount, counterparty, is_inferred]

const tradeRow = (trade: Trade, at: unknown[], { ts_us }: InputRow, swaps: readonly SwapFact[]): unknown[] => [
  trade.wallet,
  ...at,
  trade.seq,
  timestamp(ts_us),
  trade.kind,
  trade.token_sold,
  trade.amount_sold,
  trade.token_bought,
  trade.amount_bought,
  protocolOf(swaps),
  BigInt(swaps.length),
  trade.is_bound,
  trade.is_certain,
]

/** The last router that a transaction names, else its last pool; empty without an event. */
const protocolOf = (swaps: readonly SwapFact[]): string =>
  (swaps.findLast(({ pool }) => pool === null) ?? swaps.at(-1))?.family ?? ''

/** Rows as columns. */
const turned = (rows: readonly unknown[][], n_columns: number): unknown[][] =>
  Array.from({ length: n_columns }, (_, n) => rows.map((row) => row[n]))
