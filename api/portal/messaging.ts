import { z } from 'zod'

import { openLink, removeMessaging } from '#accounts/messaging/messaging.ts'
import { ApiError } from '#api/contract/errors.ts'
import { messengerIds, messengers } from '#api/messaging/messengers.ts'

import { defineRoute, isoTime, type PortalRoute } from './portal_route.ts'

const forms = messengers.map(({ usernameForm }) => usernameForm).join(', or ')

/** A user name, as a person enters it, and its messenger. */
const linking = z
  .strictObject({
    handle: z.string(forms).transform((text) => text.trim()),
    messenger: z.enum(messengerIds).optional(),
  })
  .superRefine(({ handle, messenger }, context) => {
    const message = messengerFor(messenger).usernameForm
    if (messengerFor(messenger).parseUsername(handle) === null)
      context.addIssue({ code: 'custom', path: ['handle'], message })
  })

const messengerFor = (id: string | undefined) => messengers.find((messenger) => messenger.id === id) ?? messengers[0]

/** The routes that link the signed-in person's messaging account, and remove it. */
export const messagingRoutes: readonly PortalRoute[] = [
  /** Creates a one-time link for the owner of the handle. Older links of the account become invalid. */
  defineRoute({
    method: 'POST',
    path: '/api/messaging',
    body: linking,
    query: {},
    respond: async ({ body }, { accounts, bots, session: { account_id }, network, now }) => {
      const messenger = messengerFor(body.messenger)
      const bot = bots.find((candidate) => candidate.messenger.id === messenger.id)
      if (bot === undefined)
        throw new ApiError(
          'messaging_unavailable',
          `messaging: no ${messenger.name} bot; expected an installation with ${Object.keys(messenger.settings.shape)[0]}.`,
        )
      if (bot.username() === null) throw notReached(messenger.name)
      const handle = messenger.parseUsername(body.handle) ?? body.handle
      const { token, expires_at } = await openLink(accounts, {
        account_id,
        messenger: messenger.id,
        handle,
        network,
        now,
      })
      return { status: 201, body: { url: bot.linkFor(token), expires_at: isoTime(expires_at) } }
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

const notReached = (name: string) =>
  new ApiError('not_ready', `messaging: ${name} has not answered yet; expected a retry in a few seconds.`, {
    'Retry-After': '5',
  })
