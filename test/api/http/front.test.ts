import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import { revokeKey } from '#accounts/account_keys.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

let service: Service
beforeAll(async () => {
  service = await startService({
    rows: {
      markets: Array.from({ length: 5 }, (_, i) => ({ id: `polymarket:${i}`, question: `"${i}", or not?` })),
      traders: [{ wallet: owner }],
      wallets: [{ address: owner, is_complete: false, unlisted_reason: 'sold "unseen" shares' }],
    },
  })
})
afterAll(() => service.stop())
beforeEach(() => {
  service.clock.at += 60_000_000
})

/** A reply without what differs from request to request. */
const lasting = ({ status, raw, body }: Reply) => {
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1]]] : []))
  return { status, headers: pairs.filter(([name]) => !/^(date|x-request-id|ratelimit)$/i.test(name ?? '')), body }
}

/** Whether the last request that was logged was answered from what is kept. */
const wasHit = () => JSON.parse(service.lines.at(-1) ?? '{}').isHit

describe('an answer that is kept', () => {
  const paths = [
    '/v1/pm-markets?limit=2',
    '/v1/pm-markets?status=closed',
    '/v1/pm-traders',
    `/v1/pm-wallet?address=${owner}`,
  ]
  const spellings: Record<string, string>[] = [{}, { accept: 'text/csv, */*;q=0.1' }, { 'if-none-match': '*' }]

  test.each(paths)('is the same in every header and byte: %s', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      for (const headers of spellings) {
        const request = { method, headers }
        await publishUnasked()
        const miss = await service.ask(path, request)
        await expect.poll(wasHit).toBe(false)
        const hit = await service.ask(path, request)
        await expect.poll(wasHit).toBe(true)
        expect(lasting(hit)).toEqual(lasting(miss))
      }
    }
  })

  /** Answers are prepared for a snapshot that replaces one on which they were asked, and for no other. */
  const publishUnasked = async () => {
    for (let n = 0; n < 2; n++) await service.publish(`${Date.now()}-${Math.random()}`.replace('.', ''), await rows())
  }

  const rows = async () => ({
    markets: Array.from({ length: 5 }, (_, i) => ({ id: `polymarket:${i}`, question: `"${i}", or not?` })),
    traders: [{ wallet: owner }],
    wallets: [{ address: owner, is_complete: false, unlisted_reason: 'sold "unseen" shares' }],
  })

  test('is read once for equal requests at the same moment', async () => {
    await service.publish('asked-at-once', await rows())
    const { current } = service.marts
    const snapshot = current('pulse')
    if (!snapshot) throw new Error('there is no snapshot')
    let n_queries = 0
    const counted = {
      ...snapshot,
      query: (...asked: Parameters<typeof snapshot.query>) => {
        n_queries++
        return snapshot.query(...asked)
      },
    }
    service.marts.current = () => counted
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.ask('/v1/pm-markets')))
    service.marts.current = current
    for (const { items } of replies) expect(items).toHaveLength(5)
    expect(n_queries).toBe(1)
  })

  test('is not given to a tier that may not see it, nor without a key', async () => {
    await service.ask('/v1/pm-traders')
    const free = await service.ask('/v1/pm-traders', { headers: { authorization: `Bearer ${service.keys.free}` } })
    const nobody = await service.ask('/v1/pm-traders', { headers: { authorization: '' } })
    expect([free.status, nobody.status]).toEqual([403, 401])
  })

  test('is not given in another format', async () => {
    await service.ask('/v1/pm-markets')
    const { headers } = await service.ask('/v1/pm-markets', { headers: { accept: 'text/csv' } })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  })

  test('is forgotten with its snapshot', async () => {
    const before = await service.ask('/v1/pm-markets')
    await service.publish('other', { markets: [] })
    const after = await service.ask('/v1/pm-markets')
    expect([before.items.length, after.items.length]).toEqual([5, 0])
    await service.publish('back', await rows())
  })
})

describe('validators', () => {
  test('the tag is strong, differs by format and query, and not by how the query is spelled', async () => {
    const tagOf = async (path: string, accept = '*/*') =>
      (await service.ask(path, { headers: { accept } })).headers.etag
    const tag = await tagOf('/v1/pm-markets')
    expect(tag).toMatch(/^"[\w-]+"$/)
    expect(await tagOf('/v1/pm-markets?status=open&platform=all')).toBe(tag)
    expect(await tagOf('/v1/pm-markets?platform=all')).toBe(tag)
    expect(await tagOf('/v1/pm-markets?status=all')).not.toBe(tag)
    expect(await tagOf('/v1/pm-markets?limit=5')).not.toBe(tag)
    expect(await tagOf('/v1/pm-markets', 'text/csv')).not.toBe(tag)
    const upper = owner.toUpperCase().replace('0X', '0x')
    expect(await tagOf(`/v1/pm-wallet?address=${upper}`)).toBe(await tagOf(`/v1/pm-wallet?address=${owner}`))
  })

  test('an answer that the caller has is a 304 without a body', async () => {
    const { headers } = await service.ask('/v1/pm-markets')
    const tag = headers.etag ?? ''
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, `"x",W/"y",${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await service.ask('/v1/pm-markets', { method, headers: { 'if-none-match': known } })
        expect([reply.status, reply.text], known).toEqual([304, ''])
        for (const name of [
          'etag',
          'cache-control',
          'vary',
          'last-modified',
          'x-data-as-of',
          'ratelimit',
          'x-request-id',
        ]) {
          expect(reply.headers, name).toHaveProperty(name)
        }
      }
    }
    for (const other of ['"x"', tag.slice(1, -1), '']) {
      expect((await service.ask('/v1/pm-markets', { headers: { 'if-none-match': other } })).status, other).toBe(200)
    }
  })

  test('the next snapshot has another tag', async () => {
    const { headers } = await service.ask('/v1/pm-markets')
    await service.publish('newer', {})
    const { status } = await service.ask('/v1/pm-markets', { headers: { 'if-none-match': headers.etag ?? '' } })
    expect(status).toBe(200)
  })

  test('dates are those of the snapshot; only the caller may store the answer', async () => {
    await service.publish('dated', { as_of: '2026-03-01 11:59:00.123', built_at: '2026-03-01 12:00:07.5' })
    const { headers } = await service.ask('/v1/pm-markets')
    expect(headers).toMatchObject({
      'x-data-as-of': '2026-03-01T11:59:00.123Z',
      'last-modified': 'Sun, 01 Mar 2026 12:00:07 GMT',
      'cache-control': 'private, max-age=0, must-revalidate',
      vary: 'Authorization, Accept, Accept-Encoding',
    })
  })
})

describe('HEAD', () => {
  test('is GET without the body', async () => {
    const get = await service.ask('/v1/pm-markets')
    const head = await service.ask('/v1/pm-markets', { method: 'HEAD' })
    expect(head.text).toBe('')
    expect(lasting({ ...head, body: get.body })).toEqual(lasting(get))
  })

  test('of an error has no body either', async () => {
    const { status, text } = await service.ask('/v1/pm-markets?limit=0', { method: 'HEAD' })
    expect([status, text]).toEqual([400, ''])
  })
})

describe('other pages', () => {
  test('may ask before they call, without a key', async () => {
    const { status, headers, text } = await service.ask('/v1/pm-markets', {
      method: 'OPTIONS',
      headers: {
        authorization: '',
        origin: 'https://example.org',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      },
    })
    expect([status, text]).toEqual([204, ''])
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
    expect(headers['access-control-allow-headers']?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'idempotency-key',
        'last-event-id',
        'mcp-protocol-version',
      ]),
    )
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(headers).not.toHaveProperty('ratelimit')
  })

  test('may read the answers, the errors among them, and their headers', async () => {
    for (const [path, authorization] of [
      ['/v1/pm-markets', `Bearer ${service.keys.free}`],
      ['/v1/pm-markets', ''],
      ['/v1/nothing', `Bearer ${service.keys.free}`],
    ]) {
      const { headers } = await service.ask(path ?? '', { headers: { authorization: authorization ?? '' } })
      expect(headers['access-control-allow-origin']).toBe('*')
      const exposed = headers['access-control-expose-headers']?.toLowerCase().split(', ')
      expect(exposed).toEqual(
        expect.arrayContaining([
          'link',
          'etag',
          'x-data-as-of',
          'x-coverage',
          'x-request-id',
          'ratelimit',
          'retry-after',
        ]),
      )
    }
  })

  test('read nothing outside /v1', async () => {
    expect((await service.ask('/metrics')).headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('a request', () => {
  test('has the id of the request if that is valid', async () => {
    const idOf = async (id: string) =>
      (await service.ask('/v1/pm-markets', { headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await idOf('my-request_17')).toBe('my-request_17')
    for (const id of ['short', 'x'.repeat(65), 'with space', 'a;b;c;d;e']) {
      expect(await idOf(id)).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
    }
  })

  test('is logged once, with its account and no key, wherever the key was put', async () => {
    const key = service.keys.pro
    service.lines.length = 0
    await service.ask(`/v1/${key}?key=${key}`, {
      headers: { authorization: `Bearer ${key}`, 'x-request-id': 'logged-request' },
    })
    await expect.poll(() => service.lines.length).toBe(1)
    expect(JSON.parse(service.lines[0] ?? '')).toMatchObject({
      id: 'logged-request',
      method: 'GET',
      route: 'none',
      status: 404,
      account_id: expect.stringMatching(/^[\da-f-]{36}$/),
    })
    const encoded = encodeURIComponent(key).replace('_', '%5F')
    for (const path of [`/v1/${encoded}`, `/${key}`, `/v1/pm-markets?${key}`, `/v1/pm-wallet?address=${key}`]) {
      await service.ask(path, { headers: { 'x-request-id': key, referer: key, 'user-agent': key } })
    }
    await expect.poll(() => service.lines.length).toBe(5)
    expect(service.lines.join('')).not.toContain(key.slice(8))
  })

  test('in absolute form is read as any other, with its key', async () => {
    const absolute = `http://127.0.0.1:${service.port}/v1/pm-markets`
    expect((await service.ask(absolute)).status).toBe(200)
    expect((await service.ask(absolute, { headers: { authorization: '' } })).status).toBe(401)
  })
})

describe('a key', () => {
  test('that is revoked is refused within five seconds, on kept answers too', async () => {
    const key = service.keys.pro
    const statusOf = async () =>
      (await service.ask('/v1/pm-markets', { headers: { authorization: `Bearer ${key}` } })).status
    expect([await statusOf(), await statusOf()]).toEqual([200, 200])
    await revokeKey(service.accounts, { key, now: service.clock.at })
    service.clock.at += 5_000_000
    expect(await statusOf()).toBe(401)
  })
})
