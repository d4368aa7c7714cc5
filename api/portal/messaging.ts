import { z } from 'zod'

import { openLink, parseHandle, removeMessaging } from '#accounts/messaging/messaging.ts'
import { ApiError } from '#api/contract/errors.ts'

import { defineRoute, isoTime, type PortalRoute } from './portal_route.ts'

const handleForm = 'a Telegram user name: 4 to 32 letters, digits and _, beginning with a letter'

const handle = z.string(handleForm).transform((text, context) => {
  const parsed = parseHandle(text.trim())
  if (parsed === null) context.addIssue({ code: 'custom', message: handleForm })
  return parsed ?? z.NEVER
})

/** The routes that link the signed-in person's Telegram account, and remove it. */
export const messagingRoutes: readonly PortalRoute[] = [
  /** Creates a one-time link for the owner of the handle. Older links of the account become invalid. */
  defineRoute({
    method: 'POST',
    path: '/api/messaging',
    body: z.strictObject({ handle }),
    query: {},
    respond: async ({ body }, { accounts, messenger, session: { account_id }, network, now }) => {
      if (messenger === undefined)
        throw new ApiError(
          'messaging_unavailable',
          'messaging: no bot; expected an installation with TELEGRAM_BOT_TOKEN.',
        )
      if (messenger.username() === null) throw notReached()
      const { token, expires_at } = await openLink(accounts, { account_id, handle: body.handle, network, now })
      return { status: 201, body: { url: messenger.linkOf(token), expires_at: isoTime(expires_at) } }
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

const notReached = () =>
  new ApiError('not_ready', 'messaging: Telegram has not answered yet; expected a retry in a few seconds.', {
    'Retry-After': '5',
  })
