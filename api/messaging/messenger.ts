import type { z } from 'zod'

import type { Micros } from '#time.ts'

/**
 * A messaging app in which people receive alerts: a file of this folder, and a line in `messengers.ts`. It translates
 * between its protocol and texts without markup; linking, delivery and repetition are the same for all.
 */
export type Messenger = (ByBot | ByAddress) & {
  /** The id in rows of people, and in the API. */
  id: string
  /** The name that people read. */
  name: string
  /** The settings by variable, each with a description. The first one decides whether there is a bot. */
  settings: z.ZodObject
  /** The bot of an environment; undefined without one. */
  configure: (env: Record<string, string | undefined>) => Connect | undefined
  /**
   * The milliseconds between two messages of the bot, and of these to one chat: slower than the messenger allows. Calls
   * for different chats run at once, up to `n_at_once`.
   */
  pace: { bot_ms: number; chat_ms: number; n_at_once: number }
}

/** A person enters their user name, and opens a link to the bot. */
type ByBot = {
  linking: 'bot'
  /** The form of a user name, for people who enter theirs. */
  usernameForm: string
  /** A user name as it is stored: without `@`. Null if the text has another form. */
  parseUsername: (text: string) => string | null
}

/**
 * A person enters an address. `address`: only its owner has it, and it is linked once it has taken a message. `mail`:
 * others know it too, so the person opens a link in a message to it.
 */
type ByAddress = {
  linking: 'address' | 'mail'
  /** The form of an address, for people who enter theirs. */
  addressForm: string
  /** The chat of an address. Null if the text has another form. */
  parseAddress: (text: string) => Address | null
}

/** A chat, the name that people see, and a secret that its owner sees once. */
export type Address = { chat_id: string; handle: string; secret?: string }

/** A messenger with the bot of this installation. */
export type ConfiguredMessenger = { messenger: Messenger; connect: Connect }

/** Connects the bot. Its calls end with `ending`. A messenger that links by a bot listens. */
export type Connect = (ending: AbortSignal) => Connection

/** The calls of a bot. Each throws a {@link MessengerError}, which contains no secret. */
export type Connection = {
  /**
   * Formats and sends a text without markup. The first of several lines is its title. A long text is cut. The message of
   * a firing has a `delivery`.
   */
  send: (chat_id: string, text: string, delivery?: Delivery) => Promise<void>
} & Partial<Listening>

/** The calls of a bot to which people write. */
export type Listening = {
  /** The user name of the bot. */
  identify: () => Promise<string>
  /** The link that opens a chat with the bot `username` and sends `/start <token>`. */
  linkFor: (username: string, token: string) => string
  /**
   * The incoming messages in order; null after `wait_s` without any. A request for the next message confirms the former
   * one. Messages that are not confirmed come again, also to another process.
   */
  listen: (options: { username: string; wait_s: number }) => AsyncIterable<Incoming | null>
}

/** The firing of an alert. A message that comes again has the same id. `alert` is null once the alert is deleted. */
export type Delivery = { id: string; at: Micros; alert: { id: string; type: string; entity: string } | null }

/** A message in a chat, or the end of a chat whose person has blocked the bot. `username` is null without a user name. */
export type Incoming =
  | { kind: 'message'; chat_id: string; username: string | null; is_private: boolean; text: string }
  | { kind: 'left'; chat_id: string }

/** `blocked`: the person has blocked the bot, or the chat is gone; `passing`: a later call may succeed; `refused`: the call is wrong. */
export type Failure = 'blocked' | 'passing' | 'refused'

/** A call to a messenger failed. `pause_s` is the pause that it asks for; null without one. */
export class MessengerError extends Error {
  override name = 'MessengerError'
  readonly kind: Failure
  readonly pause_s: number | null

  constructor(message: string, { kind, pause_s }: { kind: Failure; pause_s: number | null }) {
    super(message)
    this.kind = kind
    this.pause_s = pause_s
  }
}

/**
 * The milliseconds until a call that failed may be tried again: those that the messenger asks for, else the caller's
 * usual pause. It may ask for 0 seconds, which is no pause.
 */
export const pauseAfter = (error: unknown, usual_ms: number): number => {
  const asked_s = error instanceof MessengerError ? (error.pause_s ?? 0) : 0
  return asked_s > 0 ? asked_s * 1_000 : usual_ms
}
