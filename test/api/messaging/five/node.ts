import { pino } from 'pino'
import { z } from 'zod'

import { openAccounts } from '#accounts/accounts.ts'
import { deliver } from '#api/messaging/deliver.ts'
import { connectDiscord, discord } from '#api/messaging/discord.ts'
import { connectMail, email } from '#api/messaging/email.ts'
import type { ConfiguredMessenger } from '#api/messaging/messenger.ts'
import { connectSlack, slack } from '#api/messaging/slack.ts'
import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { connectWebhook, webhook } from '#api/messaging/webhook.ts'
import { machineClock } from '#time.ts'

/** The token of the bot. */
export const token = '1:the-token-of-five'

/** Longer than any call takes on a busy machine: a claim must not end while its message is under way. */
export const claim_ms = 600_000

/** The messages of a messenger that are under way at once. */
export const n_at_once = 4

const delivery = { bot_ms: 0, chat_ms: 0, n_at_once, look_ms: 20, backoff_ms: 5, claim_ms, most_tries: 300 }

/**
 * `node.ts <store> <receivers> <mail server> <Bot API>`: sends the messages of five messengers. Its parent sets its
 * clock ahead by messages of so many microseconds.
 */
const [place, receivers = '', mailServer = '', botApi = ''] = process.argv.slice(2)
if (place !== undefined && process.argv[1] === import.meta.filename) {
  let ahead = 0
  process.on('message', (sent) => void (ahead = z.number().parse(sent)))
  const now = () => machineClock() + ahead
  const log = pino({ level: 'silent' })
  const accounts = await openAccounts(place)
  const webhooks = { root: receivers, isPrivateAllowed: true }
  const configured: ConfiguredMessenger[] = [
    { messenger: telegram, connect: connectTelegram({ token, apiRoot: botApi, linkRoot: '' }) },
    { messenger: discord, connect: connectDiscord(webhooks) },
    { messenger: slack, connect: connectSlack(webhooks) },
    { messenger: webhook, connect: connectWebhook({ isPrivateAllowed: true }) },
    { messenger: email, connect: connectMail({ url: mailServer, from: 'alerts@tapeline.example' }) },
  ]
  const { signal } = new AbortController()
  for (const { messenger, connect } of configured)
    void deliver({ messenger, connection: connect(signal), accounts, now, log, signal }, delivery)
}
