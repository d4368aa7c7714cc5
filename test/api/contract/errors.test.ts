import { connect } from 'node:net'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import { MartsBusyError } from '#snapshots/queries.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

const minute_us = 60_000_000
const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const foreign = 'tl_live_0000000000000000000000000000000000XX'

let service: Service
/** Fits its checksum, and is in no store here. */
let stranger: string
beforeAll(async () => {
  service = await startService({ rows: { markets: [{ id: 'polymarket:1' }] } })
  const elsewhere = await openAccounts(join(service.home, 'elsewhere.db'))
  stranger = await createKey(elsewhere, { tier: 'enterprise', now: service.clock.at })
  await elsewhere.destroy()
})
afterAll(() => service.stop())
beforeEach(() => {
  service.clock.at += minute_us
})

const as = (tier: 'free' | 'pro' | 'enterprise') => ({ authorization: `Bearer ${service.keys[tier]}` })

const expectError = (reply: Reply, status: number, error: string) => {
  expect([reply.status, reply.json['error']]).toEqual([status, error])
  expect(Object.keys(reply.json)).toEqual(['error', 'message'])
  expect(reply.json['message']).toMatch(/^.{10,}\.$/)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers['x-request-id']).toMatch(/^[\w-]{8,64}$/)
}

describe('401', () => {
  test.each([
    ['', {}],
    ['no scheme', { authorization: foreign }],
    ['another scheme', { authorization: 'Basic abc' }],
    ['no key', { authorization: 'Bearer' }],
    ['two keys', { authorization: 'Bearer a b' }],
    ['a key of no account', { authorization: `Bearer ${foreign}` }],
  ])('%s', async (_, headers) => {
    const reply = await service.ask('/v1/pm-markets', { headers: { authorization: '', ...headers } })
    expectError(reply, 401, 'unauthorized')
    expect(reply.headers['www-authenticate']).toBe('Bearer')
    expect(reply.headers).not.toHaveProperty('ratelimit')
  })

  test('a key of another installation, which is well-formed', async () => {
    const reply = await service.ask('/v1/pm-markets', { headers: { authorization: `Bearer ${stranger}` } })
    expectError(reply, 401, 'unauthorized')
  })

  test('for every path below /v1, also one that does not exist', async () => {
    for (const path of ['/v1', '/v1/', '/v1/nothing', '/v1?a=b']) {
      expectError(await service.ask(path, { headers: { authorization: '' } }), 401, 'unauthorized')
    }
  })

  test('the scheme is read in any case', async () => {
    const { status } = await service.ask('/v1/pm-markets', {
      headers: { authorization: `bearer ${service.keys.free}` },
    })
    expect(status).toBe(200)
  })

  test('spends no quota', async () => {
    await service.ask('/v1/pm-markets', { headers: { authorization: `Bearer ${foreign}` } })
    const { headers } = await service.ask('/v1/pm-markets', { headers: as('free') })
    expect(headers['ratelimit']).toContain('r=59')
  })
})

describe('429', () => {
  test('after the requests of the minute are spent; the next minute begins anew', async () => {
    service.clock.at += 17_300_000
    for (let left = 59; left >= 0; left--) {
      const { status, headers } = await service.ask('/v1/pm-markets', { headers: as('free') })
      expect([status, headers['ratelimit']]).toEqual([200, `"free";r=${left};t=43`])
      expect(headers['ratelimit-policy']).toBe('"free";q=60;w=60')
    }
    const reply = await service.ask('/v1/pm-markets', { headers: as('free') })
    expectError(reply, 429, 'rate_limit_exceeded')
    expect(reply.headers['retry-after']).toBe('43')
    expect(reply.headers['ratelimit']).toBe('"free";r=0;t=43')
    expect((await service.ask('/v1/pm-markets', { headers: as('pro') })).status).toBe(200)
    service.clock.at += 43_000_000
    expect((await service.ask('/v1/pm-markets', { headers: as('free') })).status).toBe(200)
  })

  test('every authenticated request counts', async () => {
    const asked = ['/v1/nothing', '/v1/pm-traders', '/v1/pm-markets?limit=0', '/v1/pm-markets']
    for (const path of asked) await service.ask(path, { headers: as('free') })
    await service.ask('/v1/pm-markets', { headers: as('free'), method: 'POST' })
    const { headers } = await service.ask('/v1/pm-markets', { headers: { ...as('free'), 'if-none-match': '*' } })
    expect(headers['ratelimit']).toContain('r=54;')
  })

  test('for the 101st key of a minute from one address that is not valid; valid ones stay welcome', async () => {
    const guess = (key = foreign) => service.ask('/v1/pm-markets', { headers: { authorization: `Bearer ${key}` } })
    for (let i = 0; i < 100; i++) expectError(await guess(i % 2 ? foreign : stranger), 401, 'unauthorized')
    expectError(await guess(stranger), 429, 'rate_limit_exceeded')
    const reply = await guess()
    expectError(reply, 429, 'rate_limit_exceeded')
    expect(reply.headers['retry-after']).toMatch(/^\d+$/)
    expect((await service.ask('/v1/pm-markets')).status).toBe(200)
    expectError(await service.ask('/v1/pm-markets', { headers: { authorization: '' } }), 401, 'unauthorized')
    service.clock.at += minute_us
    expectError(await guess(), 401, 'unauthorized')
  })
})

describe('404 and 405', () => {
  test.each([
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v1/pm-markets/',
    '/v1/PM-MARKETS',
    '/nothing',
    '/V1/pm-markets',
    '//v1/pm-markets',
  ])('%s is nothing', async (path) => expectError(await service.ask(path), 404, 'not_found'))

  test('outside /v1 too a known path answers to GET and HEAD alone', async () => {
    const reply = await service.ask('/healthz', { method: 'POST' })
    expectError(reply, 405, 'method_not_allowed')
    expect(reply.headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  test('a path that is no URI is a 400 or nothing, never a failure', async () => {
    expect([400, 404]).toContain((await service.ask('/docs/%zz')).status)
    expect([400, 404]).toContain((await service.ask('/v1/%zz')).status)
  })
})

describe('406', () => {
  const statusOf = async (path: string, accept: string) => (await service.ask(path, { headers: { accept } })).status

  test('a list comes as JSON or CSV', async () => {
    const accepted: [string, string][] = [
      ['*/*', 'application/json'],
      ['application/*', 'application/json'],
      ['text/*', 'text/csv'],
      ['text/csv', 'text/csv'],
      ['text/csv; charset=utf-8', 'text/csv'],
      ['', 'application/json'],
      ['application/json;version=1', 'application/json'],
      ['application/json;indent=4;q=0.5, text/csv;header=present', 'text/csv'],
      ['text/html, text/csv;q=0.5', 'text/csv'],
      ['text/csv;q=0.5, application/json', 'application/json'],
      ['application/json;q=0, */*', 'text/csv'],
    ]
    for (const [accept, type] of accepted) {
      const { headers } = await service.ask('/v1/pm-markets', { headers: { accept } })
      expect(headers['content-type'], accept).toBe(`${type}; charset=utf-8`)
    }
    for (const accept of ['text/html', 'application/xml', 'application/json;q=0', 'nonsense']) {
      expectError(await service.ask('/v1/pm-markets', { headers: { accept } }), 406, 'not_acceptable')
    }
  })

  test('a single object does not come as CSV', async () => {
    expectError(
      await service.ask(`/v1/pm-wallet?address=${owner}`, { headers: { accept: 'text/csv' } }),
      406,
      'not_acceptable',
    )
    expect(await statusOf(`/v1/pm-wallet?address=${owner}`, 'text/csv, */*;q=0.1')).toBe(200)
  })
})

test('413: a body over 64 KiB; one below it is ignored', async () => {
  const reply = await service.ask('/v1/pm-markets', { body: 'x'.repeat(64 * 1024 + 1) })
  expectError(reply, 413, 'payload_too_large')
  expect(reply.headers.connection).toBe('close')
  expect((await service.ask('/v1/pm-markets', { body: 'x'.repeat(64 * 1024) })).status).toBe(200)
})

test('400: the message names the parameter, the fault and the accepted values', async () => {
  const faults: Record<string, string> = {
    'limit=0': 'limit: invalid value "0"; expected a whole number from 1 to 1000, digits only.',
    'limit=': 'limit: empty; expected a whole number from 1 to 1000, digits only.',
    'limit=5&limit=5': 'limit: given more than once; expected one value.',
    'status=paused': 'status: invalid value "paused"; expected one of open, closed, all.',
    'platform=augur': 'platform: invalid value "augur"; expected one of all, polymarket, kalshi, limitless.',
    'page=2': '"page": unknown parameter; expected platform, status, limit, cursor.',
    '=2': '"": unknown parameter; expected platform, status, limit, cursor.',
    'cursor=%20': 'cursor: invalid value " "; expected the cursor from the Link header of the previous page.',
    'cursor=abc': 'cursor: not issued for this query; expected the cursor from the Link header of the previous page.',
  }
  for (const [query, message] of Object.entries(faults)) {
    const reply = await service.ask(`/v1/pm-markets?${query}`)
    expectError(reply, 400, 'invalid_request')
    expect(reply.json['message']).toBe(message)
  }
  const { json } = await service.ask('/v1/pm-wallet')
  expect(json['message']).toMatch(/^address: missing; expected an EVM address .* or a Solana address/)
})

test('500: the message carries the request id and nothing of the fault, which is logged', async () => {
  const mend = await breakStore(service)
  const reply = await service.ask('/v1/pm-markets', {
    headers: { authorization: `Bearer ${service.keys.pro}`, 'x-request-id': 'request-17' },
  })
  expectError(reply, 500, 'internal_error')
  expect(reply.json['message']).toContain('request-17')
  expect(reply.text).not.toMatch(/no such table|at .*\.ts|node_modules/)
  expect(service.lines.join('')).toMatch(/no such table.*request-17/)
  await mend()
})

/** Lets every look into the store fail until it is mended. */
const breakStore = async ({ accounts, clock }: Service) => {
  await accounts.schema.alterTable('keys').renameTo('keys_away').execute()
  clock.at += 10_000_000
  return () => accounts.schema.alterTable('keys_away').renameTo('keys').execute()
}

describe('503', () => {
  test('when more ask than can be answered soon', async () => {
    const { current } = service.marts
    const busy = current('pulse', 'scores')
    if (!busy) throw new Error('there is no snapshot')
    const query = () => Promise.reject(new MartsBusyError('1000 queries are waiting already'))
    service.marts.current = () => ({ ...busy, query })
    const reply = await service.ask('/v1/pm-markets?status=all')
    service.marts.current = current
    expectError(reply, 503, 'overloaded')
    expect(reply.headers['retry-after']).toMatch(/^\d+$/)
  })

  test('until there is a snapshot; then the service answers', async () => {
    const empty = await startService({ isEmpty: true })
    const reply = await empty.ask('/v1/pm-markets')
    expectError(reply, 503, 'not_ready')
    expect(reply.headers['retry-after']).toMatch(/^\d+$/)
    expectError(await empty.ask('/readyz'), 503, 'not_ready')
    expect((await empty.ask('/healthz')).status).toBe(200)
    await empty.publish('a', { markets: [{ id: 'polymarket:1' }] })
    expect((await empty.ask('/v1/pm-markets')).items).toHaveLength(1)
    await empty.stop()
  })
})

test('errors are checked in the order 401, 429, 404 or 405, 403, 406, 400, 503', async () => {
  const empty = await startService({ isEmpty: true })
  const free = `Bearer ${empty.keys.free}`
  const pro = `Bearer ${empty.keys.pro}`
  const ask = (path: string, authorization: string, accept = '*/*', method = 'GET') =>
    empty.ask(path, { method, headers: { authorization, accept } }).then(({ status }) => status)
  // Each request has every fault that comes after the one it is answered with.
  expect(await ask('/v1/pm-wallet?x=1', '', 'text/csv', 'POST')).toBe(401)
  expect(await ask('/v1/nothing?x=1', free, 'text/csv')).toBe(404)
  expect(await ask('/v1/pm-wallet?x=1', free, 'text/csv', 'POST')).toBe(405)
  expect(await ask('/v1/pm-wallet?x=1', free, 'text/csv')).toBe(403)
  expect(await ask('/v1/pm-wallet?x=1', pro, 'text/csv')).toBe(406)
  expect(await ask('/v1/pm-wallet?x=1', pro)).toBe(400)
  expect(await ask('/v1/pm-markets', pro)).toBe(503)
  for (let i = 0; i < 60; i++) await ask('/v1/nothing', free)
  expect(await ask('/v1/nothing?x=1', free, 'text/csv', 'POST')).toBe(429)
  expect(await ask('/v1/nothing', free, '*/*', 'OPTIONS')).toBe(404)
  await empty.stop()
})

describe('bytes that are no HTTP request', () => {
  const send = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(service.port, '127.0.0.1', () => socket.write(bytes))
      let got = ''
      socket.on('data', (chunk) => (got += chunk.toString()))
      socket.on('close', () => resolve(got))
      socket.on('error', reject)
    })

  test.each([
    ['400', 'nonsense\r\n\r\n'],
    ['400', 'GET / HTTP/9.9\r\n\r\n'],
    ['400', 'GET /v1/pm-markets HTTP/1.1\r\n\r\n'],
    ['400', 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['431', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('is a %s with the two fields, and the end of the connection', async (status, bytes) => {
    const [head = '', body = ''] = (await send(bytes)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head.toLowerCase()).toContain('connection: close')
    expect(head.toLowerCase()).toContain('x-request-id: ')
    expect(Object.keys(JSON.parse(body))).toEqual(['error', 'message'])
    expect(JSON.parse(body).error).toBe('invalid_request')
  })
})
