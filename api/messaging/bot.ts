import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import type { Logger } from 'pino'

import type { Accounts } from '#accounts/accounts.ts'
import { leaseOf, type Lease } from '#accounts/messaging/lease.ts'
import type { Clock } from '#time.ts'

import { converse, type Talk } from './conversation.ts'
import { deliver, type DeliveryPace } from './deliver.ts'
import {
  MessengerError,
  pauseAfter,
  type ConfiguredMessenger,
  type Incoming,
  type Listening,
  type Messenger,
} from './messenger.ts'

/** The bot of a messenger. Every node has one, and one node at a time reads its messages. */
export type Bot = {
  messenger: Messenger
  /** The user name of the bot; null before the messenger has stated it, and for a messenger without user names. */
  username: () => string | null
  /** The deep link that redeems a token. It needs the user name. */
  linkFor: (token: string) => string
  /** Sends a text to a chat at once. Throws a {@link MessengerError}. */
  send: (chat_id: string, text: string) => Promise<void>
  /** Ends the listening, and gives up its lease. */
  close: () => Promise<void>
}

/** Seconds of a long poll, and until another node takes over; milliseconds between two attempts. */
export type BotPace = { poll_s: number; term_s: number; retry_ms: number }

const usualPace: BotPace = { poll_s: 25, term_s: 60, retry_ms: 5_000 }
/** A bot that the messenger refuses is tried again after this long. */
const refused_ms = 60_000
/** A message that fails this often is skipped, so that it cannot hold up all others. */
const maxTries = 3

type Parts = { accounts: Accounts; now: Clock; log: Logger }

/** Starts the bot. It continues after every fault, and logs each new one. */
export function startBot(
  { messenger, connect }: ConfiguredMessenger,
  { accounts, now, log }: Parts,
  pace: BotPace = usualPace,
  delivery?: DeliveryPace,
): Bot {
  const ending = new AbortController()
  const { signal } = ending
  const connection = connect(signal)
  const talk: Talk = { messenger, connection, accounts, now, log, signal }
  const lease = leaseOf(accounts, { name: messenger.id, owner: randomUUID(), term_us: pace.term_s * 1_000_000, now })
  const state: State = { username: null, n_failures: 0 }
  const { identify, linkFor, listen: listenTo } = connection
  const ended =
    identify && linkFor && listenTo
      ? run(state, { ...talk, identify, listenTo, lease, pace, handle: converse(talk) })
      : undefined
  const delivered = deliver(talk, delivery)
  return {
    messenger,
    username: () => state.username,
    linkFor: (token) => linkFor?.(state.username ?? '', token) ?? '',
    send: (chat_id, text) => connection.send(chat_id, text),
    close: async () => {
      ending.abort()
      await Promise.all([ended, delivered])
    },
  }
}

type State = { username: string | null; n_failures: number }
type Running = Talk & {
  identify: Listening['identify']
  listenTo: Listening['listen']
  lease: Lease
  pace: BotPace
  handle: (incoming: Incoming) => Promise<void>
}

/** Listens while this node has the lease, and otherwise waits for it. */
async function run(state: State, running: Running): Promise<void> {
  const { identify, lease, signal, pace, log } = running
  let fault: string | null = null
  while (!signal.aborted) {
    let wait_ms = pace.retry_ms
    try {
      state.username ??= await identify()
      if (await lease.take()) await listen(state, state.username, running)
      fault = null
    } catch (error) {
      if (signal.aborted) break
      const message = error instanceof Error ? error.message : String(error)
      if (message !== fault) log.warn(`${message}; it is tried again`)
      fault = message
      wait_ms = delayAfter(error, pace)
    }
    await pause(wait_ms, undefined, { signal }).catch(() => undefined)
  }
  // A failed release only lets the lease expire.
  await lease.release().catch(() => undefined)
}

const delayAfter = (error: unknown, { retry_ms }: BotPace): number =>
  error instanceof MessengerError && error.kind === 'refused'
    ? Math.max(refused_ms, retry_ms)
    : pauseAfter(error, retry_ms)

/** Handles messages until the lease is lost or the service ends. */
async function listen(state: State, username: string, running: Running): Promise<void> {
  const { listenTo, lease, signal, pace } = running
  for await (const incoming of listenTo({ username, wait_s: pace.poll_s })) {
    if (signal.aborted || !(await lease.take())) return
    if (incoming !== null) await attempt(state, incoming, running)
  }
}

/** Handles one message. Throws if it may succeed later: it then comes again, as the first. */
async function attempt(state: State, incoming: Incoming, { messenger, handle, log }: Running): Promise<void> {
  try {
    await handle(incoming)
    state.n_failures = 0
  } catch (error) {
    state.n_failures += 1
    if (state.n_failures < maxTries) throw error
    const reason = error instanceof Error ? error.message : String(error)
    log.error(`${messenger.id}: update skipped after ${state.n_failures} failures: ${reason}`)
    state.n_failures = 0
  }
}
