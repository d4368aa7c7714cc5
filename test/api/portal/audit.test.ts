import { afterAll, beforeAll, expect, test } from 'vitest'

import { auditEvents, listEvents } from '#accounts/audit.ts'
import { redeemLink, unlinkChat } from '#accounts/messaging/messaging.ts'
import { disableAccount, enableAccount, findAccount, setTier } from '#accounts/people.ts'
import type { Bot } from '#api/messaging/bot.ts'
import { telegram } from '#api/messaging/telegram.ts'
import { startService, type Service } from '#test/api/service.ts'
import { eventually } from '#test/run/eventually.ts'

import { openBrowser, password, signedUp } from './browser.ts'

const email = 'ann@example.com'
const bot: Bot = {
  messenger: telegram,
  username: () => 'a_bot',
  linkFor: (token) => `https://t.me/a_bot?start=${token}`,
  send: async () => undefined,
  close: async () => undefined,
}

let service: Service
beforeAll(async () => {
  service = await startService({ bots: [bot], rows: { markets: [{ id: 'polymarket:1' }] } })
})
afterAll(() => service.stop())

const chat = { messenger: 'telegram', chat_id: '7', username: 'ann_b' }

/** Does all that the audit records, as people and the operator do it. Returns the secrets that were used. */
async function doAll(): Promise<string[]> {
  const { accounts, clock, links } = service
  const ann = await signedUp(service, email)
  const { id: account_id = '' } = (await findAccount(accounts, email)) ?? {}
  const of = { account_id, now: clock.at }
  await setTier(accounts, { ...of, tier: 'pro' })

  const { json: first } = await ann.post('/api/keys')
  const { json: key } = await ann.post('/api/keys/regenerate', { id: first['id'] })
  const bearer = { authorization: `Bearer ${String(key['key'])}`, 'content-type': 'application/json' }

  const { json: linked } = await ann.post('/api/messaging', { handle: 'ann_b' })
  const link = new URL(String(linked['url'])).searchParams.get('start') ?? ''
  await redeemLink(accounts, { token: link, chat, now: clock.at })
  const alert = await service.ask('/v1/alerts', { method: 'POST', headers: bearer, body: '{"type":"signal"}' })
  await service.ask(String(alert.headers['location']), { method: 'DELETE', headers: bearer })
  await unlinkChat(accounts, { ...chat, now: clock.at })
  await ann.delete(`/api/keys?id=${String(key['id'])}`)
  await ann.post('/api/auth/sign-out')

  const stranger = openBrowser(service)
  const signIn = (given: string) => stranger.post('/api/auth/sign-in/email', { email, password: given })
  for (let n = 0; n < 23; n++) await signIn('a wrong password')
  const reset = (token: string) =>
    stranger.post('/api/auth/reset-password', { token, newPassword: 'a second password' })
  await reset('a-guessed-token')
  await stranger.post('/api/auth/request-password-reset', { email })
  const token = links[0]?.url.split('#token=')[1] ?? ''
  await reset(token)
  clock.at += 900_000_000
  await signIn('a second password')

  await disableAccount(accounts, of)
  await enableAccount(accounts, of)
  const unknown = { authorization: 'Bearer tl_live_unknown' }
  for (let n = 0; n < 103; n++) await service.ask('/v1/account', { headers: unknown })
  const keys = [first, key].map((one) => String(one['key']).slice(14))
  return [...keys, link, token, password, 'a wrong password', 'a second password']
}

test('each kind of event is recorded where it happens, with the account or the network, and without a secret', async () => {
  const secrets = await doAll()
  const list = () => listEvents(service.accounts, { most: 1_000 })
  // The service answers before guesses of keys are recorded. test/bin/commands/account.test.ts prints a link.
  await eventually(async () => {
    const found = new Set((await list()).map(({ event }) => event))
    expect(auditEvents.filter((event) => !found.has(event))).toEqual(['reset_link_printed'])
  })
  const events = await list()
  const times = (event: string) => events.filter((one) => one.event === event)

  // Limits are recorded once, not at each further attempt.
  expect(times('sign_in_failed')).toHaveLength(20)
  expect(times('attempts_exceeded').map(({ detail }) => detail)).toEqual([{ limit: 'sign-in e-mail and network' }])
  expect(times('keys_guessed')).toHaveLength(1)
  const { id = '' } = (await findAccount(service.accounts, email)) ?? {}
  const nameless = new Set(['sign_in_failed', 'attempts_exceeded', 'keys_guessed', 'reset_requested', 'reset_failed'])
  for (const { event, account_id, network } of events) {
    if (nameless.has(event)) expect([event, account_id, network]).toEqual([event, null, '127.0.0.1'])
    else if (event !== 'key_created') expect([event, account_id]).toEqual([event, id])
  }
  const text = JSON.stringify(events)
  for (const secret of secrets) expect(text).not.toContain(secret)
})
