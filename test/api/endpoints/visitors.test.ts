import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { visitors } from '#accounts/visitors.ts'
import { createApp } from '#api/app.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { serve } from '#api/http/listen.ts'
import { openBrowser, signedUp } from '#test/api/portal/browser.ts'
import { pagesUrl, startService, type Service } from '#test/api/service.ts'

const trader = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
const rows = {
  feed: [
    { id: 'sig_free', at: '2026-03-01 11:00:00' },
    {
      id: 'sig_pro',
      at: '2026-03-01 11:30:00',
      type: 'wallet' as const,
      entity: trader,
      tier_required: 'pro' as const,
    },
  ],
  traders: [{ wallet: trader }],
}

let service: Service
let token: string
beforeAll(async () => {
  service = await startService({ rows })
  token = await tokenOf(service)
})
afterAll(async () => service.stop())

const answer = z.object({
  token: z.string().nullable(),
  account: z.object({ tier: z.string(), endpoints: z.array(z.string()) }).nullable(),
})

async function tokenOf(visited: Service): Promise<string> {
  const { json } = await openBrowser(visited).post('/api/visit')
  return answer.parse(json).token ?? ''
}

const askAsVisitor = (path: string, options: { method?: string; body?: string } = {}) => {
  const type = options.body === undefined ? {} : { 'content-type': 'application/json' }
  return service.ask(path, { ...options, headers: { authorization: `Bearer ${token}`, ...type } })
}

/** The endpoints that need a parameter. */
const required = new Set<string>(
  endpoints
    .filter(({ parameters }) => Object.values(parameters).some((shape) => !shape.safeParse(undefined).success))
    .map(({ name }) => name),
)

test('a visitor reads published figures, and nothing of an account', async () => {
  for (const { name, path, method, kind } of endpoints) {
    const body = method === 'POST' ? { body: '{}' } : {}
    const { status, json } = await askAsVisitor(`/v1${path}`, { method, ...body })
    if (!visitors.endpoints.includes(name)) {
      expect([name, status, json['message']]).toEqual([name, 403, `${name}: not for visitors; expected an account.`])
      continue
    }
    expect(['list', 'read'], name).toContain(kind)
    // A request without its required parameter is refused, and by nothing else.
    expect([name, status, json['error'] ?? 'none']).toEqual([
      name,
      ...(required.has(name) ? [400, 'invalid_request'] : [200, 'none']),
    ])
  }
})

test('a visitor sees signals as the free tier does', async () => {
  const { text } = await askAsVisitor('/v1/feed')
  const free = await service.ask('/v1/feed', { headers: { authorization: `Bearer ${service.keys.free}` } })
  expect(text).toBe(free.text)
  expect(text).toContain('sig_pro')
  expect(text.toLowerCase()).not.toContain(trader)
  expect(text).toContain('A headline.')
  const { items } = await askAsVisitor('/v1/signal-evidence?id=sig_pro')
  expect(items).toEqual([])
})

test('the tools of MCP are those of the same endpoints', async () => {
  const call = (name: string) =>
    service.ask('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
    })
  expect((await call('account')).text).toContain('not for visitors')
  expect((await call('pm_markets')).text).not.toContain('not for visitors')
})

test('visitors have a limit of their own for each network, and count in no account', async () => {
  const first = await askAsVisitor('/v1/feed')
  const [, left = ''] = /^"visitor";r=(\d+);t=\d+$/.exec(String(first.headers['ratelimit'])) ?? []
  expect(first.headers['ratelimit-policy']).toBe('"visitor";q=240;w=60')
  for (let n = Number(left); n > 0; n--) await askAsVisitor('/v1/feed')
  const { status, headers, json } = await askAsVisitor('/v1/feed')
  expect([status, json['error']]).toEqual([429, 'rate_limit_exceeded'])
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  service.clock.at += 60_000_000
  expect((await askAsVisitor('/v1/feed')).status).toBe(200)
  await service.usage.flush()
  const counted = await service.accounts.selectFrom('usage').select('account_id').execute()
  expect(counted.filter(({ account_id }) => account_id.startsWith('visitor'))).toEqual([])
})

test('a token ends after 15 minutes, and a forged one is refused', async () => {
  const fresh = await tokenOf(service)
  const ask = (key: string) => service.ask('/v1/feed', { headers: { authorization: `Bearer ${key}` } })
  expect((await ask(`${fresh.slice(0, -4)}AAAA`)).status).toBe(401)
  expect((await ask(fresh)).status).toBe(200)
  service.clock.at += 15 * 60_000_000
  expect((await ask(fresh)).status).toBe(401)
})

test('a visit states the account of a signed-in person', async () => {
  const browser = await signedUp(service, 'ann@example.com')
  const { account } = answer.parse((await browser.post('/api/visit')).json)
  expect(account).toMatchObject({ tier: 'free', endpoints: expect.arrayContaining(['GET /feed', 'GET /watchlists']) })
})

test('a setting turns public reading off, also for tokens of before', async () => {
  const parts = { ...service.parts, registry: new Registry(), publicReading: false }
  const closed = await serve(await createApp(parts), { port: 0 })
  try {
    const headers = { origin: pagesUrl, 'content-type': 'application/json' }
    const visit = await fetch(`${closed.url}/api/visit`, { method: 'POST', headers, body: '{}' })
    expect(await visit.json()).toEqual({ token: null, account: null })
    const authorization = `Bearer ${await tokenOf(service)}`
    expect((await fetch(`${closed.url}/v1/feed`, { headers: { authorization } })).status).toBe(401)
    expect((await service.ask('/v1/feed', { headers: { authorization } })).status).toBe(200)
  } finally {
    await closed.close()
  }
})
