import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { pino, type Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'

import type { Accounts } from '#accounts/accounts.ts'
import { openRequestBuffer } from '#accounts/request_buffer.ts'
import { deferRequested, dropRequested, listRequested, noteEmpty, strangersAmong } from '#accounts/requested.ts'
import type { SignIn } from '#accounts/sign_in/sign_in.ts'
import { openUsageCounter } from '#accounts/usage.ts'
import { listFollowed, requestFollowed } from '#accounts/watchlists/followed.ts'
import type { IngestionQueue } from '#activities/index.ts'
import type { App } from '#api/app.ts'
import { watchDisk } from '#bin/report/disk_watch.ts'
import { watchFolders } from '#bin/report/folder_metrics.ts'
import { folderSizes } from '#bin/report/folder_sizes.ts'
import { readMetricsFiles } from '#bin/report/metrics_files.ts'
import type { Config } from '#config.ts'
import { openMarts, type Marts } from '#snapshots/marts.ts'
import { diskSpace } from '#storage/disk_space.ts'
import { machineClock, machineTimers } from '#time.ts'

import { openAccountsOf } from './accounts.ts'
import { chatModelOf } from './chat_model.ts'
import { resetMails } from './mail.ts'

/** The HTTP service: it reads marts and accounts, and computes nothing. */
export type Service = {
  url: string
  accounts: Accounts
  signIn: SignIn
  marts: Marts
  registry: Registry
  log: Logger
  close: () => Promise<void>
}

/**
 * Opens the service over a home and listens. Before the first snapshot it returns `not_ready`. Requests are logged on
 * standard error, as JSON, if the settings ask for it.
 */
export async function openService(config: Config, isSilent = false): Promise<Service> {
  const { home, listen, logsRequests } = config
  // Most commands serve nothing, and the API takes longer to load than the other modules of a command.
  const { serve } = await import('#api/http/listen.ts')
  await mkdir(join(home, 'marts'), { recursive: true })
  const level = isSilent ? 'silent' : logsRequests ? 'info' : 'warn'
  const log = pino({ base: null, level }, pino.destination({ dest: 2, sync: false }))
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const disk = () => diskSpace(home)
  const endWatch = watchDisk({ registry, log }, disk)
  const endFolders = watchFolders({ registry, log }, (signal) => folderSizes(home, signal))
  const accounts = await openAccountsOf(config)
  const marts = await openMarts({ dir: join(home, 'marts'), now: machineClock, poll_ms: 100 })
  const closeStores = async (): Promise<void> => {
    endWatch()
    await endFolders()
    await marts.close()
    await accounts.destroy()
  }
  const opened: (() => Promise<void>)[] = [closeStores]
  const close = async () => {
    for (const end of opened) await end()
  }
  try {
    // The address of the pages may be that of the port, which is known once the server listens. Requests wait until
    // then.
    const { listener, begin } = awaitedApp()
    const server = await serve(listener, listen)
    opened.unshift(server.close)
    const served = await openApp(config, {
      accounts,
      marts,
      registry,
      log,
      url: server.url,
      machineFault: async () => (await disk()).fault,
      otherMetrics: () => readMetricsFiles(home),
    })
    opened.splice(1, 0, served.close)
    // A stream would hold up the end of the server.
    opened.unshift(served.endStreams)
    begin(served.app)
    return { url: server.url, accounts, signIn: served.signIn, marts, registry, log, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A listener that holds requests until it has an app. */
function awaitedApp(): { listener: App; begin: (app: App) => void } {
  const waiting: Parameters<App>[] = []
  const state: { app: App | null } = { app: null }
  return {
    listener: (req, res) => {
      if (state.app) state.app(req, res)
      else waiting.push([req, res])
    },
    begin: (app) => {
      state.app = app
      for (const [req, res] of waiting.splice(0)) app(req, res)
    },
  }
}

/** The counts of requests are written so often; a crash loses those since then. */
const flush_ms = 5_000
/** Requested accounts are written so often. */
const flushRequests_ms = 1_000

async function openApp(
  { publicUrl, mail, messengers, rateFactor, trustedProxies, publicReading, rpcUrls, rpcWorld, chatModel }: Config,
  {
    url,
    ...parts
  }: Pick<Service, 'accounts' | 'marts' | 'registry' | 'log' | 'url'> & {
    machineFault: () => Promise<string | null>
    otherMetrics: () => Promise<string>
  },
) {
  const { accounts, log } = parts
  const { createApp } = await import('#api/app.ts')
  const { watchAlerts } = await import('#api/alerts/watch.ts')
  const { startBot } = await import('#api/messaging/bot.ts')
  const { createBalanceReader } = await import('#sources/evm/balances/balance_reader.ts')
  const { openSignIn } = await import('#accounts/sign_in/sign_in.ts')
  if (rateFactor > 1)
    log.warn(`TAPELINE_RATE_FACTOR=${rateFactor}: the rates of all tiers are lifted, for load tests only`)
  const now = machineClock
  const pagesUrl = publicUrl ?? url
  const signIn = await openSignIn({ accounts, now, publicUrl: pagesUrl, sendResetLink: resetMails(mail, log) })
  const usage = openUsageCounter(accounts, now)
  const requests = openRequestBuffer(accounts, now)
  const flushRequests = () =>
    requests.flush().catch((error: unknown) => log.error(error, 'ingestion requests: not written, will be retried'))
  const requestTimer = setInterval(() => void flushRequests(), flushRequests_ms)
  const flush = () => usage.flush().catch((error: unknown) => log.error(error, 'usage: not written, will be retried'))
  const timer = setInterval(() => void flush(), flush_ms)
  const links = publicUrl === undefined ? {} : { publicUrl }
  const bots = messengers.map((messenger) => startBot(messenger, { accounts, now, log }))
  const watch = watchAlerts({ accounts, marts: parts.marts, now, log })
  const [stop, streams] = [new AbortController(), new AbortController()]
  const readBalances = createBalanceReader(
    { rpcUrls, rpcWorld },
    { ...machineTimers, random: Math.random, signal: stop.signal },
  )
  const app = await createApp({
    ...parts,
    now,
    rateFactor,
    trustedProxies,
    publicReading,
    usage,
    requests,
    signIn,
    pagesUrl,
    readBalances,
    ...chatModelOf({ chatModel }),
    ending: streams.signal,
    ...links,
    bots,
  })
  const close = async () => {
    stop.abort()
    await watch.close()
    await Promise.all(bots.map((bot) => bot.close()))
    clearInterval(timer)
    clearInterval(requestTimer)
    await flush()
    await flushRequests()
  }
  return { app, signIn, endStreams: async () => streams.abort(), close }
}

/** An account that could not be read is tried again after five minutes. */
const retryAfter = 300_000_000

/** The requested and followed accounts, as a queue of the ingestion. */
export const requestedAccounts = (accounts: Accounts): IngestionQueue => ({
  list: async (without) => {
    // Only processes that ingest load it.
    const { tradingWallets } = await import('#api/endpoints/trading_wallets.ts')
    const withRelated = (address: string): string[] => [address, ...tradingWallets(address)]
    await requestFollowed(accounts, { now: machineClock(), withRelated })
    return (await listRequested(accounts, { until: machineClock(), without })).map(({ address }) => address)
  },
  followed: () => listFollowed(accounts),
  strangers: (keys) => strangersAmong(accounts, keys),
  complete: async (keys, { left, empty }) => {
    const waiting = new Set(left)
    // An account that the notes lack would be read again; one that the list lacks would be forgotten.
    await noteEmpty(accounts, empty, machineClock())
    await dropRequested(
      accounts,
      keys.filter((key) => !waiting.has(key)),
    )
    await deferRequested(accounts, left, machineClock() + retryAfter)
  },
})

/** Logs a run that failed and is retried. */
export const logErrors =
  (log: Logger) =>
  (id: string, error: unknown): void =>
    log.error({ err: error }, `${id}: failed, will be retried`)
