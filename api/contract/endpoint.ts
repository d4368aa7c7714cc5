import type { z } from 'zod'

import type { Accounts } from '#accounts/accounts.ts'
import type { Caller } from '#accounts/keys.ts'
import type { Requested, Requester } from '#accounts/request_buffer.ts'
import type { EndpointName, Tier } from '#accounts/tiers.ts'
import type { LiveBalances } from '#api/live/live_balances.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import type { Asking } from '#snapshots/queries.ts'
import type { Micros } from '#time.ts'

import type { Coverage } from './coverage.ts'
import type { Parameters } from './input.ts'

/**
 * An endpoint. Route, validation, documentation and contract tests derive from it. The kind limits the inputs of the
 * answer, and so decides whether the answer may be cached or shared.
 */
export type Endpoint = PublicEndpoint | PrivateEndpoint | WriteEndpoint | AskEndpoint

/** An answer has no account, so all accounts of a tier may share it. */
export type PublicEndpoint = ListEndpoint | ReadEndpoint

/** Pages of rows of a snapshot. */
export type ListEndpoint = Described<'GET'> & {
  kind: 'list'
  reads: (query: object) => readonly PublicationName[]
  /** Items of a page without `limit`. */
  pageSize: number
  /** Whether rows differ between tiers. Otherwise all tiers share an answer. */
  isByTier: boolean
  /** Whether `Accept: text/event-stream` streams new items. */
  isStreamed: boolean
  rows: (query: object, snapshot: Snapshot, tier: Tier) => Selection
  present: (row: object) => object
  /** Throws a 400 if valid parameters do not fit the snapshot. */
  assertFits: (snapshot: Snapshot, query: object) => Promise<void>
  /** The value of `X-Coverage`; null for a list without that header. */
  coverage: (snapshot: Snapshot, query: object) => Promise<Coverage | null>
}

/** One object that is read from a snapshot, and optionally from the chain of a wallet. */
export type ReadEndpoint = Described<'GET'> & {
  kind: 'read'
  reads: (query: object) => readonly PublicationName[]
  /** Throws a 400 if valid parameters do not fit together. */
  assertFits: (query: object) => void
  read: (query: object, context: PublicContext) => Promise<ReadResult<object>>
}

/** Data of one account. The answer is never cached, never coalesced and never stored by the client. */
export type PrivateEndpoint = Described<'GET'> & {
  kind: 'private'
  read: (query: object, context: PrivateContext) => Promise<Result<object>>
}

/** A change to one account, with an optional JSON body. */
export type WriteEndpoint = Described<WriteMethod> & {
  kind: 'write'
  /** The request body; null if there is none. */
  body: { schema: z.ZodObject; example: unknown } | null
  status: SuccessStatus
  write: (request: { query: object; body: object }, context: PrivateContext) => Promise<Result<object>>
}

/**
 * A question with a JSON body that reads other endpoints for its caller and changes nothing. It counts against a limit
 * of its own besides that of requests. The answer is never cached.
 */
export type AskEndpoint = Described<'POST'> & {
  kind: 'ask'
  body: { schema: z.ZodObject; example: unknown }
  ask: (body: object, context: AskContext) => Promise<Result<object>>
}

export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type SuccessStatus = 200 | 201

/** A path below `/v1`. Only a path that `accounts/tiers.ts` lists compiles. */
export type PathOf<M extends string, N = EndpointName> = N extends `${M} ${infer P}` ? P : never

type Described<M extends 'GET' | WriteMethod> = {
  method: M
  path: PathOf<M>
  name: EndpointName
  summary: string
  /** Markdown for the documentation. */
  doc: string
  parameters: Parameters
  /** The object of the response, or one element of the array. */
  item: z.ZodObject
  isArray: boolean
  /** An example of `item`. */
  example: unknown
  /** Response headers of this endpoint, each with its description. */
  headers: Record<string, string>
}

/** The input of a public read besides its query. It has no caller. */
export type PublicContext = {
  snapshot: Snapshot
  /** Reads balances from chains, in time for the answer. */
  liveBalances: LiveBalances
  /** Requests the ingestion of addresses that were never pulled, for the account behind the request. */
  requestIngestion: (addresses: readonly string[], requester: Pick<Requester, 'areTraders'>) => Promise<Requested>
}

/**
 * The input of a private read or a write besides its query. A write gets a transaction as `accounts`. `scores` is the
 * current snapshot; null before the first.
 */
export type PrivateContext = {
  caller: Caller
  accounts: Accounts
  now: Micros
  rate: RateState
  scores: Snapshot | null
  /** The current snapshots. */
  marts: Pick<Marts, 'current'>
}

/** The input of a question besides its body: the assistant, and the caller whose reads it makes. */
export type AskContext = As & { ask: Ask }

/** The caller of a question, with the state of its limit and the request behind the queries. */
export type As = { caller: Caller; rate: RateState; asking: Asking }

/** The kinds of the origins of an answer. */
export const sourceTypes = ['wallet', 'market', 'signal', 'social', 'account', 'definition'] as const

/**
 * The answer to a question: its text, the origins of its figures, the plan behind it, the instant of its facts, and who
 * chose the data.
 */
export type Asked = {
  text: string
  sources: { type: (typeof sourceTypes)[number]; entity: string; signal_id: string }[]
  plan: { intent: string; slots: object }
  asOf: string | null
  engine: 'rules' | 'llm'
}

/** Answers a question of a caller. It throws the errors that REST throws. */
export type Ask = (query: string, as: As) => Promise<Asked>

/** The limit of an account after a request: requests left, and whole seconds until the window ends. */
export type RateState = { limit: number; remaining: number; reset_s: number }

/**
 * The rows of a list: a select with its parameters, and the columns of a total order with their SQL types. The select
 * has the columns of the item and of the order. Pages follow the order. `isRank` states that the only column numbers
 * the rows of the select from 1 without gaps, so that a page is an interval of it.
 */
export type Selection = {
  sql: string
  params: Record<string, string>
  order: readonly { column: string; type: string; isDescending?: boolean; isRank?: boolean }[]
}

export type Result<T> = { body: T; headers: [name: string, value: string][] }

/**
 * The result of a public read. With `fresh_ms` it also rests on other data than its snapshot, and is valid so long. A
 * result with 0 is that of one account.
 */
export type ReadResult<T> = Result<T> & { fresh_ms?: number }
