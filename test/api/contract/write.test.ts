import { request } from 'node:http'

import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { plantedEndpoints, type Gate } from '#test/api/planted.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

const gate: Gate = { wait: async () => held }
let held: Promise<void> = Promise.resolve()

let service: Service
beforeAll(async () => {
  service = await startService({ endpoints: plantedEndpoints(gate) })
})
afterAll(() => service.stop())
beforeEach(() => {
  service.clock.at += 60_000_000
})

const json = { 'content-type': 'application/json' }

const post = (body: string, headers: Record<string, string> = {}, path = '/v1/alerts'): Promise<Reply> =>
  service.ask(path, { method: 'POST', body, headers: { ...json, ...headers } })

const n_notes = async () => (await service.ask('/v1/alerts')).items.length

const expectError = ({ status, json: body }: Reply, expected: number, code: string, message?: string) => {
  expect([status, body['error']]).toEqual([expected, code])
  if (message !== undefined) expect(body['message']).toBe(message)
}

describe('a body', () => {
  test('creates: 201, the object, and the URL of the object', async () => {
    const { status, json: body, headers } = await post('{"text":"first"}')
    expect([status, body['text'], headers.location]).toEqual([201, 'first', `/v1/alerts?id=${String(body['id'])}`])
    expect(headers['cache-control']).toBe('no-store')
    expect((await service.ask(headers.location ?? '', { method: 'DELETE' })).json).toEqual({ deleted: true })
  })

  test('of another type is a 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
      expectError(await post('{"text":"a"}', { 'content-type': type }), 415, 'unsupported_media_type')
    }
    const reply = await service.ask('/v1/alerts', { method: 'POST', body: '{"text":"a"}' })
    expectError(reply, 415, 'unsupported_media_type', 'Content-Type: missing; expected application/json.')
    expectError(await post('{"text":"a"}', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type')
    const accepted = await post('{"text":"a"}', { 'content-type': 'Application/JSON; charset=UTF-8' })
    expect(accepted.status).toBe(201)
  })

  test('over 64 KiB is a 413, with and without a length; a body of 64 KiB is read', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(64 * 1024) })
    expectError(await post(body), 413, 'payload_too_large', 'body: too large; expected at most 64 KiB.')
    expect(await sendChunked(body)).toBe(413)
    expect(await sendChunked('{"text":"a"}')).toBe(201)
    const padded = `{"text":"a"}${' '.repeat(64 * 1024 - 12)}`
    expect([Buffer.byteLength(padded), (await post(padded)).status]).toEqual([64 * 1024, 201])
  })

  test('that is invalid is a 400 that names the field', async () => {
    const faults: Record<string, string> = {
      '': 'body: not valid JSON; expected a JSON object in UTF-8.',
      '{': 'body: not valid JSON; expected a JSON object in UTF-8.',
      '[]': 'body: invalid value []; expected a JSON object.',
      null: 'body: invalid value null; expected a JSON object.',
      '{}': 'text: missing; expected string.',
      '{"text":5}': 'text: invalid value 5; expected string.',
      '{"text":""}': 'text: invalid value ""; expected string to have >=1 characters.',
      '{"text":"a","x":1}': 'body: unknown field "x"; expected text, threshold.',
      '{"text":"a","threshold":{"least":"b"}}': 'threshold.least: invalid value "b"; expected number.',
      '{"text":"a","threshold":{"most":1}}': 'threshold: unknown field "most"; expected the documented fields only.',
      '{"text":"a","__proto__":{"x":1}}': 'body: unknown field "__proto__"; expected text, threshold.',
    }
    const before = await n_notes()
    for (const [body, message] of Object.entries(faults)) expectError(await post(body), 400, 'invalid_request', message)
    expectError(await post('{"text":"a"}', {}, '/v1/alerts?x=1'), 400, 'invalid_request')
    const reply = await service.ask('/v1/alerts', { method: 'POST', headers: json, body: '{"text":"\uD800"}' })
    expect(reply.status).toBe(201)
    expect(await n_notes()).toBe(before + 1)
  })

  test('of any JSON never fails the service', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (body) => {
        service.clock.at += 1_000_000
        expect([201, 400]).toContain((await post(body)).status)
      }),
      { numRuns: 100 },
    )
  })

  test('is checked after the key, the path, the plan and Accept', async () => {
    const statusOf = async (headers: Record<string, string>, path = '/v1/alerts') =>
      (await service.ask(path, { method: 'POST', body: 'x', headers })).status
    expect(await statusOf({ authorization: '' })).toBe(401)
    expect(await statusOf({}, '/v1/nothing')).toBe(404)
    expect(await statusOf({}, '/v1/signals')).toBe(405)
    expect(await statusOf({ authorization: `Bearer ${service.keys.free}` })).toBe(403)
    expect(await statusOf({ accept: 'text/csv' })).toBe(406)
    expect(await statusOf({})).toBe(415)
    expect(await statusOf(json)).toBe(400)
  })
})

/** Sends a body without its length. */
const sendChunked = (body: string) =>
  new Promise<number>((resolve, reject) => {
    const headers = { authorization: `Bearer ${service.keys.enterprise}`, ...json, 'transfer-encoding': 'chunked' }
    const req = request(
      { port: service.port, host: '127.0.0.1', path: '/v1/alerts', method: 'POST', headers },
      (res) => {
        res.resume()
        res.on('end', () => resolve(res.statusCode ?? 0))
      },
    )
    req.on('error', reject)
    req.end(body)
  })

describe('an Idempotency-Key', () => {
  const withKey = (key: string, body = '{"text":"keyed"}') => post(body, { 'idempotency-key': key })

  test('repeats the first answer: status, Location and body', async () => {
    const before = await n_notes()
    const first = await withKey('one')
    const again = await withKey('one', '{ "text" : "keyed" }')
    expect([again.status, again.text, again.headers.location]).toEqual([201, first.text, first.headers.location])
    expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true'])
    expect(await n_notes()).toBe(before + 1)
  })

  test('with another body, query or endpoint is a 422', async () => {
    await withKey('two')
    expectError(await withKey('two', '{"text":"other"}'), 422, 'idempotency_mismatch')
    const reply = await service.ask('/v1/alerts?id=x', { method: 'DELETE', headers: { 'idempotency-key': 'two' } })
    expectError(reply, 422, 'idempotency_mismatch')
  })

  test('that is malformed is a 400', async () => {
    for (const key of ['', 'a b', 'x'.repeat(256), 'é']) {
      expectError(await withKey(key), 400, 'invalid_request')
    }
  })

  test('is free again after an error, and after 24 hours', async () => {
    const before = await n_notes()
    expectError(await withKey('three', '{"text":"full"}'), 409, 'limit_reached')
    expectError(await withKey('three', '{"text":"broken"}'), 500, 'internal_error')
    expectError(await withKey('three', '{"text":5}'), 400, 'invalid_request')
    expect((await withKey('three')).status).toBe(201)
    service.clock.at += 24 * 3_600_000_000
    const later = await withKey('three', '{"text":"another"}')
    expect([later.status, later.headers['idempotent-replayed']]).toEqual([201, undefined])
    expect(await n_notes()).toBe(before + 2)
  })

  test('of requests at the same moment runs once; the others wait for the answer or get a 409', async () => {
    const before = await n_notes()
    let open = () => {}
    held = new Promise((resolve) => {
      open = resolve
    })
    const first = withKey('four')
    const others = Array.from({ length: 8 }, () => withKey('four'))
    const refused = await Promise.all(others.slice(0, 7).map((one) => Promise.race([one, first])))
    open()
    const all = await Promise.all([first, ...others])
    const answered = all.filter(({ status }) => status === 201)
    expect(answered.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1)
    for (const reply of refused) expectError(reply, 409, 'idempotency_conflict')
    const again = await withKey('four')
    expect(new Set([again, ...answered].map(({ text }) => text)).size).toBe(1)
    expect(await n_notes()).toBe(before + 1)
  })

  test('on a read is ignored', async () => {
    const { status, headers } = await service.ask('/v1/alerts', { headers: { 'idempotency-key': 'a b' } })
    expect([status, headers['idempotent-replayed']]).toEqual([200, undefined])
  })

  test('is allowed in a preflight, and its answer may be read by web pages', async () => {
    const { headers } = await service.ask('/v1/alerts', { method: 'OPTIONS', headers: { authorization: '' } })
    expect(headers['access-control-allow-headers']).toContain('Idempotency-Key')
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, DELETE, OPTIONS')
    const reply = await service.ask('/v1/alerts')
    expect(reply.headers['access-control-expose-headers']).toMatch(/Idempotent-Replayed.*Location/)
  })
})
