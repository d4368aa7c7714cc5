import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'

import { HttpError, newCounts, replayHttp, type Reply, ShapeError } from '#ingest/http/http.ts'

import { client, json, serve, type Handler } from './server.ts'

const shape = z.object({ ok: z.boolean() })
const request = { host: 'polymarket_data', path: '/v2/trades', query: { b: 2, a: 'x y', none: undefined } } as const

const failure = async (promise: Promise<unknown>): Promise<HttpError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(HttpError)
  return error as HttpError
}

describe('a request', () => {
  test('sends the query in one form, repeats lists, and says who it is', async () => {
    const { url, seen } = await serve((_, response) => json(response, { ok: true }))
    const { http } = client(`${url}/`)
    await http({ ...request, query: { ...request.query, ids: ['2', '1'] } }, shape)
    expect(seen[0]?.url).toBe('/v2/trades?a=x+y&b=2&ids=2&ids=1')
    expect(seen[0]?.headers['user-agent']).toMatch(/^tapeline\/\d+\.\d+\.\d+/)
  })

  test('past the cache has an address of its own each time, also where it is retried, and the key of any other', async () => {
    const { url, seen } = await serve((_, response, nth) => json(response, { ok: true }, nth === 2 ? 500 : 200))
    const replies: Reply[] = []
    const { http } = client(url, { onReply: (reply) => void replies.push(reply) })
    await http({ ...request, isPastCache: true }, shape)
    await http({ ...request, isPastCache: true }, shape)
    await http(request, shape)
    const sent = seen.map((one) => new URLSearchParams(one.url?.split('?')[1]).get('_'))
    expect(new Set(sent).size).toBe(4)
    expect(sent.slice(0, 3).every((value) => /^\d{16,}$/.test(value ?? ''))).toBe(true)
    expect(sent[3]).toBeNull()
    expect(new Set(replies.map(({ query }) => query))).toEqual(new Set(['a=x+y&b=2']))
  })

  test('gives back what the shape makes of the answer', async () => {
    const { url } = await serve((_, response) => json(response, { ok: true, more: 1 }))
    expect(await client(url).http(request, shape)).toEqual({ ok: true })
  })
})

describe('temporary failures are retried', () => {
  const passing: [string, Handler][] = [
    ['408', (_, response) => json(response, {}, 408)],
    ['425', (_, response) => json(response, {}, 425)],
    ['429', (_, response) => json(response, {}, 429)],
    ['500', (_, response) => json(response, {}, 500)],
    ['502 in HTML', (_, response) => response.writeHead(502).end('<html>Bad gateway</html>')],
    ['200 in HTML', (_, response) => response.writeHead(200).end('<html>Just a moment</html>')],
    ['truncated JSON', (_, response) => response.writeHead(200).end('{"ok": tr')],
    ['an empty 200', (_, response) => response.writeHead(200).end()],
    [
      'a body shorter than announced',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"ok":')
        setImmediate(() => response.destroy())
      },
    ],
    ['a reset connection', (message) => message.socket.resetAndDestroy()],
  ]
  test.each(passing)('%s', async (_, misbehave) => {
    const counts = newCounts()
    const { url, seen } = await serve((message, response, nth) => {
      if (nth <= 3) misbehave(message, response, nth)
      else json(response, { ok: true })
    })
    const { http, slept } = client(url, { counts })
    expect(await http(request, shape)).toEqual({ ok: true })
    expect(seen).toHaveLength(4)
    expect(counts).toMatchObject({ requests: 4, retries: 3, fault: null })
    const answers = counts.answers.get('polymarket_data')
    expect(answers?.get(200)).toBeGreaterThan(0)
    expect([...(answers?.values() ?? [])].reduce((sum, n) => sum + n, 0)).toBe(4)
    expect(counts.bytes).toBeGreaterThanOrEqual('{"ok":true}'.length)
    // Half of 0.5, 1 and 2 seconds: the jitter is 0.5 here.
    expect(slept).toEqual([250, 500, 1000])
  })

  test('gives up after eight attempts, and says what happened', async () => {
    const { url, seen } = await serve((_, response) => json(response, { error: 'x'.repeat(500) }, 503))
    const error = await failure(client(url).http(request, shape))
    expect(seen).toHaveLength(8)
    expect(error).toMatchObject({ host: 'polymarket_data', path: '/v2/trades', status: 503, attempts: 8 })
    expect(error.body).toHaveLength(512)
    expect(error.message).toMatch(/^polymarket_data \/v2\/trades answered 503 \(8 attempts\): \{"error"/)
  })

  test('a host that cannot be reached has status 0 and a cause', async () => {
    const { url, close } = await serve(() => {})
    await close()
    const counts = newCounts()
    const error = await failure(client(url, { counts }).http(request, shape))
    expect(error).toMatchObject({ status: 0, attempts: 8 })
    expect(error.message).toContain('ECONNREFUSED')
    expect(counts.fault).toMatch(/^polymarket_data could not be read: .*ECONNREFUSED/)
  })

  test('a body that drips is cut off', async () => {
    // The time of an attempt is over in the middle of its body, however long the machine takes.
    const times: AbortController[] = []
    const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const time = new AbortController()
      times.push(time)
      return time.signal
    })
    onTestFinished(() => limit.mockRestore())
    const { url, seen } = await serve((_, response, nth) => {
      response.writeHead(200)
      let n_drops = 0
      const drip = setInterval(() => {
        response.write(' ')
        if (++n_drops === 10) times[nth - 1]?.abort(new DOMException('over', 'TimeoutError'))
      }, 5)
      response.on('close', () => clearInterval(drip))
    })
    const error = await failure(client(url, { limits: { timeout_ms: 100, attempts: 2 } }).http(request, shape))
    expect(error.message).toContain('did not answer within 0.1 s (2 attempts)')
    expect(seen).toHaveLength(2)
    expect(limit.mock.calls).toEqual([[100], [100]])
  })
})

describe('Retry-After', () => {
  test('in seconds holds back the whole host, without a backoff on top', async () => {
    const { url } = await serve((_, response, nth) =>
      nth === 1 ? json(response, {}, 429, { 'retry-after': '7' }) : json(response, { ok: true }),
    )
    const { http, slept, now } = client(url, { concurrency: 1 })
    const start = now()
    const passed = await Promise.all([http(request, shape), http(request, shape).then(() => now() - start)])
    expect(slept[0]).toBe(7000)
    expect(passed[1]).toBeGreaterThanOrEqual(7000)
  })

  test('of no time leaves the backoff, so that a busy host is not asked at once', async () => {
    const { url, seen } = await serve((_, response) => json(response, {}, 429, { 'retry-after': '0' }))
    const { http, slept } = client(url)
    expect(await failure(http({ ...request, attempts: 4 }, shape))).toMatchObject({ status: 429, attempts: 4 })
    expect([seen.length, slept]).toEqual([4, [250, 500, 1000]])
  })

  test('as a date counts from the clock of the upstream', async () => {
    const { url } = await serve((_, response, nth) => {
      const headers = { date: 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' }
      if (nth === 1) json(response, {}, 503, headers)
      else json(response, { ok: true })
    })
    const { http, slept } = client(url)
    await http(request, shape)
    expect(slept).toEqual([9000])
  })

  test('of more than ten minutes is not waited for', async () => {
    const { url, seen } = await serve((_, response) => json(response, {}, 429, { 'retry-after': '86400' }))
    const { http, slept } = client(url)
    expect(await failure(http(request, shape))).toMatchObject({ status: 429, attempts: 1 })
    expect([seen.length, slept]).toEqual([1, []])
  })
})

describe('permanent failures are errors at once', () => {
  test.each([400, 401, 403, 404, 410, 422])('%i', async (status) => {
    const { url, seen } = await serve((_, response) => json(response, { error: 'no\nsuch' }, status))
    const error = await failure(client(url).http(request, shape))
    expect(error).toMatchObject({ status, attempts: 1, body: '{"error":"no\\nsuch"}' })
    expect(seen).toHaveLength(1)
  })

  test('a redirect is not followed', async () => {
    const { url, seen } = await serve((_, response) => response.writeHead(302, { location: '/elsewhere' }).end())
    const error = await failure(client(url).http(request, shape))
    expect(error.message).toContain('a redirect that is not followed')
    expect(seen).toHaveLength(1)
  })

  test('a body that is too long is not read to its end', async () => {
    const replies: Reply[] = []
    let written = 0
    const { url } = await serve((_, response) => {
      const more = () => {
        while (!response.destroyed && written < 50_000_000) {
          written += 65_536
          if (!response.write('x'.repeat(65_536))) return
        }
        response.end()
      }
      response.writeHead(200).on('drain', more)
      more()
    })
    const { http } = client(url, { limits: { body_bytes: 100_000 }, onReply: (reply) => void replies.push(reply) })
    expect((await failure(http(request, shape))).message).toContain('answered with more than 100000 bytes (1 attempt)')
    expect(written).toBeLessThan(50_000_000)
    expect(replies).toEqual([])
  })

  test('another shape names the route and the place', async () => {
    const { url, seen } = await serve((_, response) => json(response, { ok: 'yes' }))
    const promise = client(url).http(request, shape)
    await expect(promise).rejects.toThrow(ShapeError)
    await expect(promise).rejects.toThrow(/^polymarket_data \/v2\/trades answered in an unknown shape: ok: .*boolean/)
    expect(seen).toHaveLength(1)
  })

  test('an abort ends requests and waits', async () => {
    const aborter = new AbortController()
    const { url, seen } = await serve(() => aborter.abort(new Error('stopped by the operator')))
    const { http, slept } = client(url, { signal: aborter.signal })
    await expect(http(request, shape)).rejects.toThrow('stopped by the operator')
    await expect(http(request, shape)).rejects.toThrow('stopped by the operator')
    expect([seen.length, slept]).toEqual([1, []])
  })
})

test('a request has no more attempts than it allows, and its error the pause that the host asked for', async () => {
  const { url, seen } = await serve((_, response) => json(response, {}, 429, { 'retry-after': '60' }))
  const { http, slept } = client(url)
  const error = await failure(http({ ...request, attempts: 2 }, shape))
  // A caller that takes over a failure is not kept waiting either.
  expect({ attempts: error.attempts, pause_ms: error.pause_ms, slept }).toEqual({
    attempts: 1,
    pause_ms: 60_000,
    slept: [],
  })
  const down = await serve((_, response) => json(response, {}, 503))
  expect((await failure(client(down.url).http({ ...request, attempts: 2 }, shape))).attempts).toBe(2)
  expect([seen.length, down.seen.length]).toEqual([1, 2])
})

describe('stored replies', () => {
  test('final replies are seen by both listeners, headers and all; failures are not', async () => {
    const common: Reply[] = []
    const own: Reply[] = []
    const { url } = await serve((_, response, nth) => {
      if (nth === 1) json(response, {}, 500)
      else if (nth === 2) json(response, { ok: true }, 200, { 'x-simulated-world': 'seed 7' })
      else json(response, { error: 'gone' }, 404)
    })
    const { http } = client(url, { onReply: (reply) => void common.push(reply) })
    await http(request, shape, (reply) => void own.push(reply))
    await failure(http(request, shape))
    expect(common.map(({ status, body }) => [status, body])).toEqual([
      [200, '{"ok":true}'],
      [404, '{"error":"gone"}'],
    ])
    expect(own).toEqual([common[0]])
    expect(own[0]).toMatchObject({ host: 'polymarket_data', path: '/v2/trades', query: 'a=x+y&b=2' })
    expect(own[0]?.headers['x-simulated-world']).toBe('seed 7')
  })

  test('are answered in their order, and what was not stored is an error', async () => {
    const counter = z.object({ n: z.number() })
    const { url } = await serve((_, response, nth) => {
      if (nth === 3) json(response, { error: 'gone' }, 404)
      else json(response, { n: nth })
    })
    const replies: Reply[] = []
    const { http } = client(url, { onReply: (reply) => void replies.push(reply) })
    const gone = { ...request, path: '/gone' }
    const ask = async (get: typeof http) => {
      const first = await get(request, counter)
      const second = await get({ ...request, query: { a: 'x y', b: 2 } }, counter)
      return [first, second, (await failure(get(gone, counter))).message]
    }
    const seen = await ask(http)
    const get = replayHttp(replies.map(({ host, path, query, status, body }) => ({ host, path, query, status, body })))
    expect(await ask(get)).toEqual(seen)
    await expect(get(request, counter)).rejects.toThrow('polymarket_data /v2/trades?a=x+y&b=2: no stored response')
  })
})
