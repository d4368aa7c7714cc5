import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { pino, type Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { dropRequested, listRequested, requestIngestion } from '#accounts/requested.ts'
import type { IngestionQueue } from '#activities/index.ts'
import { watchDisk } from '#bin/report/disk_watch.ts'
import type { Config } from '#config.ts'
import { openMarts, type Marts } from '#marts/marts.ts'
import { diskSpace } from '#storage/disk_space.ts'
import { machineClock } from '#time.ts'

/** The HTTP service: it reads marts and accounts, and computes nothing. */
export type Service = {
  url: string
  accounts: Accounts
  marts: Marts
  registry: Registry
  log: Logger
  close: () => Promise<void>
}

/**
 * Opens the service over a home and listens. Before the first snapshot it returns `not_ready`. Requests are logged on
 * standard error, as JSON, from `level` on.
 */
export async function openService(config: Config, level: 'info' | 'warn' | 'silent' = 'info'): Promise<Service> {
  const { home, listen, rateFactor } = config
  // Most commands serve nothing, and the API takes longer to load than the other modules of a command.
  const [{ createApp }, { serve }] = await Promise.all([import('#api/app.ts'), import('#api/http/listen.ts')])
  await mkdir(join(home, 'marts'), { recursive: true })
  const log = pino({ base: null, level }, pino.destination({ dest: 2, sync: false }))
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  if (rateFactor > 1)
    log.warn(`TAPELINE_RATE_FACTOR=${rateFactor}: the rates of all tiers are lifted, for load tests only`)
  const disk = () => diskSpace(home)
  const endWatch = watchDisk({ registry, log }, disk)
  const accounts = await openAccounts(join(home, 'accounts.db'))
  const marts = await openMarts({ dir: join(home, 'marts'), now: machineClock, poll_ms: 100 })
  const closeStores = async (): Promise<void> => {
    endWatch()
    await marts.close()
    await accounts.destroy()
  }
  const app = await createApp({
    marts,
    accounts,
    now: machineClock,
    registry,
    log,
    rateFactor,
    machineFault: async () => (await disk()).fault,
  })
  const server = await serve(app, listen).catch(async (error: unknown) => {
    await closeStores()
    throw error
  })
  return {
    url: server.url,
    accounts,
    marts,
    registry,
    log,
    close: async () => {
      await server.close()
      await closeStores()
    },
  }
}

/** An account that could not be read is tried again after five minutes. */
const retryAfter = 300_000_000

/** The requested accounts, as a queue of the ingestion. */
export const requestedAccounts = (accounts: Accounts): IngestionQueue => ({
  list: async () => (await listRequested(accounts, { until: machineClock() })).map(({ address }) => address),
  complete: async (keys, left) => {
    await dropRequested(accounts, keys)
    if (left.length > 0) await requestIngestion(accounts, { addresses: left, now: machineClock() + retryAfter })
  },
})

/** Resolves at ^C or SIGTERM. */
export const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })

/** Logs a run that failed and is retried. */
export const logErrors =
  (log: Logger) =>
  (id: string, error: unknown): void =>
    log.error({ err: error }, `${id}: failed, will be retried`)
