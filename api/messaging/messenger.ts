import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { BotError, type Bot } from 'grammy'
import type { Update } from 'grammy/types'
import type { Logger } from 'pino'

import type { Accounts } from '#accounts/accounts.ts'
import { leaseOf, type Lease } from '#accounts/messaging/lease.ts'
import type { Clock } from '#time.ts'

import { converse } from './conversation.ts'
import { deliver, type DeliveryPace } from './deliver.ts'
import { asSignal, createBot, pauseAfter, TelegramError, type TelegramSettings } from './telegram.ts'

/** The bot of the service. Every node has one, and one node at a time reads its messages. */
export type Messenger = {
  /** The user name of the bot; null before the Bot API has stated it. */
  username: () => string | null
  /** The deep link that redeems a token. It needs the user name. */
  linkOf: (token: string) => string
  /** Ends the polling, and gives up its lease. */
  close: () => Promise<void>
}

/** Seconds of a long poll, and until another node takes over; milliseconds between two attempts. */
export type MessengerPace = { poll_s: number; term_s: number; retry_ms: number }

const usualPace: MessengerPace = { poll_s: 25, term_s: 60, retry_ms: 5_000 }
/** A token that the Bot API rejects is tried again after this long. */
const rejected_ms = 60_000
/** An update that fails this often is skipped, so that it cannot hold up all others. */
const maxTries = 3

type Parts = { telegram: TelegramSettings; accounts: Accounts; now: Clock; log: Logger }
type Running = { bot: Bot; lease: Lease; signal: AbortSignal; pace: MessengerPace; log: Logger }

/** Starts the bot. It continues after every fault, and logs each new one. */
export function startMessenger(
  { telegram, ...parts }: Parts,
  pace: MessengerPace = usualPace,
  delivery?: DeliveryPace,
): Messenger {
  const { accounts, now, log } = parts
  const ending = new AbortController()
  const { signal } = ending
  const bot = createBot(telegram, signal)
  converse(bot, { accounts, now, log, signal })
  const leaseOptions = { name: 'telegram', owner: randomUUID(), term_us: pace.term_s * 1_000_000, now }
  const ended = run({ bot, lease: leaseOf(accounts, leaseOptions), signal, pace, log })
  const delivered = deliver(bot, { accounts, now, log, signal }, delivery)
  return {
    username: () => (bot.isInited() ? bot.botInfo.username : null),
    linkOf: (token) => `${telegram.linkRoot}/${bot.botInfo.username}?start=${token}`,
    close: async () => {
      ending.abort()
      await Promise.all([ended, delivered])
    },
  }
}

/** Polls while this node has the lease, and otherwise waits for it. */
async function run(running: Running): Promise<void> {
  const { bot, lease, signal, pace, log } = running
  const failures = new Map<number, number>()
  let fault: string | null = null
  while (!signal.aborted) {
    let wait_ms = pace.retry_ms
    try {
      if (!bot.isInited()) await bot.init()
      if (await lease.take()) {
        // A webhook would take the updates.
        await bot.api.deleteWebhook()
        await poll(running, failures)
      }
      fault = null
    } catch (error) {
      if (signal.aborted) break
      const message = error instanceof Error ? error.message : String(error)
      if (message !== fault) log.warn(`${message}; it is tried again`)
      fault = message
      wait_ms = delayOf(error, pace)
    }
    await pause(wait_ms, undefined, { signal }).catch(() => undefined)
  }
  // A failed release only lets the lease expire.
  await lease.release().catch(() => undefined)
}

const delayOf = (error: unknown, { retry_ms }: MessengerPace): number => {
  if (!(error instanceof TelegramError)) return retry_ms
  if (error.status === 401 || error.status === 404) return Math.max(rejected_ms, retry_ms)
  return pauseAfter(error, retry_ms)
}

/** Reads and handles updates until the lease is lost or the service ends. The next call confirms handled updates. */
async function poll({ bot, lease, signal, pace, log }: Running, failures: Map<number, number>): Promise<void> {
  let offset = 0
  const allowed_updates = ['message', 'my_chat_member'] as const
  try {
    while (!signal.aborted && (await lease.take())) {
      for (const update of await bot.api.getUpdates({ offset, limit: 20, timeout: pace.poll_s, allowed_updates })) {
        if (signal.aborted || !(await lease.take())) return
        await handle(bot, update, failures, log)
        offset = update.update_id + 1
      }
    }
  } finally {
    // An update that is not confirmed is sent again, to the next node.
    if (signal.aborted && offset > 0) await confirm(bot, offset)
  }
}

/** Confirms the updates before an offset, after the calls of the bot were aborted. */
async function confirm(bot: Bot, offset: number): Promise<void> {
  await bot.api
    .getUpdates({ offset, limit: 1, timeout: 0 }, asSignal(AbortSignal.timeout(2_000)))
    .catch(() => undefined)
}

/** Handles one update. Throws if it may succeed later. */
async function handle(bot: Bot, update: Update, failures: Map<number, number>, log: Logger): Promise<void> {
  try {
    await bot.handleUpdate(update)
    failures.clear()
  } catch (error) {
    // The error of the library also holds the bot.
    const cause: unknown = error instanceof BotError ? error.error : error
    const reason = cause instanceof Error ? cause.message : String(cause)
    const n = (failures.get(update.update_id) ?? 0) + 1
    failures.set(update.update_id, n)
    if (n < maxTries) throw cause
    log.error(`telegram: update skipped after ${n} failures: ${reason}`)
  }
}
