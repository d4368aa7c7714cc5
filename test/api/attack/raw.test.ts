import { connect } from 'node:net'

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { statuses as documented } from '#api/contract/errors.ts'
import { eventually, until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'

import { hostileRequests, mutated, randomFrom, requestOf } from './hostile.ts'
import { exchange, type RawResponse } from './raw.ts'
import { startServed } from './served.ts'

const n_mutated = sized(600, 1_000, 6_000)

/** Its limits of time are the usual ones: a busy machine answers late, and must not be the slow client. */
let served: Awaited<ReturnType<typeof startServed>>
/** A service that gives slow clients up soon. */
let hasty: Awaited<ReturnType<typeof startServed>>
beforeAll(async () => {
  served = await startServed()
  hasty = await startServed({ timeouts: { headers_ms: 1_000, request_ms: 2_000, stalled_ms: 2_000 } })
})
afterAll(() => Promise.all([served.stop(), hasty.stop()]))

const errorShape = z.strictObject({ error: z.string(), message: z.string().min(10) })

/** The statuses of the parser beside those of the API: the request took too long, or its headers are too large. */
const known = new Set<number>([200, 204, 304, 408, 431, ...Object.values(documented)])

/** Expects that a response is documented: its status, and an error's code and text. */
const expectDocumented = ({ status, head, body }: RawResponse, of: string) => {
  expect(known, `${of}: ${head}`).toContain(status)
  expect(status, `${of}: ${body}`).toBeLessThan(500)
  if (status < 400) return
  expect(head, of).toMatch(/\r\ncontent-type: application\/json/i)
  const { error } = errorShape.parse(JSON.parse(body))
  expect(Object.keys(documented), of).toContain(error)
}

describe('a hostile request', () => {
  test('has a documented answer, and no request hides in it', async () => {
    const all = hostileRequests(served.keys.enterprise)
    const portOf = (statuses: readonly number[]): number => (statuses.includes(408) ? hasty : served).port
    const answered = await Promise.all(all.map(({ bytes, statuses }) => exchange(portOf(statuses), bytes)))
    for (const [i, { name, statuses }] of all.entries()) {
      const [first, ...others] = answered[i] ?? []
      if (!first) throw new Error(`${name}: no response`)
      for (const response of [first, ...others]) expectDocumented(response, name)
      expect(statuses, `${name}: ${first.head} ${first.body}`).toContain(first.status)
      // Bytes that a lenient parser would read as a second request get nothing but an error.
      for (const { status } of others) expect(status, name).toBeGreaterThanOrEqual(400)
    }
  })

  test(`of ${n_mutated} random mutations too`, async () => {
    const random = randomFrom(7)
    // Many mutations leave a request unfinished, so they end with the server's patience.
    const hastier = await startServed({ timeouts: { headers_ms: 200, request_ms: 400 } })
    onTestFinished(() => hastier.stop())
    const key = hastier.keys.enterprise
    const seeds = [
      requestOf({ key }),
      requestOf({ key, line: 'GET /v1/pm-traders?sort=pnl&range=30d&limit=3 HTTP/1.1', lines: ['Accept: text/csv'] }),
      requestOf({
        key,
        line: 'POST /v1/pm-wallet HTTP/1.1',
        lines: ['Transfer-Encoding: chunked'],
        body: '3\r\nabc\r\n0\r\n\r\n',
      }),
      requestOf({ key, line: 'HEAD /v1/nothing HTTP/1.1', lines: ['Content-Length: 3'], body: 'abc' }).replace(
        'HEAD',
        'GET',
      ),
      requestOf({ key, lines: ['If-None-Match: *', 'Accept-Encoding: gzip'] }),
    ]
    const runOne = async (i: number) => {
      const bytes = mutated(seeds[i % seeds.length] ?? '', random)
      // A mutation to HEAD would announce a body that does not come.
      if (bytes.includes('HEAD')) return
      for (const response of await exchange(hastier.port, bytes)) expectDocumented(response, JSON.stringify(bytes))
    }
    const at_once = 50
    for (let i = 0; i < n_mutated; i += at_once) {
      await Promise.all(Array.from({ length: at_once }, (_, k) => runOne(i + k)))
    }
    await eventually(async () => expect((await exchange(hastier.port, requestOf({ key })))[0]?.status).toBe(200))
  })

  test('that is pipelined is answered in its order, up to the first that is malformed', async () => {
    const key = served.keys.enterprise
    const good = requestOf({ key })
    const free = requestOf({ line: 'GET /v1/pm-markets HTTP/1.1' })
    const responses = await exchange(served.port, [good, free, good, 'NONSENSE\r\n\r\n', good].join(''), 4)
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 200, 400])
  })
})

describe('a slow client', () => {
  test('is answered with 408 and let go, whether it trickles headers or a body', async () => {
    const heads = [
      'GET /v1/pm-markets HTTP/1.1\r\nHost: localhost\r\n',
      'POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n',
    ]
    const all = Array.from({ length: sized(40, 80, 200) }, (_, i) => trickle(hasty.port, heads[i % heads.length] ?? ''))
    const texts = await Promise.all(all)
    for (const [i, text] of texts.entries()) expect(text, String(i)).toMatch(/^HTTP\/1\.1 (408|401) /)
    expect(texts.filter((text) => text.includes('408')).length).toBeGreaterThan(0)
  })

  test('that reads none of its responses is let go', async () => {
    await until(async () => (await hasty.used()).n_connections === 0)
    const socket = connect({ port: hasty.port, host: '127.0.0.1' })
    socket.pause()
    let [isClosed, n_bytes] = [false, 0]
    socket.on('close', () => (isClosed = true))
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => (n_bytes += chunk.byteLength))
    const n_requests = 40
    socket.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(n_requests))
    // Reading begins after the server has given up.
    await until(async () => (await hasty.used()).n_connections === 1)
    await until(async () => (await hasty.used()).n_connections === 0)
    socket.resume()
    await until(() => isClosed)
    const bundle = await fetch(`http://127.0.0.1:${hasty.port}/docs/swagger-ui-bundle.js`)
    expect(n_bytes).toBeLessThan(n_requests * (await bundle.arrayBuffer()).byteLength)
  })
})

/** Sends a beginning and then a byte at a time. Returns the bytes of the server once it has closed the connection. */
const trickle = (port: number, head: string): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    let timer: NodeJS.Timeout | undefined
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(head)
      timer = setInterval(() => socket.write('x'), 100)
    })
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      resolve(text)
    })
  })
