import { DuckDBDoubleVector, DuckDBIntegerVector, type DuckDBDataChunk, type DuckDBVector } from '@duckdb/node-api'

import { isWide, set, zero, type Amount } from './amount.ts'

/** The largest number of rows in a chunk. */
const chunkRows = 2048

/**
 * The kinds of events, in their order within a `seq`: a transfer in, a transfer from another address of the owner, a
 * trade whose gas belongs to its purchase or to its sale, a round trip, a transfer out, and a row that moves nothing.
 */
export const kinds = ['in', 'carry', 'purchase', 'sale', 'roundTrip', 'out', 'nothing'] as const

/**
 * The current row, which the next one overwrites: a trade or a transfer. Numbers stand for the wallet, its owner, the
 * sender of a carry and the tokens. `received` came in and `sent` went out. `usd` and `gas` are whole millionths of a
 * US dollar, `usd` NaN where it is not priced; `ts` is in microseconds. `isCountable` is 0 for a trade whose results count
 * in no list, otherwise 1.
 */
export type Event = {
  cluster: number
  wallet: number
  from: number
  block: number
  txIndex: number
  seq: number
  kind: (typeof kinds)[number]
  ts: number
  received: Side
  sent: Side
  usd: number
  gas: number
  isCountable: number
}

export type Side = { token: number; amount: Amount }

/** The columns of `lot_ledger.sql`, in order. Amounts are split as in `Amount`. */
const columns = (
  'cluster_index block tx_index seq kind wallet_index from_index ts_us ' +
  'in_index in_high in_low in_wide out_index out_high out_low out_wide usd gas is_countable'
).split(' ')

export const openEvent = (): Event => ({
  cluster: -1,
  wallet: -1,
  from: -1,
  block: 0.5,
  txIndex: -1,
  seq: -1,
  kind: 'nothing',
  ts: 0.5,
  received: { token: -1, amount: zero() },
  sent: { token: -1, amount: zero() },
  usd: 0.5,
  gas: 0.5,
  isCountable: 0,
})

/** Reads the rows of a chunk by index into its event. */
export type Reader = { event: Event; open: (chunk: DuckDBDataChunk) => void; read: (index: number) => void }

/** The columns are copied to arrays that every chunk uses again. */
export function openReader(event: Event): Reader {
  const loads: ((chunk: DuckDBDataChunk) => void)[] = []
  const column = (name: string): Float64Array => {
    const values = new Float64Array(chunkRows)
    const index = columns.indexOf(name)
    loads.push((chunk) => copyNumbers(chunk.getColumnVector(index), values, name))
    return values
  }
  const [clusters, wallets, senders] = [column('cluster_index'), column('wallet_index'), column('from_index')]
  const [indexes, seqs, codes] = [column('tx_index'), column('seq'), column('kind')]
  const [blocks, instants, values, fees] = [column('block'), column('ts_us'), column('usd'), column('gas')]
  const counts = column('is_countable')
  const sideOf = (name: 'in' | 'out', side: Side): ((index: number) => void) => {
    const [tokens, highs, lows] = [column(`${name}_index`), column(`${name}_high`), column(`${name}_low`)]
    let wides: DuckDBVector | undefined
    loads.push((chunk) => {
      wides = chunk.getColumnVector(columns.indexOf(`${name}_wide`))
    })
    return (index) => {
      side.token = at(tokens, index)
      side.amount.high = at(highs, index)
      side.amount.low = at(lows, index)
      if (isWide(side.amount)) set(side.amount, BigInt(String(requireValue(wides?.getItem(index), `${name}_wide`))))
    }
  }
  const [readReceived, readSent] = [sideOf('in', event.received), sideOf('out', event.sent)]
  return {
    event,
    open: (chunk) => loads.forEach((load) => load(chunk)),
    read: (index) => {
      event.cluster = at(clusters, index)
      event.wallet = at(wallets, index)
      event.from = at(senders, index)
      event.block = at(blocks, index)
      event.txIndex = at(indexes, index)
      event.seq = at(seqs, index)
      event.kind = requireValue(kinds[at(codes, index)], 'kind')
      event.ts = at(instants, index)
      readReceived(index)
      readSent(index)
      event.usd = at(values, index)
      event.gas = at(fees, index)
      event.isCountable = at(counts, index)
    },
  }
}

const at = (values: Float64Array, index: number): number => values[index] ?? Number.NaN

/** Copies a column of numbers. Each loop is over one kind of vector, which the compiler reads without calls. */
function copyNumbers(vector: DuckDBVector, into: Float64Array, name: string): void {
  if (vector instanceof DuckDBIntegerVector) copyIntegers(vector, into, name)
  else if (vector instanceof DuckDBDoubleVector) copyDoubles(vector, into, name)
  else throw new TypeError(`lot_ledger.sql, column ${name}: type ${vector.type.toString()}; expected numbers`)
}

function copyIntegers(vector: DuckDBIntegerVector, into: Float64Array, name: string): void {
  const n_rows = vector.itemCount
  for (let index = 0; index < n_rows; index++) into[index] = requireValue(vector.getItem(index), name)
}

function copyDoubles(vector: DuckDBDoubleVector, into: Float64Array, name: string): void {
  const n_rows = vector.itemCount
  for (let index = 0; index < n_rows; index++) into[index] = requireValue(vector.getItem(index), name)
}

function requireValue<T>(value: T | null | undefined, column: string): T {
  if (value === null || value === undefined) throw new Error(`lot_ledger.sql, column ${column}: null; expected a value`)
  return value
}
