import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import {
  claimMessage,
  dueMessages,
  putOff,
  releaseClaim,
  removeMessage,
  removeMessages,
  type Message,
} from '#accounts/alerts/outbox.ts'
import { leaseOf } from '#accounts/messaging/lease.ts'
import { unlinkChat, type ChatId } from '#accounts/messaging/messaging.ts'

import type { Talk } from './conversation.ts'
import { MessengerError, pauseAfter } from './messenger.ts'

/** Milliseconds between two messages of the bot, to one chat, and between two looks into the outbox. */
export type DeliveryPace = { bot_ms: number; chat_ms: number; look_ms: number; backoff_ms: number; claim_ms: number }

/** A claim is longer than any call to a messenger takes. */
const usual = { look_ms: 500, backoff_ms: 1_000, claim_ms: 90_000 }

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
  while (!signal.aborted) {
    let n_sent = 0
    try {
      const due = (await lease.take()) ? await dueMessages(accounts, { messenger, now: now(), limit: perLook }) : []
      for (const message of due) {
        if (signal.aborted || !(await lease.take())) break
        const claim = { now: now(), until: now() + pace.claim_ms * MILLISECOND }
        const claimed = await claimMessage(accounts, message, claim).catch(async (error: unknown) => {
          // The claim may be stored, and the message is not sent.
          await store(() => releaseClaim(accounts, message, claim))
          throw error
        })
        if (claimed === null) continue
        n_sent += 1
        const { chat } = claimed
        if (chat !== null && chat.messenger !== messenger) await store(() => releaseClaim(accounts, message, claim))
        else await store(await send({ ...message, chat }, talk, pace))
        await rest(pace.bot_ms)
      }
      fault = null
    } catch (error) {
      failed(error)
    }
    if (n_sent === 0) await rest(pace.look_ms)
  }
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
    await connection.send(chat.chat_id, message.text)
  } catch (error) {
    // A call that was cut off by the end of the process may have been answered: the claim runs out.
    if (!(error instanceof MessengerError) || signal.aborted) throw error
    return afterFailure(message, chat, error, { accounts, now, log, pace })
  }
  const until = now() + pace.chat_ms * MILLISECOND
  return async () => {
    await removeMessage(accounts, message)
    await holdNext(message, { accounts, until })
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
      await removeMessages(accounts, message.account_id)
    }
  if (error.kind === 'passing') {
    const backoff_ms = Math.min(longestBackoff_ms, pace.backoff_ms * 2 ** Math.min(message.n_tries, 20))
    const next_at = now() + pauseAfter(error, backoff_ms) * MILLISECOND
    return () => putOff(accounts, message, { next_at, n_tries: message.n_tries + 1 })
  }
  log.error(`alerts: message dropped, ${error.message}`)
  return () => removeMessage(accounts, message)
}

/** The next message of the same chat waits for a moment. */
const holdNext = (
  { account_id, position }: Message,
  { accounts, until }: Pick<Talk, 'accounts'> & { until: number },
): Promise<unknown> =>
  accounts
    .updateTable('outbox')
    .set({ next_at: until })
    .where('account_id', '=', account_id)
    .where('position', '=', position + 1)
    .where('next_at', '<', until)
    .execute()
