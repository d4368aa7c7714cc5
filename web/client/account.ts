import * as z from 'zod/mini'

import { requestSignedIn as request } from './request.ts'

const key = z.object({
  id: z.string(),
  name: z.string(),
  start: z.string(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
})

/** A messenger with a bot. `bot` is the user name of the bot without `@`; null before the messenger has stated it. */
const messenger = z.object({ id: z.string(), name: z.string(), bot: z.nullable(z.string()) })

/** `platform` is the id of the messenger; `handle` is the user name with its `@`. */
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

const link = z.object({ url: z.url({ protocol: /^https?$/ }), expires_at: z.string() })

/** A deep link to the bot, which links the chat of the handle, once. */
export type MessagingLink = z.output<typeof link>

export const linkMessaging = (body: { handle: string; messenger: string }): Promise<MessagingLink> =>
  request('api/messaging', link, { method: 'POST', body })

export const unlinkMessaging = () => request('api/messaging', z.looseObject({}), { method: 'DELETE' })
