import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { connectDiscord, discord, markdownOf } from '#api/messaging/discord.ts'
import { connectMail, email } from '#api/messaging/email.ts'
import { MessengerError, type Connection } from '#api/messaging/messenger.ts'
import { connectSlack, slack } from '#api/messaging/slack.ts'
import { connectWebhook, webhook } from '#api/messaging/webhook.ts'

import { serveMail } from './receivers/mail_server.ts'
import { serveReceivers, type Fault } from './receivers/receivers.ts'

const plan: { fault: Fault | null } = { fault: null }
const ending = new AbortController()
let receivers: Awaited<ReturnType<typeof serveReceivers>>
let server: Awaited<ReturnType<typeof serveMail>>
let connections: Record<'discord' | 'slack' | 'webhook' | 'email', { connection: Connection; chat: string; at: string }>
beforeAll(async () => {
  receivers = await serveReceivers({ disturb: () => plan.fault, pause_s: 2.5 })
  server = await serveMail({
    disturb: () => (plan.fault === 'slow' ? null : plan.fault),
    unknown: ['nobody@example.org'],
  })
  const options = { root: receivers.url, isPrivateAllowed: true }
  const mail = { url: server.url, from: 'Tapeline <alerts@tapeline.example>' }
  connections = {
    discord: { connection: connectDiscord(options)(ending.signal), chat: '12345/tokentoken', at: '12345/tokentoken' },
    slack: { connection: connectSlack(options)(ending.signal), chat: 'T1/B1/abc', at: 'T1/B1/abc' },
    webhook: {
      connection: connectWebhook({ isPrivateAllowed: true, limit_ms: 500 })(ending.signal),
      chat: `whsec_c2VjcmV0 ${receivers.url}/hooks/ann`,
      at: 'ann',
    },
    email: { connection: connectMail(mail)(ending.signal), chat: 'ann@example.org', at: 'ann@example.org' },
  }
})
beforeEach(() => void (plan.fault = null))
afterAll(async () => {
  ending.abort()
  await receivers.close()
  await server.close()
})

const text = 'market: Will it *rain*?\nAlert: price_above 0.6 <@everyone>\nNow: price 0.71'
const delivery = { id: 'f'.repeat(32), at: 1_772_366_400_000_000, alert: { id: 'a1', type: 'market', entity: 'm' } }
const names = ['discord', 'slack', 'webhook', 'email'] as const
const failure = (name: (typeof names)[number], chat = connections[name].chat) =>
  connections[name].connection.send(chat, text, delivery).then(
    () => null,
    (error: unknown) => {
      expect(error).toBeInstanceOf(MessengerError)
      return error instanceof MessengerError ? [error.kind, error.pause_s, error.message] : null
    },
  )

test('a text arrives in each messenger, and no mark in it has an effect', async () => {
  for (const name of names) expect([name, await failure(name)]).toEqual([name, null])
  const [discordBody] = receivers.received('12345/tokentoken').map((body) => JSON.parse(body) as unknown)
  expect(discordBody).toEqual({
    content: String.raw`**market\: Will it \*rain\*?**
Alert\: price\_above 0.6 \<\@everyone\>
Now\: price 0.71`,
    allowed_mentions: { parse: [] },
  })
  expect(receivers.received('T1/B1/abc').map((body) => JSON.parse(body) as unknown)).toEqual([
    {
      text: 'market: Will it *rain*?',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'market: Will it *rain*?', emoji: false } },
        {
          type: 'section',
          text: { type: 'plain_text', text: 'Alert: price_above 0.6 <@everyone>\nNow: price 0.71', emoji: false },
        },
      ],
    },
  ])
  const [mail] = server.mails
  expect(mail?.body).toMatch(/^Subject: Tapeline: market: Will it \*rain\*\?\r$/m)
  expect(mail?.body).toMatch(new RegExp(`^Message-ID: <${delivery.id}@tapeline.example>\r$`, 'm'))
  expect(mail?.body).toContain('Alert: price_above 0.6 <@everyone>')
})

test.each([
  ['discord', 'limited', ['passing', 2.5, 'discord: it answered 429; expected 200']],
  ['discord', 'failed', ['passing', null, 'discord: it answered 502; expected 200']],
  ['discord', 'cut', ['passing', null, 'discord: no answer, ECONNRESET']],
  ['slack', 'limited', ['passing', 2.5, 'slack: it answered 429; expected 200']],
  ['slack', 'failed', ['passing', null, 'slack: it answered 502; expected 200']],
  ['webhook', 'limited', ['passing', 2.5, 'webhook: it answered 429; expected 200']],
  ['webhook', 'slow', ['passing', null, 'webhook: no answer within 0.5 s']],
  ['email', 'limited', ['passing', null, 'email: EMESSAGE 450']],
  ['email', 'failed', ['passing', null, 'email: EMESSAGE 451']],
] as const)('%s: a call that is %s may succeed later', async (name, fault, expected) => {
  plan.fault = fault
  expect(await failure(name)).toEqual(expected)
})

test('a mail whose answer is lost may have arrived', async () => {
  plan.fault = 'lost'
  expect((await failure('email'))?.[0]).toBe('passing')
  plan.fault = null
  expect(await failure('email')).toBe(null)
})

test('a chat that is gone is blocked, and a mailbox that does not exist is refused', async () => {
  for (const chat of ['55555/gone', 'T1/B9/gone', 'gone']) receivers.remove(chat)
  expect(await failure('discord', '55555/gone')).toEqual(['blocked', null, 'discord: it answered 404; expected 200'])
  expect(await failure('slack', 'T1/B9/gone')).toEqual(['blocked', null, 'slack: it answered 404; expected 200'])
  expect(await failure('webhook', `whsec_c2VjcmV0 ${receivers.url}/hooks/gone`)).toEqual([
    'blocked',
    null,
    'webhook: it answered 410; expected 200',
  ])
  // A server that is set up anew has no route for a while.
  const nowhere = await failure('webhook', `whsec_c2VjcmV0 ${receivers.url}/nowhere`)
  expect(nowhere).toEqual(['passing', null, 'webhook: it answered 404; expected 200'])
  expect(await failure('email', 'nobody@example.org')).toEqual(['refused', null, 'email: EENVELOPE 550'])
})

test.each([
  [discord, 'https://discord.com/api/webhooks/123456/AbCdEfGhIjKlMnOpQrSt-_0', '123456/AbCdEfGhIjKlMnOpQrSt-_0'],
  [
    discord,
    'https://ptb.discord.com/api/v10/webhooks/123456/AbCdEfGhIjKlMnOpQrSt-_0',
    '123456/AbCdEfGhIjKlMnOpQrSt-_0',
  ],
  [discord, 'https://discord.com.evil.example/api/webhooks/123456/AbCdEfGhIjKlMnOpQrSt-_0', undefined],
  [discord, 'http://discord.com/api/webhooks/123456/AbCdEfGhIjKlMnOpQrSt-_0', undefined],
  [discord, 'https://discord.com/api/webhooks/123456/AbCdEfGhIjKlMnOpQrSt-_0?x=/../', undefined],
  [
    slack,
    'https://hooks.slack.com/services/T012AB3CD/B012AB3CD/XXXXXXXXXXXXXXXXXXXXXXXX',
    'T012AB3CD/B012AB3CD/XXXXXXXXXXXXXXXXXXXXXXXX',
  ],
  [slack, 'https://hooks.slack.com/services/../../x', undefined],
  [slack, 'https://evil.example/services/T012AB3CD/B012AB3CD/XXXXXXXXXXXXXXXXXXXXXXXX', undefined],
  [email, 'ann@example.org', 'ann@example.org'],
  [email, 'ann@example.org, bob@example.org', undefined],
  [email, 'ann@example.org\r\nBcc: bob@example.org', undefined],
  [webhook, 'ftp://example.org/', undefined],
  [webhook, 'https://user:pass@example.org/', undefined],
  [webhook, 'example.org/alerts', undefined],
])('$0.name parses $1', (messenger, address, chat_id) => {
  if (messenger.linking === 'bot') throw new Error('an address is expected')
  expect(messenger.parseAddress(address)?.chat_id).toBe(chat_id)
})

test('a webhook has a new secret each time, and a name without it and without its path', () => {
  const parse = () => (webhook.linking === 'bot' ? null : webhook.parseAddress('https://example.org:8443/a?key=1#x'))
  const [first, second] = [parse(), parse()]
  expect(first?.secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(first?.secret).not.toBe(second?.secret)
  expect(first?.handle).toBe('example.org:8443')
  expect(first?.chat_id).toBe(`${first?.secret} https://example.org:8443/a?key=1`)
})

test('a long text is cut to what a messenger takes', () => {
  expect(markdownOf('x'.repeat(5_000))).toHaveLength(2_000)
})
