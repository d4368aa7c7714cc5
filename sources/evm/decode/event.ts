import { tokenOf } from './words.ts'

/** A log as a node returns it: lower-case hex. */
export type RawLog = { address: string; topics: readonly string[]; data: string }

/** A decoded swap or fill: the columns of `swaps` that follow from the log. Plus is paid into the pool. */
export type SwapEvent = {
  family: string
  pool: string | null
  coin0_index: number | null
  coin1_index: number | null
  token0: string | null
  token1: string | null
  amount0: bigint | null
  amount1: bigint | null
  sender: string | null
  recipient: string | null
  trader: string | null
  sqrt_price: string | null
  liquidity: string | null
}

/** The columns of `transfers` that follow from a log. */
export type TransferEvent = {
  kind: 'transfer' | 'wrap' | 'unwrap' | 'internal'
  token: string
  sender: string
  recipient: string
  amount: bigint
}

/** The columns of `user_operations` that follow from a log. */
export type UserOperationEvent = { sender: string; paymaster: string; is_ok: boolean; amount_fee: bigint }

/** The creation of a pool, which names its tokens. `factory` is the contract that emitted it. */
export type PoolEvent = { family: string; pool: string; tokens: string[]; factory: string }

type Of<D extends string, T> = {
  dataset: D
  /** The event in the notation of Solidity, of which `topic0` is the hash. */
  event: string
  topic0: string
  /** The number of topics, with the hash. */
  n_topics: number
  /** Numbers of topics of unrelated events that have the same hash. */
  unrelated?: readonly number[]
  /** The least number of words of the data. Longer data has later fields of a fork. */
  n_words: number
  /** Reads a log with enough topics and words. Undefined if the log is no fact of the dataset. */
  decode: (log: RawLog) => T | undefined
}

export type EventDecoder =
  | Of<'swaps', SwapEvent>
  | Of<'transfers', TransferEvent>
  | Of<'user_operations', UserOperationEvent>
  | Of<'pools', PoolEvent>

const nothing: Omit<SwapEvent, 'family'> = {
  pool: null,
  coin0_index: null,
  coin1_index: null,
  token0: null,
  token1: null,
  amount0: null,
  amount1: null,
  sender: null,
  recipient: null,
  trader: null,
  sqrt_price: null,
  liquidity: null,
}

/** A swap with the columns that its event has. */
export const swapOf = (family: string, fields: Partial<SwapEvent>): SwapEvent => ({ ...nothing, ...fields, family })

/** A swap in a pool of two coins, whose events number them 0 and 1. Written out, because most logs are such swaps. */
export const pairSwap = (
  family: string,
  pool: string,
  amounts: { amount0: bigint; amount1: bigint },
  parties: { sender: string | null; recipient: string | null },
  state?: { sqrt_price: string; liquidity: string },
): SwapEvent => ({
  pool,
  coin0_index: 0,
  coin1_index: 1,
  token0: null,
  token1: null,
  amount0: amounts.amount0,
  amount1: amounts.amount1,
  sender: parties.sender,
  recipient: parties.recipient,
  trader: null,
  sqrt_price: state?.sqrt_price ?? null,
  liquidity: state?.liquidity ?? null,
  family,
})

/** One side of a route. */
type Leg = { token: string; amount: bigint }
type Parties = Partial<Pick<SwapEvent, 'sender' | 'recipient' | 'trader'>>

/** A route from one token to another, which the event of a router names with both amounts. */
export const routed = (family: string, sold: Leg, bought: Leg, parties: Parties): SwapEvent =>
  swapOf(family, {
    ...parties,
    token0: tokenOf(sold.token),
    token1: tokenOf(bought.token),
    amount0: sold.amount,
    amount1: -bought.amount,
  })
