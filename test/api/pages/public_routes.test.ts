import { Gauge } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { endpoints } from '#api/endpoints/index.ts'
import { fields, startService, type Service } from '#test/api/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ rows: { built_at: '2026-03-01 12:00:07.5' } })
})
afterAll(() => service.stop())

const ask = (path: string) => service.ask(path, { headers: { authorization: '' } })

test('the process lives, and is ready with a snapshot of an age', async () => {
  expect(await ask('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } })
  service.clock.at = Date.UTC(2026, 2, 1, 12, 1, 7, 500) * 1_000
  const described = (publish: string) => ({
    snapshot: `${publish}-first`,
    data_as_of: '2026-03-01T12:00:00.000Z',
    published_at: '2026-03-01T12:00:07.500Z',
    age_s: 60,
  })
  expect((await ask('/readyz')).json).toEqual({
    status: 'ready',
    scores: described('scores'),
    pulse: described('pulse'),
    fault: null,
  })
})

test('a fault of the machine is shown while the service goes on', async () => {
  const machineFault = async () => 'disk: 2 MB free; expected at least 128 MB'
  const full = await startService({ machineFault })
  const { status, json } = await full.ask('/readyz')
  expect([status, json['status'], json['fault']]).toEqual([200, 'ready', await machineFault()])
  expect((await full.ask('/v1/pm-markets')).status).toBe(200)
  await full.stop()
})

test('the documentation as text names every endpoint', async () => {
  const [markdown, llms] = await Promise.all(['/docs/api.md', '/llms.txt'].map(ask))
  expect(markdown?.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(llms?.headers['content-type']).toBe('text/plain; charset=utf-8')
  for (const { method, path, summary } of endpoints) {
    expect(markdown?.text).toContain(`## ${method} /v1${path}`)
    expect(llms?.text).toContain(`${method} /v1${path}: ${summary}`)
  }
})

test('metrics are collected once a second', async () => {
  let n_collected = 0
  service.registry.registerMetric(
    new Gauge({ name: 'test_collected', help: 'Collections', registers: [], collect: () => void n_collected++ }),
  )
  service.clock.at += 5_000_000
  for (let i = 0; i < 20; i++) expect((await ask('/metrics')).status).toBe(200)
  expect(n_collected).toBe(1)
  service.clock.at += 1_000_000
  await ask('/metrics')
  expect(n_collected).toBe(2)
})

test('metrics are for private networks, and not for the clients of a proxy', async () => {
  const statusOf = async (forwarded: string) =>
    (await service.ask('/metrics', { headers: { 'x-forwarded-for': forwarded } })).status
  expect((await ask('/metrics')).status).toBe(200)
  expect([await statusOf('203.0.113.9'), await statusOf('10.0.0.7')]).toEqual([403, 403])
})

test('metrics count the requests by route and status, and show the age of the snapshot', async () => {
  await service.ask('/v1/pm-markets')
  await service.ask('/v1/pm-markets?limit=0')
  await service.ask('/v1/tl_live_nothing')
  await expect
    .poll(async () => {
      service.clock.at += 1_000_000
      return (await ask('/metrics')).text
    })
    .toContain('tapeline_http_request_seconds_count{route="/pm-markets",method="GET",status="400"} 1')
  const { text, headers } = await ask('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(text).toContain('tapeline_http_request_seconds_count{route="/pm-markets",method="GET",status="200"} 1')
  expect(text).toContain('tapeline_http_request_seconds_count{route="none",method="GET",status="404"} 1')
  const age = (service.clock.at - Date.UTC(2026, 2, 1, 12, 0, 7, 500) * 1_000) / 1_000_000
  for (const name of ['scores', 'pulse'])
    expect(text).toContain(`tapeline_snapshot_age_seconds{publication="${name}"} ${age}\n`)
  expect(text).toMatch(/^tapeline_snapshot_fault 0$/m)
  expect(text).not.toContain('tl_live_')
})

test('the documentation is served completely, and sends requests to this service alone', async () => {
  const pages = await Promise.all(['/', '/docs'].map(ask))
  const asked = new Set(['/docs/init.js', '/openapi.json'])
  for (const { status, headers, text } of pages) {
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const { script, style } = { script: /<script(?![^>]*src)/.test(text), style: /<style/.test(text) }
    expect([script, style]).toEqual([false, false])
    for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) asked.add(new URL(link, 'http://x/').pathname)
    expect(text).not.toMatch(/(?:href|src)="https?:/)
    expect(headers['content-security-policy']).toContain("script-src 'self'")
  }
  for (const path of asked) expect((await ask(path)).status, path).toBe(200)
  expect((await ask('/docs/swagger-ui-bundle.js')).headers['content-type']).toContain('javascript')
  expect((await ask('/docs/init.js')).text).toContain("url: 'openapi.json'")
})

test('the document is the published one', async () => {
  const { json } = await ask('/openapi.json')
  const paths = [
    '/feed',
    '/signals',
    '/pm-markets',
    '/pm-traders',
    '/pm-wallet',
    '/discover',
    '/wallet',
    '/alerts',
    '/watchlists',
    '/account',
    '/chat',
    '/markets',
    '/trader-ranks',
    '/wallet-ranks',
    '/coverage',
    '/signal-evidence',
    '/trader-profile',
    '/trader-days',
    '/trader-traits',
    '/trader-categories',
    '/trader-positions',
    '/trader-markets',
    '/trader-fills',
    '/wallet-profiles',
    '/wallet-days',
    '/wallet-traits',
    '/wallet-tokens',
    '/wallet-holdings',
    '/wallet-trades',
    '/market-outcomes',
    '/market-hours',
    '/market-holders',
    '/market-fills',
    '/asset-days',
  ]
  expect(Object.keys(fields.parse(json['paths']))).toEqual(paths)
  expect(json['servers']).toEqual([{ url: '/v1' }])
})
