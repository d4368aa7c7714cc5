import type { Hex } from 'viem'

/** A trade that a transaction is meant to make. The same asset sold and bought is a round trip. */
export type Intent = { wallet: Hex; sold: string; amount_sold: bigint; bought: string }

/** A transaction before it is sent, with what it is meant to do. */
export type Draft = {
  from: Hex
  /** Null deploys a contract. */
  to: Hex | null
  data: Hex
  value: bigint
  trades: readonly Intent[]
  /** The transaction may be reverted; it then has no trade. */
  mayFail?: boolean
  /** The most gas that it may use; 1,500,000 by default. */
  gas?: number
}

/** A receipt as the node returns it. */
export type Receipt = {
  transactionHash: Hex
  transactionIndex: Hex
  status: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
  logs: Log[]
}
export type Log = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; logIndex: Hex }

/** A mined block with its transactions in order, and the native coin of addresses after it. */
export type Mined = {
  block: number
  ts_s: number
  transactions: { draft: Draft; receipt: Receipt }[]
  balances: ReadonlyMap<Hex, bigint>
}

/** The gas that the sender paid, in raw units of the native coin. */
export const feeOf = ({ gasUsed, effectiveGasPrice }: Receipt): bigint => BigInt(gasUsed) * BigInt(effectiveGasPrice)

export const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`
