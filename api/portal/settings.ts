import { z } from 'zod'

import { listKeys } from '#accounts/account_keys.ts'
import type { Accounts } from '#accounts/accounts.ts'
import { messagingOf } from '#accounts/profile.ts'
import { tiers, type Tier } from '#accounts/tiers.ts'
import { usageOf } from '#accounts/usage.ts'
import type { Bot } from '#api/messaging/bot.ts'
import { formOf, messengers, shownHandle } from '#api/messaging/messengers.ts'

import { defineRoute, isoTime } from './portal_route.ts'

/** `GET /api/settings`: the account of the signed-in person, its limits and its keys. */
export const settings = defineRoute({
  method: 'GET',
  path: '/api/settings',
  body: null,
  query: {},
  respond: async (_request, { accounts, bots, session: { account_id, email } }) => {
    const tier = await tierOf(accounts, account_id)
    const { endpoints, ...limits } = tiers[tier]
    const keys = (await listKeys(accounts, account_id)).map(({ created_at, last_used_at, ...key }) => ({
      ...key,
      created_at: isoTime(created_at),
      last_used_at: last_used_at === null ? null : isoTime(last_used_at),
    }))
    const messaging = await messagingSettings(accounts, bots, account_id)
    return { status: 200, body: { email, tier, limits, endpoints, keys, messaging } }
  },
})

/** The messaging account of an account, the bot of its messenger, and the messengers that it can be changed to. */
async function messagingSettings(accounts: Accounts, bots: readonly Bot[], account_id: string) {
  const account = await messagingOf(accounts, account_id)
  const platform = account?.platform ?? bots[0]?.messenger.id ?? messengers[0].id
  const bot = bots.find(({ messenger }) => messenger.id === platform)?.username() ?? null
  const choices = bots.map(({ messenger, username }) => {
    const { id, name, linking } = messenger
    return { id, name, linking, form: formOf(messenger), bot: username() }
  })
  const handle = account && shownHandle(platform, account.handle)
  return { platform, handle, linked: account?.linked ?? false, bot, messengers: choices }
}

const ranges = {
  '24h': { step: 'hour', n_steps: 24 },
  '7d': { step: 'day', n_steps: 7 },
  '30d': { step: 'day', n_steps: 30 },
} as const

/** `GET /api/usage`: the requests of the account, by the hour or by the day. */
export const usage = defineRoute({
  method: 'GET',
  path: '/api/usage',
  body: null,
  query: { range: z.enum(['24h', '7d', '30d'], 'one of 24h, 7d, 30d').default('24h') },
  respond: async ({ query: { range } }, { accounts, session: { account_id }, now }) => {
    const rows = await usageOf(accounts, { account_id, ...ranges[range], now })
    return { status: 200, body: rows.map(({ from, ...counts }) => ({ from: isoTime(from), ...counts })) }
  },
})

/**
 * `POST /api/token`: a bearer token for `/v1`, valid for 15 minutes or until the session ends. It has the account, the
 * tier and the limits of a key, so that a page needs none.
 */
export const token = defineRoute({
  method: 'POST',
  path: '/api/token',
  body: null,
  query: {},
  respond: async (_request, { tokens, session, now }) => {
    const minted = tokens.mint(session.id, now)
    return { status: 201, body: { token: minted.token, expires_at: isoTime(minted.expires_at) } }
  },
})

export const tierOf = async (accounts: Accounts, id: string): Promise<Tier> =>
  (await accounts.selectFrom('accounts').select('tier').where('id', '=', id).executeTakeFirstOrThrow()).tier
