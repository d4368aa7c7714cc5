import type { IncomingMessage, RequestListener } from 'node:http'

import type { Registry } from 'prom-client'

import { secretOf } from '#accounts/accounts.ts'
import { recordEvent } from '#accounts/audit.ts'
import { openKeyring } from '#accounts/keyring.ts'
import { openSharedWindows } from '#accounts/shared_windows.ts'
import { openAttempts } from '#accounts/sign_in/attempts.ts'
import { openPageTokens } from '#accounts/sign_in/page_tokens.ts'
import type { SignIn } from '#accounts/sign_in/sign_in.ts'
import type { UsageCounter } from '#accounts/usage.ts'

import { openAssistant, type AssistantParts } from './assistant.ts'
import { openSpendChat } from './chat/serving/respond_ask.ts'
import type { Endpoint } from './contract/endpoint.ts'
import { endpoints as allEndpoints } from './endpoints/index.ts'
import { bearer, openAuthenticate, limitTogether } from './http/authenticate.ts'
import { openClientAddress } from './http/client_address.ts'
import { openFront } from './http/front.ts'
import { observeRequests } from './http/metrics.ts'
import { createRouter } from './http/router.ts'
import type { Bot } from './messaging/bot.ts'
import { originsOf } from './portal/index.ts'
import { openFeedStream } from './stream/feed_stream.ts'

/** The service: a listener of HTTP requests. */
export type App = RequestListener

export type AppParts = AssistantParts & {
  registry: Registry
  signIn: SignIn
  /** The address of our own pages. */
  pagesUrl: string
  /** Counts the requests of accounts. Its owner flushes it. */
  usage: UsageCounter
  /** The bot that links chats to accounts. Its owner closes it. */
  bots?: readonly Bot[]
  /** Multiplies the requests a minute of every tier. */
  rateFactor?: number
  /** The addresses and networks of proxies whose `X-Forwarded-For` counts. */
  trustedProxies?: readonly string[]
  /** Whether people without an account may read the pages. */
  publicReading?: boolean
  /** Ends the streams, before the listener is closed. */
  ending?: AbortSignal
  /** The fault of the machine, such as a full disk, for `/readyz`; null if there is none. */
  machineFault?: () => Promise<string | null>
  /** The metrics of other processes, which `/metrics` shows too. */
  otherMetrics?: () => Promise<string>
}

/** Builds the service from its parts. */
export async function createApp(parts: AppParts): Promise<App> {
  const { marts, accounts, now, registry, log, usage, signIn, pagesUrl } = parts
  const { endpoints = allEndpoints, rateFactor = 1, trustedProxies = [], publicReading = true } = parts
  const { machineFault = async () => null, otherMetrics = async () => '' } = parts
  assertUnique(endpoints)
  const { sources, cache, openReaders, ask } = await openAssistant(parts)
  const tokens = openPageTokens(await secretOf(accounts, 'pages'))
  const keyring = openKeyring(accounts, tokens, now)
  const clientAddress = openClientAddress(trustedProxies)
  const origins = originsOf(pagesUrl)
  const attempt = openAttempts(accounts, now)
  const bots = parts.bots ?? []
  const portal = { accounts, signIn, tokens, bots, attempt, pagesUrl, origins, clientAddress, publicReading }
  const spend = openSharedWindows(accounts, now, (error) => log.error(error, 'limits: counted only by this process'))
  const recheck = (req: IncomingMessage) => keyring.find(bearer(req.headers.authorization) ?? '')
  const stream = openFeedStream(marts, parts.ending ?? new AbortController().signal)
  const onGuesses = (network: string): void =>
    void recordEvent(accounts, { at: now(), account_id: null, event: 'keys_guessed', actor: 'person', network }).catch(
      (error: unknown) => log.error(error, 'audit: an event was not written'),
    )
  const asOneOf = limitTogether(uncachedAtOnce)
  const spendChat = openSpendChat(spend, rateFactor)
  return openFront({
    authenticate: openAuthenticate({ keyring, usage, spend, now, clientAddress, rateFactor, publicReading, onGuesses }),
    endpoints,
    cache,
    accounts,
    marts,
    stream,
    recheck,
    now,
    asOneOf,
    ask,
    spendChat,
    router: createRouter({
      endpoints,
      sources,
      portal,
      now,
      asOneOf,
      ask,
      spendChat,
      openReaders,
      registry,
      log,
      machineFault,
      otherMetrics,
    }),
    observe: observeRequests({ registry, marts, now, log }),
    log,
  })
}

/** A third of the reads that may wait for the marts, so that one account cannot take all places. */
const uncachedAtOnce = 100

/** Throws if two endpoints have the same method and path, since the cache finds answers by path. */
const assertUnique = (endpoints: readonly Endpoint[]) => {
  const names = endpoints.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new Error(`${twice}: defined twice; expected one endpoint for each method and path`)
}
