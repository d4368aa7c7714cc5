import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { buryMessages } from '#accounts/alerts/dead_letters.ts'
import {
  claimMessage,
  dueMessages,
  holdFirst,
  putOff,
  releaseClaim,
  removeMessage,
  removeMessages,
  type Message,
} from '#accounts/alerts/outbox.ts'
import { leaseOf } from '#accounts/messaging/lease.ts'
import { unlinkChat, type ChatId } from '#accounts/messaging/messaging.ts'

import type { Talk } from './conversation.ts'
import { MessengerError, pauseAfter, type Delivery, type Messenger } from './messenger.ts'

/**
 * Milliseconds between two messages of the bot, to one chat, and between two looks into the outbox; the calls at once;
 * and the failures after which a message is given up.
 */
export type DeliveryPace = Messenger['pace'] & {
  look_ms: number
  backoff_ms: number
  claim_ms: number
  most_tries: number
}

/** A claim is longer than any call to a messenger takes. With the longest pause, the tries take a day. */
const usual = { look_ms: 500, backoff_ms: 1_000, claim_ms: 90_000, most_tries: 300 }

const longestBackoff_ms = 300_000
const perLook = 100
const MILLISECOND = 1_000
const term_us = 60_000_000

/**
 * Sends the messages of the outbox until its signal ends. A message is claimed before it is sent and removed after the
 * answer, so it is sent again only where the answer or this process was lost. A failure delays the messages of one
 * chat. A failure of the store delays messages, and loses none. One node at a time sends, so that the bot's rate holds
 * for all nodes.
 */
export async function deliver(talk: Talk, pace: DeliveryPace = { ...usual, ...talk.messenger.pace }): Promise<void> {
  const { accounts, now, log, signal } = talk
  const messenger = talk.messenger.id
  const lease = leaseOf(accounts, { name: `${messenger} outbox`, owner: randomUUID(), term_us, now })
  const sending = new Set<Promise<void>>()
  let fault: string | null = null
  const rest = (ms: number): Promise<unknown> => pause(ms, undefined, { signal }).catch(() => undefined)
  const failed = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error)
    if (text !== fault && !signal.aborted) log.warn(`alerts: not sent, ${text}; it is tried again`)
    fault = text
  }
  /** Repeats a change of the store until it is stored. */
  const store = async (change: Change): Promise<void> => {
    for (;;) {
      try {
        return void (await change())
      } catch (error) {
        failed(error)
        if (signal.aborted) return
        await rest(pace.look_ms)
      }
    }
  }
  const claim = async (message: Message): Promise<(() => Promise<void>) | null> => {
    const times = { now: now(), until: now() + pace.claim_ms * MILLISECOND }
    const claimed = await claimMessage(accounts, message, times).catch(async (error: unknown) => {
      // The claim may be stored, and the message is not sent.
      await store(() => releaseClaim(accounts, message, times))
      throw error
    })
    if (claimed === null) return null
    const { chat } = claimed
    if (chat !== null && chat.messenger !== messenger) return () => store(() => releaseClaim(accounts, message, times))
    return async () => store(await send({ ...message, chat }, talk, pace))
  }
  const look = async (): Promise<number> => {
    let n_claimed = 0
    // Most looks find nothing, and write nothing.
    const due = await dueMessages(accounts, { messenger, now: now(), limit: perLook })
    for (const message of due) {
      if (signal.aborted || !(await lease.take())) break
      const work = await claim(message)
      if (work === null) continue
      n_claimed += 1
      const call = work()
        .then(() => void (fault = null), failed)
        .finally(() => sending.delete(call))
      sending.add(call)
      if (sending.size >= pace.n_at_once) await Promise.race(sending)
      await rest(pace.bot_ms)
    }
    return n_claimed
  }
  while (!signal.aborted) {
    const n_claimed = await look().catch((error: unknown) => {
      failed(error)
      return 0
    })
    if (n_claimed === 0) await rest(pace.look_ms)
  }
  await Promise.all(sending)
  // A failed release only lets the lease expire.
  await lease.release().catch(() => undefined)
}

/** A change of the store, which may be repeated. */
type Change = () => Promise<unknown>

/** Sends a message. Returns the change that follows from the answer. */
async function send(
  message: Message & { chat: ChatId | null },
  { connection, accounts, now, log, signal }: Talk,
  pace: DeliveryPace,
): Promise<Change> {
  const { chat, account_id } = message
  // The person has unlinked the chat since the alert fired, or the operator has disabled the account.
  if (chat === null) return () => removeMessages(accounts, account_id)
  try {
    await connection.send(chat.chat_id, message.text, deliveryOf(message))
  } catch (error) {
    // A call that was cut off by the end of the process may have been answered: the claim runs out.
    if (!(error instanceof MessengerError) || signal.aborted) throw error
    return afterFailure(message, chat, error, { accounts, now, log, pace })
  }
  const until = now() + pace.chat_ms * MILLISECOND
  return async () => {
    await removeMessage(accounts, message)
    await holdFirst(accounts, account_id, until)
  }
}

function afterFailure(
  message: Message,
  chat: ChatId,
  error: MessengerError,
  { accounts, now, log, pace }: Pick<Talk, 'accounts' | 'now' | 'log'> & { pace: DeliveryPace },
): Change {
  if (error.kind === 'blocked')
    return async () => {
      await unlinkChat(accounts, { ...chat, now: now() })
      await buryMessages(accounts, { account_id: message.account_id, reason: error.message, now: now() })
    }
  if (error.kind === 'passing' && message.n_tries + 1 < pace.most_tries) {
    const backoff_ms = Math.min(longestBackoff_ms, pace.backoff_ms * 2 ** Math.min(message.n_tries, 20))
    const next_at = now() + pauseAfter(error, backoff_ms) * MILLISECOND
    return () => putOff(accounts, message, { next_at, n_tries: message.n_tries + 1 })
  }
  log.error(`alerts: message given up, ${error.message}`)
  const { account_id, position } = message
  return () => buryMessages(accounts, { account_id, position, reason: error.message, now: now() })
}

/** The firing of a message, with an id that its repetitions share. Null for a message without one. */
function deliveryOf({ alert_id, cause, fired_at, type, entity }: Message): Delivery | undefined {
  if (alert_id === null || fired_at === null) return undefined
  const id = createHash('sha256').update(`${alert_id} ${cause}`).digest('hex').slice(0, 32)
  return { id, at: fired_at, alert: type === null || entity === null ? null : { id: alert_id, type, entity } }
}
