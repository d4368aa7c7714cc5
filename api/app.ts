import type { IncomingMessage, RequestListener } from 'node:http'

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import { secretOf, type Accounts } from '#accounts/accounts.ts'
import { dialectOf } from '#accounts/database.ts'
import { openKeyring } from '#accounts/keyring.ts'
import type { RequestBuffer } from '#accounts/request_buffer.ts'
import { openSharedWindows, type Spend } from '#accounts/shared_windows.ts'
import { openPageTokens } from '#accounts/sign_in/page_tokens.ts'
import type { SignIn } from '#accounts/sign_in/sign_in.ts'
import type { UsageCounter } from '#accounts/usage.ts'
import type { Marts } from '#marts/marts.ts'
import type { Clock } from '#time.ts'

import { openCursors } from './contract/cursor.ts'
import type { Endpoint } from './contract/endpoint.ts'
import { endpoints as allEndpoints } from './endpoints/index.ts'
import { bearer, openAuthenticate } from './http/authenticate.ts'
import { openClientAddress } from './http/client_address.ts'
import { openFront } from './http/front.ts'
import { countByMinute } from './http/limits.ts'
import { observeRequests } from './http/request_metrics.ts'
import type { PublicSources } from './http/respond.ts'
import { openResponseCache } from './http/response_cache.ts'
import { createRouter } from './http/router.ts'
import type { ReadBalances } from './live/balances.ts'
import { openLiveBalances } from './live/live_balances.ts'
import type { Messenger } from './messaging/messenger.ts'
import { originsOf } from './portal/index.ts'
import { openFeedStream } from './stream/feed_stream.ts'

/** The service: a listener of HTTP requests. */
export type App = RequestListener

export type AppParts = {
  marts: Marts
  accounts: Accounts
  /** The machine's clock, for rate limits and keys; not the time of the observed world. */
  now: Clock
  registry: Registry
  log: Logger
  signIn: SignIn
  /** The address of our own pages. */
  pagesUrl: string
  /** Counts the requests of accounts. Its owner flushes it. */
  usage: UsageCounter
  /** The accounts whose ingestion is requested. Its owner flushes it. */
  requests: RequestBuffer
  /** Reads the balances of wallets from nodes of their chains. */
  readBalances: ReadBalances
  /** The bot that links chats to accounts. Its owner closes it. */
  messenger?: Messenger
  /** The address before `/v1`, for absolute links. */
  publicUrl?: string
  cache_bytes?: number
  /** Multiplies the requests a minute of every tier. */
  rateFactor?: number
  /** The addresses and networks of proxies whose `X-Forwarded-For` counts. */
  trustedProxies?: readonly string[]
  endpoints?: readonly Endpoint[]
  /** Ends the streams, before the listener is closed. */
  ending?: AbortSignal
  /** The fault of the machine, such as a full disk, for `/readyz`; null if there is none. */
  machineFault?: () => Promise<string | null>
}

/** Builds the service from its parts. */
export async function createApp(parts: AppParts): Promise<App> {
  const {
    marts,
    accounts,
    now,
    registry,
    log,
    usage,
    signIn,
    pagesUrl,
    readBalances,
    publicUrl = '',
    cache_bytes = 64 * 1024 * 1024,
  } = parts
  const { endpoints = allEndpoints, rateFactor = 1, trustedProxies = [], machineFault = async () => null } = parts
  assertUnique(endpoints)
  const cursors = openCursors(await secretOf(accounts, 'cursors'))
  const sources: PublicSources = {
    marts,
    cursors,
    publicUrl,
    now,
    liveBalances: openLiveBalances({
      read: readBalances,
      now,
      onError: (error) => log.warn(error, 'live balances: not read, the last known ones are served'),
    }),
    requestIngestion: parts.requests.add,
  }
  const cache = openResponseCache(sources, cache_bytes)
  const tokens = openPageTokens(await secretOf(accounts, 'pages'))
  const keyring = openKeyring(accounts, tokens, now)
  const clientAddress = openClientAddress(trustedProxies)
  const origins = originsOf(pagesUrl)
  const portal = { accounts, signIn, tokens, messenger: parts.messenger, origins, clientAddress }
  const recheck = (req: IncomingMessage) => keyring(bearer(req.headers.authorization) ?? '')
  const stream = openFeedStream(marts, parts.ending ?? new AbortController().signal)
  return openFront({
    authenticate: openAuthenticate({ keyring, usage, spend: spendOf(accounts, now), now, clientAddress, rateFactor }),
    cache,
    router: createRouter({
      endpoints,
      sources,
      cache,
      stream,
      recheck,
      accounts,
      portal,
      now,
      registry,
      log,
      machineFault,
    }),
    endpoints,
    observe: observeRequests({ registry, marts, now, log }),
    log,
  })
}

/** One node counts in memory; the nodes of a PostgreSQL database share their counts. */
const spendOf = (accounts: Accounts, now: Clock): Spend =>
  dialectOf(accounts) === 'postgres' ? openSharedWindows(accounts, now) : countByMinute(now)

/** Throws if two endpoints have the same method and path, since the cache finds answers by path. */
const assertUnique = (endpoints: readonly Endpoint[]) => {
  const names = endpoints.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`${twice}: defined twice; expected one endpoint for each method and path`)
}
