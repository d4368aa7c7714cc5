import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { setTier } from '#accounts/people.ts'
import { startBot, type Bot } from '#api/messaging/bot.ts'
import { connectDiscord, discord } from '#api/messaging/discord.ts'
import { connectMail, email } from '#api/messaging/email.ts'
import { connectWebhook, webhook } from '#api/messaging/webhook.ts'
import { serveMail } from '#test/api/messaging/receivers/mail_server.ts'
import { serveReceivers } from '#test/api/messaging/receivers/receivers.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'
import { eventually } from '#test/run/eventually.ts'

import { signedUp, type Browser } from './browser.ts'

const discordUrl = 'https://discord.com/api/webhooks/123456/AbCdEfGhIjKlMnOpQrSt-_0'
const discordChat = '123456/AbCdEfGhIjKlMnOpQrSt-_0'

let receivers: Awaited<ReturnType<typeof serveReceivers>>
let mailServer: Awaited<ReturnType<typeof serveMail>>
let service: Service
let bots: Bot[]
let ann: Browser
beforeEach(async () => {
  receivers = await serveReceivers()
  mailServer = await serveMail({ unknown: ['nobody@example.org'] })
  bots = []
  service = await startService({ isEmpty: true, bots })
  const parts = { accounts: service.accounts, now: () => service.clock.at, log: pino({ level: 'silent' }) }
  const delivery = { bot_ms: 0, chat_ms: 0, n_at_once: 5, look_ms: 10, backoff_ms: 1, claim_ms: 1_000, most_tries: 3 }
  const start = (messenger: Bot['messenger'], connect: Parameters<typeof startBot>[0]['connect']) =>
    void bots.push(startBot({ messenger, connect }, parts, undefined, delivery))
  start(discord, connectDiscord({ root: receivers.url, isPrivateAllowed: true }))
  start(webhook, connectWebhook({ isPrivateAllowed: true }))
  start(email, connectMail({ url: mailServer.url, from: 'alerts@tapeline.example' }))
  ann = await signedUp(service, 'ann@example.com')
})
afterEach(async () => {
  await Promise.all(bots.map((bot) => bot.close()))
  await service.stop()
  await receivers.close()
  await mailServer.close()
})

const link = (messenger: string, handle: string, browser = ann) => browser.post('/api/messaging', { messenger, handle })
const messaging = async (browser = ann) => {
  const { platform, handle, linked } = (await browser.get('/api/settings')).json['messaging'] as Record<string, unknown>
  return [platform, handle, linked]
}
const fault = ({ status, json }: Reply) => [status, json['message']]

test('a webhook of Discord is linked by a message to its channel, and to one account alone', async () => {
  expect((await link('discord', ` ${discordUrl} `)).json).toEqual({ handle: 'webhook 123456', linked: true })
  expect(receivers.received(discordChat)).toHaveLength(1)
  expect(await messaging()).toEqual(['discord', 'webhook 123456', true])
  const bob = await signedUp(service, 'bob@example.com')
  expect(fault(await link('discord', discordUrl, bob))).toEqual([
    400,
    'handle: linked to another account; expected an address without an account.',
  ])
  expect(await messaging(bob)).toEqual(['discord', null, false])
  await ann.delete('/api/messaging')
  expect((await link('discord', discordUrl, bob)).status).toBe(201)
})

test('an address that takes no message is a 400 with the reason, and leaves the former chat', async () => {
  const { status, json } = await link('webhook', `${receivers.url}/hooks/ann`)
  expect([status, json['secret']]).toEqual([201, expect.stringMatching(/^whsec_/)])
  receivers.remove(discordChat)
  expect(fault(await link('discord', discordUrl))).toEqual([
    400,
    'handle: no message was taken (discord: it answered 404; expected 200); expected an address that takes messages.',
  ])
  expect(fault(await link('discord', 'https://example.org/'))).toEqual([
    400,
    'handle: invalid; expected the URL of a Discord webhook, such as https://discord.com/api/webhooks/123/abc.',
  ])
  expect(fault(await link('email', 'nobody@example.org'))[0]).toBe(400)
  expect(await messaging()).toEqual(['webhook', new URL(receivers.url).host, true])
  // The address of a webhook is a secret of its owner.
  expect(service.lines.join()).not.toContain('AbCdEf')
})

const tokenOfMail = (): string =>
  /#confirm=([\w-]+)/.exec((mailServer.mails.at(-1)?.body ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[1] ??
  ''

test('a mail address is linked by the link of its mail, in the session that asked for it, once', async () => {
  expect((await link('email', 'ann@example.org')).json).toMatchObject({ sent_to: 'ann@example.org' })
  expect(await messaging()).toEqual(['email', 'ann@example.org', false])
  const token = tokenOfMail()
  const bob = await signedUp(service, 'bob@example.com')
  const confirm = (browser: Browser) => browser.post('/api/messaging/confirm', { token })
  expect(fault(await confirm(bob))).toEqual([
    400,
    'token: unknown, used or expired; expected the newest link of this account within ten minutes.',
  ])
  expect((await confirm(ann)).status).toBe(200)
  expect(await messaging()).toEqual(['email', 'ann@example.org', true])
  expect((await confirm(ann)).status).toBe(400)
})

test('an address gets few messages of people who link it', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 7; n++) statuses.push((await link('email', 'ann@example.org')).status)
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429])
  expect(mailServer.mails).toHaveLength(5)
})

test('a message that is given up is shown with its reason, to its account alone, and sent again', async () => {
  await link('discord', discordUrl)
  const { account_id } = await service.accounts.selectFrom('messaging').select('account_id').executeTakeFirstOrThrow()
  // The free tier has no alerts.
  await setTier(service.accounts, { account_id, tier: 'pro', now: service.clock.at })
  const texts = ['', 'Second\nText']
  await service.accounts
    .insertInto('outbox')
    .values(texts.map((text, n) => ({ account_id, position: n + 1, text, n_tries: 0, next_at: 0 })))
    .execute()
  const letters = async (browser = ann) => (await browser.get('/api/dead-letters')).items
  // Discord takes no empty message.
  const dead = [
    { id: 1, text: '', reason: 'discord: it answered 400; expected 200', dead_at: '2026-03-01T12:01:00.000Z' },
  ]
  await eventually(async () => expect(await letters()).toEqual(dead))
  await eventually(() => expect(receivers.received(discordChat)).toHaveLength(2))
  const bob = await signedUp(service, 'bob@example.com')
  expect(await letters(bob)).toEqual([])
  expect((await bob.post('/api/dead-letters/replay', {})).json).toEqual({ replayed: 0 })

  await service.accounts.updateTable('dead_letters').set({ text: 'First' }).execute()
  expect((await ann.post('/api/dead-letters/replay', { id: 1 })).json).toEqual({ replayed: 1 })
  await eventually(() => expect(receivers.received(discordChat)).toHaveLength(3))
  expect(await letters()).toEqual([])
})
