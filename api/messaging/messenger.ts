import type { z } from 'zod'

/**
 * A messaging app in which people receive alerts: a file of this folder, and a line in `messengers.ts`. It translates
 * between its protocol and texts without markup; linking, delivery and repetition are the same for all.
 */
export type Messenger = {
  /** The id in rows of people, and in the API. */
  id: string
  /** The name that people read. */
  name: string
  /** The form of a user name, for people who enter theirs. */
  usernameForm: string
  /** A user name as it is stored: without `@`. Null if the text has another form. */
  parseUsername: (text: string) => string | null
  /** The settings by variable, each with a description. The first one decides whether there is a bot. */
  settings: z.ZodObject
  /** The bot of an environment; undefined without one. */
  configure: (env: Record<string, string | undefined>) => Connect | undefined
  /** The milliseconds between two messages of the bot, and of these to one chat: slower than the messenger allows. */
  pace: { bot_ms: number; chat_ms: number }
}

/** A messenger with the bot of this installation. */
export type ConfiguredMessenger = { messenger: Messenger; connect: Connect }

/** Connects the bot. Its calls end with `ending`. */
export type Connect = (ending: AbortSignal) => Connection

/** The calls of a bot. Each throws a {@link MessengerError}, which contains no secret. */
export type Connection = {
  /** The user name of the bot. */
  identify: () => Promise<string>
  /** The link that opens a chat with the bot `username` and sends `/start <token>`. */
  linkFor: (username: string, token: string) => string
  /** Formats and sends a text without markup. The first of several lines is its title. A long text is cut. */
  send: (chat_id: string, text: string) => Promise<void>
  /**
   * The incoming messages in order; null after `wait_s` without any. A request for the next message confirms the former
   * one. Messages that are not confirmed come again, also to another process.
   */
  listen: (options: { username: string; wait_s: number }) => AsyncIterable<Incoming | null>
}

/** A message in a chat, or the end of a chat whose person has blocked the bot. `username` is null without a user name. */
export type Incoming =
  | { kind: 'message'; chat_id: string; username: string | null; is_private: boolean; text: string }
  | { kind: 'left'; chat_id: string }

/** `blocked`: the person has blocked the bot; `passing`: a later call may succeed; `refused`: the call is wrong. */
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
