import type { Logger } from 'pino'

import { secretOf, type Accounts } from '#accounts/accounts.ts'
import type { RequestBuffer } from '#accounts/request_buffer.ts'
import type { Marts } from '#snapshots/marts.ts'
import type { Clock } from '#time.ts'

import { openReaders, type Readers } from './chat/answering/readers.ts'
import { openAsk } from './chat/ask.ts'
import { intents } from './chat/intents/index.ts'
import type { Complete } from './chat/model/choose_plan.ts'
import { openLexicons } from './chat/reading/lexicon.ts'
import { openReadAs } from './chat/serving/read_as.ts'
import { openCursors } from './contract/cursors.ts'
import type { As, Ask, Endpoint } from './contract/endpoint.ts'
import { endpoints as allEndpoints } from './endpoints/index.ts'
import { openCounts, type PublicSources } from './http/answer_public.ts'
import { openResponseCache, type ResponseCache } from './http/cache.ts'
import type { ReadBalances } from './live/balances.ts'
import { openLiveBalances } from './live/live_balances.ts'

export type AssistantParts = {
  marts: Marts
  accounts: Accounts
  /** The machine's clock, for rate limits and keys; not the time of the observed world. */
  now: Clock
  log: Logger
  /** The accounts whose ingestion is requested. Its owner flushes it. */
  requests: RequestBuffer
  /** Reads the balances of wallets from nodes of their chains. */
  readBalances: ReadBalances
  /** The address before `/v1`, for absolute links. */
  publicUrl?: string
  cache_bytes?: number
  endpoints?: readonly Endpoint[]
  /** Asks a language model, for questions that the rules do not understand; by default there is none. */
  complete?: Complete
}

/** The answers of the service without HTTP: the cache of public answers, the readers of a caller, and the assistant. */
export type Assistant = {
  sources: PublicSources
  cache: ResponseCache
  openReaders: (as: As) => Readers
  ask: Ask
}

/** Opens the assistant over marts and accounts. */
export async function openAssistant(parts: AssistantParts): Promise<Assistant> {
  const { marts, accounts, now, log, readBalances, publicUrl = '', cache_bytes = 64 * 1024 * 1024 } = parts
  const { endpoints = allEndpoints, complete } = parts
  const model = complete ? { complete } : {}
  const sources: PublicSources = {
    marts,
    cursors: openCursors(await secretOf(accounts, 'cursors')),
    countRows: openCounts(),
    publicUrl,
    now,
    liveBalances: openLiveBalances({
      read: readBalances,
      now,
      onError: (error) => log.warn(error, 'live balances: not read, the last known ones are served'),
    }),
    requests: parts.requests,
  }
  const cache = openResponseCache(sources, cache_bytes)
  const readersOf = openReaders({ endpoints, marts, read: openReadAs({ cache, accounts, sources, now }) })
  const ask = openAsk({ intents, openReaders: readersOf, lexicon: openLexicons(marts), now, log, ...model })
  return { sources, cache, openReaders: readersOf, ask }
}
