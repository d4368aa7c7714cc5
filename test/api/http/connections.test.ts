import { Agent, request } from 'node:http'
import { connect } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'

import { exchange } from '#test/api/attack/raw.ts'
import { startService } from '#test/api/service.ts'
import { eventually, until } from '#test/run/eventually.ts'

/** Opens a connection and collects the text that the server sends. */
const open = (port: number, bytes: string) => {
  const socket = connect({ port, host: '127.0.0.1' })
  // Written before it is connected, so that no later write of a test comes first.
  socket.write(bytes)
  const state = { text: '', isClosed: false }
  socket.on('data', (chunk) => (state.text += chunk.toString()))
  socket.on('error', () => undefined)
  socket.on('close', () => (state.isClosed = true))
  return { socket, state }
}

const started = async (of: Parameters<typeof startService>[0] = {}) => {
  const service = await startService(of)
  onTestFinished(() => service.stop())
  return service
}

test('a service that ends resets none of 20 busy connections', async () => {
  const service = await startService({ rateFactor: 10_000 })
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const counts = { answered: 0, last: 0 }
  const ask = () =>
    new Promise<string | undefined>((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.keys.enterprise}` }
      const of = { port: service.port, host: '127.0.0.1', path: '/v1/pm-markets', headers, agent }
      const req = request(of, (res) => {
        res.resume().on('end', () => resolve(res.headers.connection))
      })
      req.on('error', reject).end()
    })
  const loop = async (): Promise<unknown> => {
    for (;;) {
      try {
        if ((await ask()) === 'close') counts.last++
        counts.answered++
      } catch (error) {
        return error
      }
    }
  }
  const loops = Array.from({ length: 20 }, loop)
  await until(() => counts.answered > 100)
  const ended = service.stop()
  // Each client learns of the end from an answer; its next connection finds no server.
  expect(await Promise.all(loops)).toEqual(
    Array.from({ length: 20 }, () => expect.objectContaining({ code: 'ECONNREFUSED' })),
  )
  expect(counts.last).toBe(20)
  await ended
})

test('CONNECT is answered with 405, and the connection ends', async () => {
  const { port } = await started()
  const [response, ...others] = await exchange(port, 'CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n')
  expect([response?.status, others]).toEqual([405, []])
  expect(response?.head).toContain('\r\nAllow: GET, ')
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ error: 'method_not_allowed' })
})

test('a chunked body of 1 MB on a read is refused as an announced one is', async () => {
  const { port, keys } = await started()
  const head = `GET /v1/pm-markets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys.pro}\r\n`
  const chunks = `8000\r\n${'x'.repeat(0x8000)}\r\n`.repeat(32)
  const { state } = open(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)
  await eventually(() => expect(state.text).toMatch(/^HTTP\/1\.1 413 /))
  const [small] = await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)
  expect(small?.status).toBe(200)
})

test('a client with its answer gets no 408 for a body that it does not complete', async () => {
  // Node counts the time from the connection on, and a busy machine reads the request late.
  const { port } = await started({ timeouts: { headers_ms: 4_000, request_ms: 4_000 } })
  const { state } = open(port, 'POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')
  await until(() => state.isClosed)
  expect(state.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401'])
})

test('OPTIONS of an unknown path is a 404; of a known one a 204 without a length, and counted', async () => {
  const service = await started()
  const optionsOf = (path: string) => service.ask(path, { method: 'OPTIONS' })
  for (const path of ['/nope', '/v1/nope']) expect((await optionsOf(path)).status, path).toBe(404)
  for (const path of ['/v1/pm-markets', '/healthz', '/mcp', '/api/keys']) {
    const { status, headers } = await optionsOf(path)
    expect([status, headers], path).toEqual([204, expect.not.objectContaining({ 'content-length': '0' })])
  }
  expect((await optionsOf('/api/auth/sign-out')).headers.allow).toBe('POST, OPTIONS')
  await eventually(async () => {
    const text = await service.registry.metrics()
    expect(text).toContain('tapeline_http_request_seconds_count{route="none",method="OPTIONS",status="204"} 5')
  })
})

test('a request whose client left is counted as aborted, without a status and a time', async () => {
  const service = await started()
  // The stream of signals has no end, so its answer is under way when the client leaves.
  const { socket: listener, state } = open(
    service.port,
    `GET /v1/feed HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${service.keys.pro}\r\n\r\n`,
  )
  await until(() => state.text.includes(' 200 '))
  listener.destroy()
  await eventually(async () => {
    const text = await service.registry.metrics()
    expect(text).toContain('tapeline_http_aborted_total{route="/feed",method="GET"} 1')
    expect(text).not.toContain('tapeline_http_request_seconds_count{route="/feed"')
  })
})

test('the description has a tag, and a client that has it gets a 304', async () => {
  const service = await started()
  const { headers } = await service.ask('/openapi.json')
  expect(headers.etag).toMatch(/^"[\w-]+"$/)
  const again = await service.ask('/openapi.json', { headers: { 'if-none-match': headers.etag ?? '' } })
  expect([again.status, again.text]).toEqual([304, ''])
})

test('connections beyond the limit are closed, the others are answered, and a place that is left is taken', async () => {
  const { port } = await started({ connections: 20 })
  const ask = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
  const held = Array.from({ length: 20 }, () => open(port, ask))
  await until(() => held.every(({ state }) => state.text.includes(' 200 ')))
  const refused = Array.from({ length: 30 }, () => open(port, ask))
  await until(() => refused.every(({ state }) => state.isClosed))
  expect(refused.map(({ state }) => state.text).join('')).toBe('')
  held[0]?.socket.write(ask)
  await until(() => held[0]?.state.text.match(/ 200 OK/g)?.length === 2)
  for (const { socket } of held.slice(1)) socket.destroy()
  await eventually(async () => expect((await exchange(port, ask)).map(({ status }) => status)).toEqual([200]))
})

test('the body of a write that does not end is answered with 408, and changes nothing', async () => {
  const service = await started({ timeouts: { headers_ms: 200, request_ms: 400 } })
  const key = `Authorization: Bearer ${service.keys.pro}`
  const head = `POST /v1/watchlists HTTP/1.1\r\nHost: a\r\n${key}\r\nContent-Type: application/json\r\n`
  const trickled = open(service.port, `${head}Content-Length: 9000\r\n\r\n{"name":`)
  const stalled = open(service.port, `${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"name":\r\n`)
  const bytes = setInterval(() => trickled.socket.writable && trickled.socket.write('1'), 50)
  onTestFinished(() => clearInterval(bytes))
  for (const { state } of [trickled, stalled]) {
    await until(() => state.isClosed)
    expect(state.text).toMatch(/^HTTP\/1\.1 408 /)
  }
  const { items } = await service.ask('/v1/watchlists', { headers: { authorization: `Bearer ${service.keys.pro}` } })
  expect(items).toEqual([])
})
