import { z } from 'zod'

import { confirmAddress, linkAddress, openLink, removeMessaging } from '#accounts/messaging/messaging.ts'
import { ApiError, invalidRequest } from '#api/contract/errors.ts'
import type { Bot } from '#api/messaging/bot.ts'
import { MessengerError, type Address, type Messenger } from '#api/messaging/messenger.ts'
import { formOf, messengerIds, messengers } from '#api/messaging/messengers.ts'

import { defineRoute, isoTime, type PortalContext, type PortalRoute } from './portal_route.ts'

const forms = messengers.map(formOf).join(', or ')

/** A user name or an address, as a person enters it, and its messenger. */
const linking = z.strictObject({
  handle: z
    .string(forms)
    .max(1_000, forms)
    .transform((text) => text.trim()),
  messenger: z.enum(messengerIds).optional(),
})

const messengerFor = (id: string | undefined) => messengers.find((messenger) => messenger.id === id) ?? messengers[0]

/** The routes that link the signed-in person's messaging account, and remove it. */
export const messagingRoutes: readonly PortalRoute[] = [
  /**
   * Links an address that takes a message, or creates a one-time link for the owner of the handle. Older links of the
   * account become invalid.
   */
  defineRoute({
    method: 'POST',
    path: '/api/messaging',
    body: linking,
    query: {},
    respond: async ({ body }, context) => {
      const messenger = messengerFor(body.messenger)
      const linked = requestOf(messenger, body.handle)
      const bot = context.bots.find((candidate) => candidate.messenger.id === messenger.id)
      if (bot === undefined)
        throw new ApiError(
          'messaging_unavailable',
          `messaging: no ${messenger.name} bot; expected an installation with ${Object.keys(messenger.settings.shape)[0]}.`,
        )
      await context.attempt(context.network, limitsOf(context.session.account_id, body.handle))
      return linked({ ...context, account_id: context.session.account_id, bot })
    },
  }),
  /** Confirms an address by the token of the link in a message to it. */
  defineRoute({
    method: 'POST',
    path: '/api/messaging/confirm',
    body: z.strictObject({ token: z.string().min(1).max(100) }),
    query: {},
    respond: async ({ body: { token } }, { accounts, session: { account_id }, now }) => {
      const result = await confirmAddress(accounts, { token, account_id, now })
      if (result === 'taken') throw taken()
      if (result !== 'linked')
        throw invalidRequest('token', 'unknown, used or expired', 'the newest link of this account within ten minutes')
      return { status: 200, body: { linked: true } }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/messaging',
    body: null,
    query: {},
    respond: async (_request, { accounts, session: { account_id }, network, now }) => {
      await removeMessaging(accounts, { account_id, network, now })
      return { status: 200, body: { handle: null, linked: false } }
    },
  }),
]

/** Each attempt sends a message, which its receiver may not want. */
const limitsOf = (account_id: string, handle: string) =>
  [
    { kind: 'chat of an account', subject: account_id, most: 20 },
    { kind: 'chat of an address', subject: handle.toLowerCase(), most: 5 },
  ].map((limit) => ({ ...limit, window_s: 900 }))

type Linking = PortalContext & { account_id: string; bot: Bot }

/** The work that links what a person entered. Throws a 400 for another form. */
function requestOf(messenger: Messenger, text: string) {
  if (messenger.linking === 'bot') {
    const handle = messenger.parseUsername(text)
    if (handle === null) throw invalidRequest('handle', 'invalid', messenger.usernameForm)
    return (linked: Linking) => linkBot(handle, linked)
  }
  const address = messenger.parseAddress(text)
  if (address === null) throw invalidRequest('handle', 'invalid', messenger.addressForm)
  return (linked: Linking) => (messenger.linking === 'mail' ? linkMail(address, linked) : linkTaking(address, linked))
}

/** Opens a link to a bot. */
async function linkBot(handle: string, { accounts, account_id, bot, network, now }: Linking) {
  const { messenger } = bot
  if (bot.username() === null) throw notReached(messenger.name)
  const opened = { account_id, messenger: messenger.id, handle, network, now }
  const { token, expires_at } = await openLink(accounts, opened)
  return { status: 201, body: { url: bot.linkFor(token), expires_at: isoTime(expires_at) } } as const
}

/** Sends a link to an address. The page reads the token from the fragment, which no server sees. */
async function linkMail(address: Address, { accounts, account_id, bot, network, now, pagesUrl }: Linking) {
  const opened = { account_id, messenger: bot.messenger.id, handle: address.chat_id, network, now }
  const { token, expires_at } = await openLink(accounts, opened)
  const lines = [
    'Confirm this address for your alerts',
    'Open this link within ten minutes, signed in, to receive the alerts of your Tapeline account here:',
    `${pagesUrl}/settings#confirm=${token}`,
    'Without a request of yours, ignore this message.',
  ]
  await bot.send(address.chat_id, lines.join('\n')).catch(refuse)
  return { status: 201, body: { sent_to: address.handle, expires_at: isoTime(expires_at) } } as const
}

/** Links an address once it has taken a message. */
async function linkTaking(address: Address, { accounts, account_id, bot, network, now }: Linking) {
  const { chat_id, handle, secret } = address
  await bot.send(chat_id, `Linked\nThis channel receives the alerts of a Tapeline account from now on.`).catch(refuse)
  const link = { account_id, messenger: bot.messenger.id, chat_id, handle, network, now }
  if (!(await linkAddress(accounts, link))) throw taken()
  return { status: 201, body: { handle, linked: true, ...(secret === undefined ? {} : { secret }) } } as const
}

const refuse = (error: unknown): never => {
  if (!(error instanceof MessengerError)) throw error
  throw invalidRequest('handle', `no message was taken (${error.message})`, 'an address that takes messages')
}

const taken = () => invalidRequest('handle', 'linked to another account', 'an address without an account')

const notReached = (name: string) =>
  new ApiError('not_ready', `messaging: ${name} has not answered yet; expected a retry in a few seconds.`, {
    'Retry-After': '5',
  })
