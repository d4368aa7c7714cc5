import { afterAll, beforeAll, expect, test } from 'vitest'

import { findAccount } from '#accounts/people.ts'
import { pagesUrl, startService, type Reply, type Service } from '#test/api/service.ts'

import { openBrowser, password, signedUp, type Browser } from './browser.ts'

/**
 * The published advisories of better-auth, as requests against this service: none has an effect, whatever the version
 * of the library does.
 */
let service: Service
let ann: Browser
let account_id: string

const email = 'ann@example.com'
const own = { origin: pagesUrl, 'content-type': 'application/json' }
const evil = 'https://evil.example'

beforeAll(async () => {
  service = await startService({ isEmpty: true })
  ann = await signedUp(service, email)
  account_id = (await findAccount(service.accounts, email))?.id ?? ''
})
afterAll(() => service.stop())

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  service.ask(path, { method: 'POST', headers: { authorization: '', ...own, ...headers }, body: JSON.stringify(body) })
const get = (path: string, headers: Record<string, string> = {}) =>
  service.ask(path, { headers: { authorization: '', ...headers } })
const keys = async () => (await ann.get('/api/settings')).json['keys']

/** A refusal redirects no client, sets no cookie, and repeats no input as HTML. */
const expectRefusal = (reply: Reply, ...statuses: number[]) => {
  expect(statuses).toContain(reply.status)
  expect(reply.headers).not.toHaveProperty('location')
  expect(reply.headers).not.toHaveProperty('set-cookie')
  expect(reply.headers['content-type']).toMatch(/^application\/json/)
  expect(reply.text).not.toContain('<')
}

test('CVE-2025-61928: a key for the account that the body names', async () => {
  for (const path of ['/api/auth/api-key/create', '/api/auth/api-key/update'])
    expectRefusal(await post(path, { userId: account_id, rateLimitMax: 1e9, permissions: { all: ['*'] } }), 404)
  expectRefusal(await post('/api/keys', { userId: account_id }), 401)
  expectRefusal(await post('/api/keys', { userId: account_id }, { cookie: ann.cookie() }), 400)
  expect(await keys()).toEqual([])
})

test('GHSA-569q-mpph-wgww: the first request of a server sets its address', async () => {
  const fresh = await startService({ isEmpty: true })
  const claims = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
  await fresh.ask('/api/auth/ok', { headers: { ...claims, authorization: '' } })
  await signedUp(fresh, email)
  const body = JSON.stringify({ email })
  await fresh.ask('/api/auth/request-password-reset', { method: 'POST', headers: { ...own, ...claims }, body })
  expect(fresh.links.map(({ url }) => new URL(url).origin)).toEqual([pagesUrl])
  await fresh.stop()
})

test('GHSA-8jhw-6pjj-8723, CVE-2025-27143, CVE-2025-53535: a redirect to another site', async () => {
  const targets = [evil, `${pagesUrl}@evil.example`, '//evil.example', '/%5C/evil.example', `${pagesUrl}.evil.example`]
  for (const target of targets) {
    const to = encodeURIComponent(target)
    expectRefusal(await get(`/api/auth/verify-email?token=x&callbackURL=${to}`), 404)
    expectRefusal(await get(`/api/auth/reset-password/x?callbackURL=${to}`), 404)
    for (const field of ['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL']) {
      expectRefusal(await post('/api/auth/sign-in/email', { email, password, [field]: target }), 400)
      expectRefusal(await post('/api/auth/request-password-reset', { email, [field]: target }), 400)
    }
  }
  expect(service.links).toEqual([])
})

test('GHSA-9x4v-xfq5-m8x5: a script in the error page', async () => {
  expectRefusal(await get(`/api/auth/error?error=${encodeURIComponent('<script>alert(1)</script>')}`), 404)
})

test('GHSA-x732-6j76-qmhm: more slashes reach the same route beside its limits', async () => {
  const paths = ['//api/auth/sign-in/email', '/api//auth/sign-in/email', '/api/auth/sign-in//email']
  for (const path of [...paths, '/api/auth/sign-in/email/', '/api/auth/sign-in/email/.', '/API/auth/sign-in/email'])
    expectRefusal(await post(path, { email, password }), 404)
})

test('CVE-2026-45364: another address of the header, or of one IPv6 network, has its own limit', async () => {
  const behind = await startService({ isEmpty: true, trustedProxies: ['127.0.0.1'] })
  const reset = async (n: number, forwarded: string) => {
    const headers = { ...own, 'x-forwarded-for': forwarded }
    const body = JSON.stringify({ email: `person${n}@example.com` })
    return (await behind.ask('/api/auth/request-password-reset', { method: 'POST', headers, body })).status
  }
  const addresses = (n: number) => [`2001:db8:1:2::${n.toString(16)}`, `2001:DB8:0001:2:0:0:1:${n}`][n % 2] ?? ''
  // The client wrote the first address, and the trusted proxy the last one.
  for (let n = 0; n < 100; n++) expect(await reset(n, `203.0.113.${n}, ${addresses(n)}`)).toBe(200)
  expect(await reset(100, '198.51.100.1, 2001:db8:1:2:ffff::1')).toBe(429)
  expect(await reset(101, '2001:db8:1:3::1')).toBe(200)
  await behind.stop()
})

test('GHSA-xg6x-h9c9-2m83: a cookie that caches a session outlives it', async () => {
  const bob = await signedUp(service, 'bob@example.com')
  const cookie = bob.cookie()
  expect(cookie.split('; ').map((one) => one.split('=')[0])).toEqual(['tapeline.session_token'])
  await bob.post('/api/auth/sign-out')
  expectRefusal(await get('/api/settings', { cookie }), 401)
})

test('forged cookies of several sessions end no session', async () => {
  const [, token = ''] = /session_token=([^;.]*)/.exec(ann.cookie()) ?? []
  const eve = await signedUp(service, 'eve@example.com')
  const forged = `${eve.cookie()}; tapeline.session_token_multi-${token}=${token}.forged`
  await post('/api/auth/sign-out', {}, { cookie: forged })
  expect((await ann.get('/api/settings')).status).toBe(200)
})

test('the fixes of 1.6.11, 1.6.22 and 1.7.16: no route of a link, a device or another e-mail exists', async () => {
  const routes = ['magic-link/verify', 'sign-in/magic-link', 'device/approve', 'device/deny', 'oauth2/token']
  for (const route of [...routes, 'change-email', 'verify-email', 'send-verification-email', 'link-social'])
    for (const cookie of ['', ann.cookie()])
      expectRefusal(
        await post(`/api/auth/${route}`, { email, newEmail: 'eve@example.com', token: 'x' }, { cookie }),
        404,
      )
})

test('a sign-in of another site sets no cookie', async () => {
  for (const headers of [{ origin: evil }, { origin: 'null' }, { origin: pagesUrl, 'sec-fetch-site': 'cross-site' }])
    expectRefusal(await post('/api/auth/sign-in/email', { email, password }, headers), 403)
  expect((await openBrowser(service).post('/api/auth/sign-in/email', { email, password })).status).toBe(200)
})
