import * as z from 'zod/mini'

import { requestSignedIn as request } from './request.ts'

const key = z.object({
  id: z.string(),
  name: z.string(),
  start: z.string(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
})

/**
 * A messenger. `linking` is the way in which it links: by a bot, a mail, or an address that takes a message. `form` says
 * what a person enters. `bot` is the user name of the bot without `@`; null before the messenger has stated it.
 */
const messenger = z.object({
  id: z.string(),
  name: z.string(),
  linking: z.enum(['bot', 'mail', 'address']),
  form: z.string(),
  bot: z.nullable(z.string()),
})

/** `platform` is the id of the messenger; `handle` is the user name with its `@`, or the name of an address. */
const messaging = z.object({
  platform: z.string(),
  handle: z.nullable(z.string()),
  linked: z.boolean(),
  messengers: z.array(messenger),
})

const settings = z.object({
  email: z.string(),
  tier: z.string(),
  limits: z.object({ requests: z.number(), chats: z.number(), alerts: z.number(), watchlists: z.number() }),
  endpoints: z.array(z.string()),
  keys: z.array(key),
  messaging,
})

export type Key = z.output<typeof key>
export type Messaging = z.output<typeof messaging>
export type Messenger = z.output<typeof messenger>
export type Settings = z.output<typeof settings>

export const readSettings = (): Promise<Settings> => request('api/settings', settings)

const newKey = z.object({ id: z.string(), name: z.string(), key: z.string() })

/** A key with its text, which is shown once. */
export type NewKey = z.output<typeof newKey>

export const createKey = (name: string): Promise<NewKey> =>
  request('api/keys', newKey, { method: 'POST', body: { name } })

/** Replaces a key; the old one is refused from then on. */
export const regenerateKey = (id: string): Promise<NewKey> =>
  request('api/keys/regenerate', newKey, { method: 'POST', body: { id } })

export const revokeKey = (id: string) =>
  request(`api/keys?id=${encodeURIComponent(id)}`, z.object({ deleted: z.literal(true) }), { method: 'DELETE' })

export const usageRanges = { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' } as const
export type UsageRange = keyof typeof usageRanges

const use = z.object({ from: z.string(), requests: z.number(), limited: z.number() })

/** The requests of an hour or a day; `limited` of them were refused by the rate limit. */
export type Use = z.output<typeof use>

export const readUsage = (range: UsageRange): Promise<Use[]> => request(`api/usage?range=${range}`, z.array(use))

const botLink = z.object({ url: z.url({ protocol: /^https?$/ }), expires_at: z.string() })
const sentMail = z.object({ sent_to: z.string(), expires_at: z.string() })
const linkedAddress = z.object({ handle: z.string(), linked: z.literal(true), secret: z.optional(z.string()) })
const linking = z.union([botLink, sentMail, linkedAddress])

/** A deep link to the bot, which links the chat of the handle, once. */
export type BotLink = z.output<typeof botLink>

/** A deep link to the bot, a mail with a link, or an address that is linked, with the secret of a webhook. */
export type Linking = z.output<typeof linking>

export const linkMessaging = (body: { handle: string; messenger: string }): Promise<Linking> =>
  request('api/messaging', linking, { method: 'POST', body })

export const confirmMessaging = (token: string) =>
  request('api/messaging/confirm', z.object({ linked: z.literal(true) }), { method: 'POST', body: { token } })

const deadLetter = z.object({ id: z.number(), text: z.string(), reason: z.string(), dead_at: z.string() })

/** A message that was given up. */
export type DeadLetter = z.output<typeof deadLetter>

export const readDeadLetters = (): Promise<DeadLetter[]> => request('api/dead-letters', z.array(deadLetter))

/** Sends one dead letter again, or all of them. */
export const replayDeadLetters = (body: { id?: number }) =>
  request('api/dead-letters/replay', z.object({ replayed: z.number() }), { method: 'POST', body })

export const unlinkMessaging = () => request('api/messaging', z.looseObject({}), { method: 'DELETE' })
