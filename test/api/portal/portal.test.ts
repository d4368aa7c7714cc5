import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { findAccount, disableAccount, setTier } from '#accounts/people.ts'
import { pagesUrl, startService, type Reply, type Service } from '#test/api/service.ts'

import { openBrowser, password, signedUp, type Browser } from './browser.ts'

const email = 'ann@example.com'
let service: Service
let ann: Browser

beforeEach(async () => {
  service = await startService({ rows: { markets: [{ id: 'polymarket:1' }], traders: [] } })
  ann = await signedUp(service, email)
})
afterEach(async () => service.stop())

const bearer = (key: unknown) => ({ headers: { authorization: `Bearer ${String(key)}` } })
const marketsWith = (key: unknown) => service.ask('/v1/pm-markets', bearer(key))
const error = ({ status, json }: Reply) => [status, json['error']]
const account_id = async (of = email) => (await findAccount(service.accounts, of))?.id ?? ''

describe('the settings of a signed-in person', () => {
  test('show the account, its limits and its keys, and never a key itself', async () => {
    const { json: made } = await ann.post('/api/keys', { name: 'laptop' })
    await marketsWith(made['key'])
    await service.usage.flush()
    const { status, headers, json, text } = await ann.get('/api/settings')
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['access-control-allow-origin']).toBeUndefined()
    const instant = '2026-03-01T12:01:00.000Z'
    expect(json).toEqual({
      email,
      tier: 'free',
      limits: { requests: 60, streams: 5, chats: 0, alerts: 0, watchlists: 5 },
      endpoints: expect.arrayContaining(['GET /feed', 'GET /account']),
      keys: [{ id: made['id'], name: 'laptop', start: made['start'], created_at: instant, last_used_at: instant }],
      messaging: { platform: 'telegram', bot: null, handle: null, linked: false, messengers: [] },
    })
    expect(text).not.toContain(made['key'])
  })

  test('show the use by the hour and by the day, with zeros', async () => {
    const { json: made } = await ann.post('/api/keys')
    service.clock.at -= 3_600_000_000
    await marketsWith(made['key'])
    service.clock.at += 3_600_000_000
    for (let i = 0; i < 62; i++) await marketsWith(made['key'])
    await service.usage.flush()
    const { items } = await ann.get('/api/usage?range=24h')
    expect(items).toHaveLength(24)
    expect(items.at(0)).toEqual({ from: '2026-02-28T13:00:00.000Z', requests: 0, limited: 0 })
    expect(items.slice(-2)).toEqual([
      { from: '2026-03-01T11:00:00.000Z', requests: 1, limited: 0 },
      { from: '2026-03-01T12:00:00.000Z', requests: 62, limited: 2 },
    ])
    const { items: days } = await ann.get('/api/usage?range=7d')
    expect(days).toHaveLength(7)
    expect(days.at(-1)).toEqual({ from: '2026-03-01T00:00:00.000Z', requests: 63, limited: 2 })
    expect((await ann.get('/api/usage?range=1y')).json['message']).toMatch(/^range: .*expected one of 24h, 7d, 30d/)
  })
})

describe('the keys of a signed-in person', () => {
  test('work at once, and are replaced and revoked', async () => {
    const { status, json: first } = await ann.post('/api/keys', { name: 'laptop' })
    expect(status).toBe(201)
    expect((await marketsWith(first['key'])).status).toBe(200)
    const { status: replaced, json: second } = await ann.post('/api/keys/regenerate', { id: first['id'] })
    expect([replaced, second['name']]).toEqual([201, 'laptop'])
    service.clock.at += 5_000_000
    expect((await marketsWith(first['key'])).status).toBe(401)
    expect((await marketsWith(second['key'])).status).toBe(200)
    expect((await ann.delete(`/api/keys?id=${String(second['id'])}`)).json).toEqual({ deleted: true, id: second['id'] })
    service.clock.at += 5_000_000
    expect((await marketsWith(second['key'])).status).toBe(401)
    expect(error(await ann.post('/api/keys/regenerate', { id: second['id'] }))).toEqual([404, 'not_found'])
  })

  test('are at most ten, also of simultaneous requests', async () => {
    const replies = await Promise.all(Array.from({ length: 14 }, () => ann.post('/api/keys')))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(error(await ann.post('/api/keys'))).toEqual([409, 'limit_reached'])
  })

  test('of another account are unknown', async () => {
    const bob = await signedUp(service, 'bob@example.com')
    const { json: key } = await bob.post('/api/keys')
    const theirs = await ann.delete(`/api/keys?id=${String(key['id'])}`)
    const none = await ann.delete('/api/keys?id=none')
    expect([theirs.status, theirs.json]).toEqual([404, none.json])
    expect((await ann.post('/api/keys/regenerate', { id: key['id'] })).json).toEqual(none.json)
    expect((await marketsWith(key['key'])).status).toBe(200)
  })
})

describe('the token of a signed-in page', () => {
  test('has the account, tier and limit of a key', async () => {
    await setTier(service.accounts, { account_id: await account_id(), tier: 'pro', now: service.clock.at })
    const { json: key } = await ann.post('/api/keys')
    const { status, json } = await ann.post('/api/token')
    expect(status).toBe(201)
    expect(json['expires_at']).toBe('2026-03-01T12:16:00.000Z')
    const [byKey, byToken] = [await marketsWith(key['key']), await marketsWith(json['token'])]
    expect(byKey.headers['ratelimit']).toBe('"pro";r=599;t=60')
    expect(byToken.headers['ratelimit']).toBe('"pro";r=598;t=60')
    expect(byToken.text).toBe(byKey.text)
  })

  const endings: [name: string, end: () => Promise<unknown>][] = [
    ['after 15 minutes', async () => (service.clock.at += 15 * 60_000_000)],
    ['five seconds after the sign-out', async () => ann.post('/api/auth/sign-out')],
    [
      'five seconds after the account was disabled',
      async () => disableAccount(service.accounts, { account_id: await account_id(), now: service.clock.at }),
    ],
    ['five seconds after a reset of the password', () => resetPassword()],
  ]
  test.for(endings)('is refused %s', async ([, end]) => {
    const { json } = await ann.post('/api/token')
    expect((await marketsWith(json['token'])).status).toBe(200)
    await end()
    service.clock.at += 5_000_000
    expect(error(await marketsWith(json['token']))).toEqual([401, 'unauthorized'])
  })

  test('of another expiry, session or signature is refused', async () => {
    const { json } = await ann.post('/api/token')
    const [session, expiry, signature] = String(json['token']).split('.')
    const forged = [
      `${session}.${Number(expiry) + 1}.${signature}`,
      `${session?.slice(0, -1)}${session?.endsWith('0') ? 1 : 0}.${expiry}.${signature}`,
      `${session}.${expiry}.${signature?.toUpperCase()}`,
      `${session}.${expiry}.`,
    ]
    for (const token of forged) expect((await marketsWith(token)).status, token).toBe(401)
  })
})

const resetPassword = async () => {
  await openBrowser(service).post('/api/auth/request-password-reset', { email })
  const token = service.links.at(-1)?.url.split('#token=')[1]
  return openBrowser(service).post('/api/auth/reset-password', { token, newPassword: 'another horse' })
}

describe('sign-in', () => {
  test('answers alike for a wrong password and an unknown e-mail, and so does a reset', async () => {
    const browser = openBrowser(service)
    const ask = (path: string, of: object) => browser.post(`/api/auth/${path}`, of)
    const wrong = await ask('sign-in/email', { email, password: 'wrong horse' })
    const unknown = await ask('sign-in/email', { email: 'bob@example.com', password: 'wrong horse' })
    expect(error(wrong)).toEqual([401, 'unauthorized'])
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
    const known = await ask('request-password-reset', { email })
    const none = await ask('request-password-reset', { email: 'bob@example.com' })
    expect([none.status, none.text]).toEqual([known.status, known.text])
    expect(known.status).toBe(200)
  })

  test('ends all sessions at a reset, and its link works once', async () => {
    expect((await resetPassword()).status).toBe(200)
    expect((await ann.get('/api/settings')).status).toBe(401)
    const token = service.links.at(-1)?.url.split('#token=')[1]
    const again = await openBrowser(service).post('/api/auth/reset-password', { token, newPassword: 'third horse!' })
    expect(error(again)).toEqual([400, 'invalid_request'])
    const signIn = (given: string) => openBrowser(service).post('/api/auth/sign-in/email', { email, password: given })
    expect((await signIn(password)).status).toBe(401)
    expect((await signIn('another horse')).status).toBe(200)
  })

  test('gives no secret of the session to the page', async () => {
    const { text, headers } = await openBrowser(service).post('/api/auth/sign-in/email', { email, password })
    expect(JSON.parse(text)).toEqual({ email })
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/; HttpOnly; SameSite=Lax$/)])
  })

  test('refuses fields that it does not know, such as a tier', async () => {
    const fields = { tier: 'pro', role: 'admin', id: 'x', userId: 'x', emailVerified: true, metadata: { tier: 'pro' } }
    for (const [name, value] of Object.entries(fields)) {
      const bob = { email: 'bob@example.com', password, [name]: value }
      const reply = await openBrowser(service).post('/api/auth/sign-up/email', bob)
      expect([error(reply), name]).toEqual([[400, 'invalid_request'], name])
    }
    expect(await findAccount(service.accounts, 'bob@example.com')).toBeNull()
  })
})

describe('the routes of the pages', () => {
  const sessions = ['GET /api/settings', 'GET /api/usage', 'POST /api/keys', 'POST /api/keys/regenerate']
  const writes = ['POST /api/keys', 'DELETE /api/keys?id=a', 'POST /api/token', 'POST /api/auth/sign-out']
  const forms = ['sign-up/email', 'sign-in/email', 'request-password-reset', 'reset-password']
  const send = (name: string, headers: Record<string, string>, body?: string) => {
    const [method = '', path = ''] = name.split(' ')
    return service.ask(path, { method, headers, ...(body === undefined ? {} : { body }) })
  }
  const json = { 'content-type': 'application/json' }

  test.for([...sessions, 'POST /api/token', 'DELETE /api/keys'])(
    '%s needs a session, and accepts no key',
    async (name) => {
      const { json: key } = await ann.post('/api/keys')
      const own = { origin: pagesUrl, ...json }
      for (const given of [
        {},
        { authorization: `Bearer ${String(key['key'])}` },
        { cookie: 'tapeline.session_token=a.b' },
      ])
        expect(error(await send(name, { ...own, ...given }, name.startsWith('POST') ? '{}' : undefined))).toEqual([
          401,
          'unauthorized',
        ])
    },
  )

  test.for([...writes, ...forms.map((form) => `POST /api/auth/${form}`)])(
    '%s refuses another site, and a request of no page',
    async (name) => {
      const cookie = ann.cookie()
      const foreign = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${pagesUrl}.evil.example` },
        { origin: 'http://TAPELINE.test' },
        { origin: pagesUrl, 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        {},
      ]
      for (const headers of foreign)
        expect(error(await send(name, { cookie, ...json, ...headers }, '{}')), JSON.stringify(headers)).toEqual([
          403,
          'forbidden',
        ])
    },
  )

  test('accept JSON alone', async () => {
    const own = { cookie: ann.cookie(), origin: pagesUrl }
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain', ''])
      expect((await send('POST /api/keys', { ...own, 'content-type': type }, '{}')).status, type).toBe(415)
    expect((await send('POST /api/keys', { ...own, ...json }, `{"name":"${'a'.repeat(70_000)}"}`)).status).toBe(413)
    expect((await send('POST /api/keys', { ...own, ...json }, '{"tier":"pro"}')).status).toBe(400)
    expect((await send('PUT /api/keys', { ...own, ...json }, '{}')).status).toBe(405)
  })

  test('refuse a body over the limit where they need none, also one that does not announce its length', async () => {
    const own = { cookie: ann.cookie(), origin: pagesUrl, ...json }
    const chunked = async (n: number) => {
      const body = new Blob(['x'.repeat(n)]).stream()
      const { status } = await fetch(`${service.url}/api/token`, { method: 'POST', headers: own, body, duplex: 'half' })
      return status
    }
    expect((await send('POST /api/token', own, 'x'.repeat(70_000))).status).toBe(413)
    expect([await chunked(70_000), await chunked(60_000)]).toEqual([413, 201])
  })

  test('send links of the configured address, whatever the headers of a request claim', async () => {
    const claims = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const headers = { origin: pagesUrl, ...json, ...claims, forwarded: 'host=evil.example' }
    const given = JSON.stringify({ email })
    expect((await send('POST /api/auth/request-password-reset', headers, given)).status).toBe(200)
    expect(service.links.map(({ url }) => url.split('#')[0])).toEqual([`${pagesUrl}/reset-password`])
    const elsewhere = JSON.stringify({ email, redirectTo: 'https://evil.example' })
    expect((await send('POST /api/auth/request-password-reset', headers, elsewhere)).status).toBe(400)
  })

  test('refuse texts that no database stores', async () => {
    for (const text of ['a\u0000b', '\ud800', 'a\nb']) {
      const bob = { email: 'bob@example.com', password, name: text }
      const replies = [
        await ann.post('/api/keys', { name: text }),
        await ann.post('/api/keys/regenerate', { id: text }),
        await ann.delete(`/api/keys?id=${encodeURIComponent(text.toWellFormed())}`),
        await openBrowser(service).post('/api/auth/sign-up/email', bob),
      ]
      expect(replies.map(error), JSON.stringify(text)).toEqual(replies.map(() => [400, 'invalid_request']))
    }
    expect((await ann.post('/api/keys', { name: 'café ☕ 日本' })).status).toBe(201)
  })

  test('create no key for an account that the body names', async () => {
    const body = JSON.stringify({ userId: await account_id(), name: 'x' })
    const own = { origin: pagesUrl, ...json }
    expect((await send('POST /api/keys', own, body)).status).toBe(401)
    expect((await send('POST /api/keys', { ...own, cookie: ann.cookie() }, body)).status).toBe(400)
    expect((await ann.get('/api/settings')).json['keys']).toEqual([])
  })

  test('expose no route of the library', async () => {
    const own = { cookie: ann.cookie(), origin: pagesUrl, ...json }
    const routes = ['POST update-user', 'POST api-key/create', 'POST api-key/verify', 'GET list-sessions', 'GET ok']
    for (const name of [...routes, 'POST sign-in/social', 'GET get-session', 'POST delete-user', 'POST change-email'])
      expect((await send(name.replace(' ', ' /api/auth/'), own, '{}')).status, name).toBe(404)
  })
})
