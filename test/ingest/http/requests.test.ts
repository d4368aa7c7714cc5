import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { replayHttp, type Reply } from '#ingest/http/http.ts'
import type { HttpRequest } from '#ingest/http/request.ts'
import { tinyHost } from '#test/ingest/tiny.ts'

import { bodyOf, client, json, serve } from './server.ts'

const { name: host } = tinyHost
const echo = z.object({ echo: z.string() })

/** A server that answers each POST with its body. */
const serveEcho = () =>
  serve((request, response) => {
    void bodyOf(request).then((text) => json(response, { echo: text }))
  })

const call = (params: readonly number[]): HttpRequest => ({
  host,
  path: '/rpc',
  method: 'POST',
  body: { params, method: 'blocks', id: 1 },
})

describe('a POST', () => {
  test('sends its body as JSON in one form, with its headers', async () => {
    const { url, seen } = await serveEcho()
    const { http } = client(url)
    expect(await http({ ...call([2, 1]), headers: { 'x-more': 'yes' } }, echo)).toEqual({
      echo: '{"id":1,"method":"blocks","params":[2,1]}',
    })
    expect(seen[0]?.method).toBe('POST')
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-more': 'yes' })
  })

  test('is retried, as a read is', async () => {
    const { url, seen } = await serve((_, response, nth) => json(response, { echo: 'x' }, nth < 3 ? 503 : 200))
    expect(await client(url).http(call([]), echo)).toEqual({ echo: 'x' })
    expect(seen).toHaveLength(3)
  })

  test('that must not be sent twice is not', async () => {
    const { url, seen } = await serve((_, response) => json(response, {}, 503))
    await expect(client(url).http({ ...call([]), isIdempotent: false }, echo)).rejects.toThrow(
      'answered 503 (1 attempt)',
    )
    expect(seen).toHaveLength(1)
  })

  test('is found again by its body, whatever the order of its fields', async () => {
    const { url } = await serveEcho()
    const replies: Reply[] = []
    const { http } = client(url, { onReply: (reply) => void replies.push(reply) })
    await http(call([1]), echo)
    await http(call([2]), echo)
    await http({ host, path: '/rpc', method: 'POST' }, echo)
    const get = replayHttp(replies)
    expect(await get({ ...call([]), body: { id: 1, params: [2], method: 'blocks' } }, echo)).toEqual({
      echo: '{"id":1,"method":"blocks","params":[2]}',
    })
    expect(await get(call([1]), echo)).toEqual({ echo: '{"id":1,"method":"blocks","params":[1]}' })
    expect(await get({ host, path: '/rpc', method: 'POST' }, echo)).toEqual({ echo: '' })
    await expect(get(call([3]), echo)).rejects.toThrow(/POST \/rpc\? [0-9a-f]{64}: no stored response/)
    await expect(get({ host, path: '/rpc' }, echo)).rejects.toThrow('/rpc?: no stored response')
  })
})

describe('text', () => {
  const page: HttpRequest = { host, path: '/page', as: 'text' }
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const cases: [string, string | undefined, Buffer][] = [
    ['its header', 'text/html; charset="ISO-8859-1"', latin1('<p>café</p>')],
    ['a meta element', 'text/html', latin1('<html><meta charset="windows-1252"><p>café</p>')],
    ['an older meta element', 'text/html', latin1('<meta http-equiv="x" content="text/html; charset=latin1"><p>café')],
    ['an XML declaration', undefined, latin1('<?xml version="1.0" encoding="ISO-8859-1"?><p>café</p>')],
    ['its byte order mark', 'text/html; charset=latin1', Buffer.from('\uFEFF<p>café</p>', 'utf16le')],
    ['nothing', 'text/html', Buffer.from('<p>café</p>')],
    ['an unknown name', 'text/html; charset=x-none', Buffer.from('<p>café</p>')],
  ]
  test.each(cases)('is read in the charset that %s says', async (_, type, bytes) => {
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(bytes)
    })
    const replies: Reply[] = []
    const { http } = client(url, { onReply: (reply) => void replies.push(reply) })
    const text = await http(page, z.string())
    expect(text).toContain('<p>café')
    expect(text).not.toContain('\uFEFF')
    expect(seen[0]?.headers.accept).toMatch(/^text\/html/)
    expect(await replayHttp(replies)(page, z.string())).toBe(text)
  })

  test('that has another shape is an error that names the route', async () => {
    const { url } = await serve((_, response) => response.writeHead(200).end('<html>Just a moment</html>'))
    const shape = z.string().regex(/<item>/, 'expected an item')
    await expect(client(url).http(page, shape)).rejects.toThrow(
      `${host} /page answered in an unknown shape: expected an item`,
    )
  })

  test('is held to the limits of size and time, and fails by its status', async () => {
    const { url } = await serve((_, response, nth) => {
      if (nth === 1) response.writeHead(200).end('x'.repeat(2_000))
      else if (nth === 2) response.writeHead(404).end('<p>none</p>')
      else response.writeHead(200).write('<p>')
    })
    const limits = { body_bytes: 1_000, attempts: 1 }
    const { http } = client(url, { limits })
    const { http: hasty } = client(url, { limits: { ...limits, timeout_ms: 100 } })
    await expect(http(page, z.string())).rejects.toThrow('answered with more than 1000 bytes')
    await expect(http(page, z.string())).rejects.toThrow('answered 404 (1 attempt): <p>none</p>')
    await expect(hasty(page, z.string())).rejects.toThrow('did not answer within 0.1 s')
  })
})

describe('a document', () => {
  const shape = z.object({
    text: z.string().nullable(),
    etag: z.string().nullable(),
    last_modified: z.string().nullable(),
  })
  const request: HttpRequest = { host, path: '/feed', as: 'document' }
  const versions = () =>
    serve(({ headers }, response) => {
      const etag = { etag: '"v1"', 'content-type': 'application/xml' }
      if (headers['if-none-match'] === '"v1"') response.writeHead(304, etag).end()
      else response.writeHead(200, etag).end('<feed/>')
    })

  test('has its validators, and no text if it has not changed', async () => {
    const { http } = client((await versions()).url)
    expect(await http(request, shape)).toEqual({ text: '<feed/>', etag: '"v1"', last_modified: null })
    expect(await http({ ...request, headers: { 'if-none-match': '"v1"' } }, shape)).toMatchObject({ text: null })
  })

  test('is read again from its stored responses, also an unchanged one', async () => {
    const replies: Reply[] = []
    const { http } = client((await versions()).url, { onReply: (reply) => void replies.push(reply) })
    await http(request, shape)
    await http({ ...request, headers: { 'if-none-match': '"v1"' } }, shape)
    const get = replayHttp(replies)
    expect([await get(request, shape), await get(request, shape)]).toMatchObject([{ text: '<feed/>' }, { text: null }])
  })

  test.each([301, 404])('with status %s is an error', async (status) => {
    const { url } = await serve((_, response) => response.writeHead(status).end())
    await expect(client(url).http(request, shape)).rejects.toThrow(`answered ${status}`)
  })

  test('that has not changed is an error for a request of another kind', async () => {
    const { url } = await serve((_, response) => response.writeHead(304).end())
    await expect(client(url).http({ ...request, as: 'text' }, z.string())).rejects.toThrow('answered 304')
  })
})
