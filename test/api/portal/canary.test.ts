import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { listEvents } from '#accounts/audit.ts'
import { pagesUrl, startService, type Service } from '#test/api/service.ts'

import { openBrowser, signedUp } from './browser.ts'

const email = 'ann@example.com'
const json = { 'content-type': 'application/json', origin: pagesUrl }

/** All that the service has written or shows without a key: files, log, metrics, store, audit. */
async function written({ home, lines, registry, accounts, storeText }: Service): Promise<Map<string, string>> {
  const found = new Map([
    ['the log', lines.join('\n')],
    ['the metrics', await registry.metrics()],
    ['the store', await storeText()],
    ['the audit', JSON.stringify(await listEvents(accounts, { most: 1_000 }))],
  ])
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  for (const { parentPath, name } of files) found.set(name, await readFile(join(parentPath, name), 'latin1'))
  expect([...found.keys()]).toEqual(expect.arrayContaining(['current.json', 'the log']))
  expect(found.get('the store')).toContain(email)
  return found
}

/** Sends a secret to every place where it does not belong. Returns the error responses. */
async function misplace(service: Service, secret: string): Promise<string[]> {
  const encoded = encodeURIComponent(secret)
  // The log has the id that a caller gives to a request, unless it looks like a key.
  const id = secret.startsWith('tl_') ? secret.replaceAll('.', '-').slice(0, 64) : 'request-1'
  const sent = [
    service.ask(`/v1/pm-markets?limit=${encoded}`),
    service.ask(`/v1/pm-markets?cursor=${encoded}`),
    service.ask(`/v1/${encoded}`),
    service.ask(`/${encoded}?key=${encoded}`),
    service.ask('/v1/pm-markets', { headers: { 'x-request-id': id, accept: secret } }),
    service.ask('/v1/pm-markets', { headers: { authorization: `Bearer ${secret}x` } }),
    service.ask('/v1/pm-markets', { headers: { authorization: `Basic ${secret}` } }),
    service.ask('/api/settings', { headers: { cookie: `tapeline.session_token=${encoded}` } }),
    service.ask('/api/auth/sign-in/email', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ email, password: secret }),
    }),
    service.ask('/api/auth/reset-password', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ token: secret, newPassword: 'short' }),
    }),
  ]
  return (await Promise.all(sent)).filter(({ status }) => status >= 400).map(({ text }) => text)
}

test('no key, password, token or session is found in the log, the metrics, the audit or a file', async () => {
  const service = await startService({ rows: { markets: [{ id: 'polymarket:1' }] } })
  try {
    const browser = await signedUp(service, email)
    const key = String((await browser.post('/api/keys', { name: 'canary' })).json['key'])
    const token = String((await browser.post('/api/token')).json['token'])
    for (const used of [key, token]) {
      const { status } = await service.ask('/v1/account', { headers: { authorization: `Bearer ${used}` } })
      expect(status).toBe(200)
    }
    const [, session = ''] = /session_token=([^;]*)/.exec(browser.cookie()) ?? []
    await openBrowser(service).post('/api/auth/request-password-reset', { email })
    const reset = service.links[0]?.url.split('#token=')[1] ?? ''
    const password = 'canary-password-7f3a9c'
    const secrets = { key, token, reset, password, session: decodeURIComponent(session) }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length, name).toBeGreaterThan(20)
      // The end of a secret: the first characters of a key identify it on purpose.
      const part = secret.slice(14)
      const answers = await misplace(service, secret)
      // Only keys and tokens of pages have a form that an error recognizes at a wrong place.
      if (name === 'key' || name === 'token') for (const answer of answers) expect(answer, name).not.toContain(part)
    }
    await openBrowser(service).post('/api/auth/reset-password', { token: reset, newPassword: password })
    const again = await openBrowser(service).post('/api/auth/sign-in/email', { email, password })
    expect(again.status).toBe(200)

    // A failure of the store is logged with its error.
    await service.accounts.schema.alterTable('keys').renameTo('away').execute()
    service.clock.at += 5_000_000
    const broken = await service.ask('/v1/account', { headers: { authorization: `Bearer ${key}` } })
    expect(broken.status).toBe(500)
    expect(broken.text).not.toContain(key.slice(14))
    expect(service.lines.join('\n')).toMatch(/no such table: keys|relation \\"keys\\" does not exist/)

    await service.accounts.schema.alterTable('away').renameTo('keys').execute()
    await service.usage.flush()
    for (const [place, text] of await written(service))
      for (const [name, secret] of Object.entries(secrets))
        expect(text.includes(secret.slice(14)), `${name} in ${place}`).toBe(false)
  } finally {
    await service.stop()
  }
})

test('an error does not repeat a password', async () => {
  const service = await startService()
  try {
    for (const password of ['short1', 'x'.repeat(200), 12345678]) {
      const { status, text } = await openBrowser(service).post('/api/auth/sign-up/email', { email, password })
      expect(status).toBe(400)
      expect(text).toContain('expected')
      expect(text).not.toContain(String(password))
    }
  } finally {
    await service.stop()
  }
})
