import {
  DuckDBDoubleVector,
  DuckDBIntegerVector,
  DuckDBVarCharVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

import { set, zero, type Amount } from './amount.ts'

/**
 * The kinds of events, in their order within a `seq`: a transfer in, a transfer from another address of the owner, a
 * purchase, the two halves of a round trip, a sale, a transfer out.
 */
export const kinds = ['in', 'carry', 'buy', 'paid', 'returned', 'sale', 'out'] as const

/**
 * The current row, which the next one overwrites: one side of a trade or transfer. Numbers stand for the wallet, its
 * owner, the sender of a carry and the token. `usd` and `gas` are whole millionths of a US dollar, `usd` NaN
 * where it is not priced; `ts` is in microseconds.
 */
export type Leg = {
  cluster: number
  token: number
  wallet: number
  from: number
  block: number
  txIndex: number
  seq: number
  kind: (typeof kinds)[number]
  ts: number
  amount: Amount
  usd: number
  gas: number
}

/** The columns of `lot_ledger.sql`, in order. Amounts are split as in `Amount`. */
const columns =
  'cluster_index token_index block tx_index seq kind wallet_index from_index ts_us high low wide usd gas'.split(' ')

export const openLeg = (): Leg => ({
  cluster: -1,
  token: -1,
  wallet: -1,
  from: -1,
  block: 0.5,
  txIndex: -1,
  seq: -1,
  kind: 'in',
  ts: 0.5,
  amount: zero(),
  usd: 0.5,
  gas: 0.5,
})

/** Reads the rows of a chunk by index, each into `leg`. */
export function legsOf(chunk: DuckDBDataChunk, leg: Leg): (index: number) => void {
  const column = <V extends DuckDBVector>(name: string, type: new (...args: never[]) => V): V => {
    const vector = chunk.getColumnVector(columns.indexOf(name))
    if (vector instanceof type) return vector
    throw new TypeError(`lot_ledger.sql, column ${name}: type ${vector.type.toString()}; expected another type`)
  }
  const whole = (name: string): DuckDBIntegerVector => column(name, DuckDBIntegerVector)
  const [clusters, tokens, wallets] = [whole('cluster_index'), whole('token_index'), whole('wallet_index')]
  const [senders, indexes, seqs, codes] = [whole('from_index'), whole('tx_index'), whole('seq'), whole('kind')]
  const double = (name: string): DuckDBDoubleVector => column(name, DuckDBDoubleVector)
  const [blocks, instants, highs, lows] = [double('block'), double('ts_us'), double('high'), double('low')]
  const [values, fees] = [double('usd'), double('gas')]
  const wides = column('wide', DuckDBVarCharVector)
  return (index) => {
    leg.cluster = known(clusters.getItem(index), 'cluster_index')
    leg.token = known(tokens.getItem(index), 'token_index')
    leg.wallet = known(wallets.getItem(index), 'wallet_index')
    leg.from = known(senders.getItem(index), 'from_index')
    leg.block = known(blocks.getItem(index), 'block')
    leg.txIndex = known(indexes.getItem(index), 'tx_index')
    leg.seq = known(seqs.getItem(index), 'seq')
    leg.kind = known(kinds[known(codes.getItem(index), 'kind')] ?? null, 'kind')
    leg.ts = known(instants.getItem(index), 'ts_us')
    leg.usd = values.getItem(index) ?? Number.NaN
    leg.gas = known(fees.getItem(index), 'gas')
    const high = highs.getItem(index)
    if (high === null) return set(leg.amount, BigInt(known(wides.getItem(index), 'wide')))
    leg.amount.high = high
    leg.amount.low = known(lows.getItem(index), 'low')
  }
}

function known<T>(value: T | null, column: string): T {
  if (value === null) throw new Error(`lot_ledger.sql, column ${column}: null; expected a value`)
  return value
}
