import { afterEach, beforeEach, expect, test } from 'vitest'

import { redeemLink } from '#accounts/messaging/messaging.ts'
import type { Bot } from '#api/messaging/bot.ts'
import { telegram } from '#api/messaging/telegram.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

import { openBrowser, signedUp, type Browser } from './browser.ts'

const bot = { name: 'tapeline_bot' as string | null }
const started: Bot = {
  messenger: telegram,
  username: () => bot.name,
  linkFor: (token) => `https://t.me/${bot.name}?start=${token}`,
  send: async () => undefined,
  close: async () => undefined,
}

let service: Service
let ann: Browser
beforeEach(async () => {
  bot.name = 'tapeline_bot'
  service = await startService({ isEmpty: true, bots: [started] })
  ann = await signedUp(service, 'ann@example.com')
})
afterEach(() => service.stop())

const error = ({ status, json }: Reply) => [status, json['error']]
const messaging = async (browser = ann) => (await browser.get('/api/settings')).json['messaging']
const of = (handle: string | null, linked: boolean) => ({
  platform: 'telegram',
  bot: bot.name,
  handle,
  linked,
  messengers: [{ id: 'telegram', name: 'Telegram', linking: 'bot', form: telegram.usernameForm, bot: bot.name }],
})
const tokenOf = ({ json }: Reply): string => new URL(String(json['url'])).searchParams.get('start') ?? ''
const redeem = (token: string) =>
  redeemLink(service.accounts, {
    token,
    chat: { messenger: 'telegram', chat_id: '7', username: 'ann_b' },
    now: service.clock.at,
  })

test('a handle gets a link of ten minutes; the settings show it linked once it was opened, until it is removed', async () => {
  expect(await messaging()).toEqual(of(null, false))
  const created = await ann.post('/api/messaging', { handle: ' @Ann_B ' })
  expect(created.status).toBe(201)
  expect(created.json).toEqual({
    url: expect.stringMatching(/^https:\/\/t\.me\/tapeline_bot\?start=[\w-]{43}$/),
    expires_at: '2026-03-01T12:11:00.000Z',
  })
  expect(await messaging()).toEqual(of('@Ann_B', false))
  expect(await redeem(tokenOf(created))).toBe('linked')
  expect(await messaging()).toEqual(of('@ann_b', true))
  const removed = await ann.delete('/api/messaging')
  expect([removed.status, removed.json]).toEqual([200, { handle: null, linked: false }])
  expect(await messaging()).toEqual(of(null, false))
  expect((await ann.delete('/api/messaging')).status).toBe(200)
})

test('one person neither sees nor removes the messaging account of another', async () => {
  const bob = await signedUp(service, 'bob@example.com')
  const token = tokenOf(await ann.post('/api/messaging', { handle: 'ann_b' }))
  await bob.delete('/api/messaging')
  expect(await messaging(bob)).toEqual(of(null, false))
  expect(await redeem(token)).toBe('linked')
  await bob.delete('/api/messaging')
  expect(await messaging()).toEqual(of('@ann_b', true))
})

test.each([
  [{}],
  [{ handle: '' }],
  [{ handle: 'a b' }],
  [{ handle: 7 }],
  [{ handle: 'ann\0' }],
  [{ handle: 'x'.repeat(33) }],
])('the body %j is a 400 that names the form of a handle', async (body) => {
  const reply = await ann.post('/api/messaging', body)
  expect(error(reply)).toEqual([400, 'invalid_request'])
  expect(reply.json['message']).toMatch(/^handle: .+; expected a Telegram user name/)
  expect(await messaging()).toEqual(of(null, false))
})

test('an unknown field, no session and another origin are refused', async () => {
  expect(error(await ann.post('/api/messaging', { handle: 'ann_b', chat_id: 7 }))).toEqual([400, 'invalid_request'])
  expect(error(await openBrowser(service).post('/api/messaging', { handle: 'ann_b' }))).toEqual([401, 'unauthorized'])
  const headers = { cookie: ann.cookie(), origin: 'https://evil.example', 'content-type': 'application/json' }
  const foreign = await service.ask('/api/messaging', { method: 'POST', headers, body: '{"handle":"ann_b"}' })
  expect(error(foreign)).toEqual([403, 'forbidden'])
  expect(await messaging()).toEqual(of(null, false))
})

test('without a bot a link is a 409; before the bot is known it is a 503', async () => {
  bot.name = null
  const early = await ann.post('/api/messaging', { handle: 'ann_b' })
  expect([...error(early), early.headers['retry-after']]).toEqual([503, 'not_ready', '5'])
  const plain = await startService({ isEmpty: true })
  const bob = await signedUp(plain, 'bob@example.com')
  expect(error(await bob.post('/api/messaging', { handle: 'bob_b' }))).toEqual([409, 'messaging_unavailable'])
  expect((await bob.delete('/api/messaging')).status).toBe(200)
  await plain.stop()
})

test('no token of a link is in the log', async () => {
  const token = tokenOf(await ann.post('/api/messaging', { handle: 'ann_b' }))
  await redeem(token)
  expect(service.lines.join()).toContain('/api/messaging')
  expect(service.lines.join()).not.toContain(token)
})
