import type { datasets, Row } from '#lake/datasets/index.ts'

type Columns<D extends 'swaps' | 'transfers' | 'user_operations'> = Row<(typeof datasets)[D]>
type Place = 'chain' | 'block' | 'tx_index' | 'tx' | 'ts' | 'source'

/** A swap or fill event of a transaction: the columns of `swaps` from which trades follow. */
export type SwapFact = Omit<Columns<'swaps'>, Place | 'sqrt_price' | 'liquidity' | 'emitter'>

/** A movement of a token: columns of `transfers`. */
export type TransferFact = Omit<Columns<'transfers'>, Place>

/** An operation of a smart account: columns of `user_operations`. */
export type OperationFact = Pick<Columns<'user_operations'>, 'log_index' | 'sender' | 'is_ok'>

/** All that the lake holds of one transaction. The order of the lists does not matter. */
export type TransactionFacts = {
  sender: string
  recipient: string | null
  amount: bigint
  is_ok: boolean
  /** True if its calls were read, so that all movements of the native coin are among the transfers. */
  is_traced: boolean
  swaps: readonly SwapFact[]
  transfers: readonly TransferFact[]
  operations: readonly OperationFact[]
}

/** The facts of a chain that a transaction does not hold. */
export type ChainFacts = {
  /** The contract of the wrapped native coin. */
  wrapped: string | null
  /** The tokens of a pool, `native` among them; undefined if unknown. */
  tokensOf: (pool: string) => readonly string[] | undefined
  /** Whether a contract keeps none of the native coin that it is sent, as other transactions show. */
  isPlain: (address: string) => boolean
  /** Whether an address is a contract that trades for others. Undefined if its code was not read. */
  isContract: (address: string) => boolean | undefined
  /** The value of an amount in millionths of a US dollar; null if the token has no price then. */
  usdOf: (token: string, amount: bigint) => bigint | null
}

/** The net movement of one token for one candidate wallet: plus is received. `native` is the wrapped coin too. */
export type Flow = {
  wallet: string
  /** The log index of the operation or order, or -1 for the whole transaction. */
  seq: number
  token: string
  amount: bigint
  /** True if the amount rests on a native movement that no row shows. */
  is_inferred: boolean
  /** True if a router or a maker may have got a part of that movement. */
  is_bound: boolean
}

/** The token and amount that were sold, and the token and amount that were bought for them. */
export type Leg = { token_sold: string; amount_sold: bigint; token_bought: string; amount_bought: bigint }

/** A trade of one wallet: one asset down, one up. An arbitrage sold and bought the same asset. */
export type Trade = Leg & {
  wallet: string
  /** From 0 in the trades of the wallet in the transaction. */
  seq: number
  kind: 'swap' | 'arbitrage'
  /** True if a leg is a bound: no row shows its native coin, and a router or a maker may have got a part. */
  is_bound: boolean
  /** False if the movements may also be no exchange, such as a loan or a claim for a payment. */
  is_certain: boolean
}

/** The sum of amounts. */
export const sumOf = <T>(rows: readonly T[], amount: (row: T) => bigint): bigint =>
  rows.reduce((sum, row) => sum + amount(row), 0n)
