import type { Row } from '#lake/datasets/dataset.ts'
import type { datasets } from '#lake/datasets/index.ts'
import type { Chain } from '#registry/chains/chain.ts'

import type { EventShape } from './signature.ts'

/** A log as a node returns it: lower-case hex. */
export type RawLog = { address: string; topics: readonly string[]; data: string }

/** The datasets that logs fill. */
export type LogDataset = 'swaps' | 'transfers' | 'user_operations' | 'pools'

/** Reads a value of a log. Throws a `MalformedLog` if the log does not have it. */
export type Read<T = unknown> = (log: RawLog) => T

/**
 * The value of a column: an argument of the event, `-argument` for its negative, or `this` for the contract that
 * emitted it. A function makes the reader of other values when the decoder is loaded; a list names the tokens of a pool.
 */
export type Field = string | readonly string[] | ((event: EventShape) => Read)

/** Fields by the columns of a dataset. Other columns are null. */
export type Fields<D extends LogDataset> = Partial<Record<keyof Row<(typeof datasets)[D]>, Field>>

/**
 * An event and the row that a log of it is. The hash, the number of topics and the least length of the data follow from
 * the event. Data may be longer, since forks add fields at the end.
 */
export type Decoder = {
  /** The event in the notation of Solidity. */
  event: string
  /** Numbers of topics of unrelated events that have the same hash. */
  unrelated?: readonly number[]
  /** Whether a log is a fact of the dataset; without it, each is. */
  isFact?: (event: EventShape) => Read<boolean>
  /** Views that name the tokens of a pool of the family, as lists of call data. The first list that answers counts. */
  tokenViews?: readonly (readonly string[])[]
  /** Contracts of a chain whose logs follow their declaration, so that a malformed one shows a mistake. */
  emitters?: (chain: Chain) => readonly string[]
} & (
  | { dataset?: 'swaps'; family: string; map: Fields<'swaps'> }
  | { dataset: 'pools'; family: string; map: Fields<'pools'> }
  | { dataset: 'transfers'; map: Fields<'transfers'> }
  | { dataset: 'user_operations'; map: Fields<'user_operations'> }
)

/** The events of a protocol. */
export type Protocol = readonly Decoder[]
