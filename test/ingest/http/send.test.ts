import { brotliCompressSync, gzipSync } from 'node:zlib'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { client, json, serve } from './server.ts'

const shape = z.object({ text: z.string() })
const request = { host: 'polymarket_data', path: '/v2/trades' } as const
// Longer than a chunk of the network, of letters of several bytes.
const value = { text: 'Zürich, 東京, 🜁 '.repeat(20_000) }
const text = JSON.stringify(value)

describe('a compressed body', () => {
  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    // The checksum of the end is missing.
    ['gzip', gzipSync(text).subarray(0, -8)],
  ])('in %s is read', async (encoding, bytes) => {
    const { url, seen } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    )
    expect(await client(url).http(request, shape)).toEqual(value)
    expect(seen[0]?.headers['accept-encoding']).toBe('br, gzip')
  })

  test.each(['gzip', 'br'])('in %s of an answer without one is empty', async (encoding) => {
    const { url } = await serve((_, response) => response.writeHead(304, { 'content-encoding': encoding }).end())
    const document = await client(url).http({ ...request, as: 'document' }, z.unknown())
    expect(document).toEqual({ text: null, etag: null, last_modified: null })
  })

  test('that is broken, or whose connection breaks, is asked for again', async () => {
    const { url, seen } = await serve((_, response, nth) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': String(gzipSync(text).length) })
      if (nth === 1) response.end(Buffer.alloc(gzipSync(text).length, 1))
      else if (nth === 2) response.write(gzipSync(text).subarray(0, 500), () => response.destroy())
      else response.end(gzipSync(text))
    })
    expect(await client(url).http(request, shape)).toEqual(value)
    expect(seen).toHaveLength(3)
  })

  test('counts its length after it is decompressed', async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)),
    )
    const { http } = client(url, { limits: { body_bytes: gzipSync(text).length * 2 } })
    await expect(http(request, shape)).rejects.toThrow(/answered with more than \d+ bytes/)
  })
})

test('bodies of many requests at once, some of them large, are not mixed', async () => {
  const bodyOf = (nth: number): string =>
    JSON.stringify({ text: `${nth} ü`.repeat(nth % 5 === 0 ? 3_000_000 : 30_000) })
  const { url } = await serve((message, response) => response.end(bodyOf(Number(message.url?.split('=')[1]))))
  const { http } = client(url)
  const bodies = Array.from({ length: 12 }, (_, nth) => http({ ...request, query: { nth } }, shape))
  expect((await Promise.all(bodies)).every((one, nth) => JSON.stringify(one) === bodyOf(nth))).toBe(true)
})

test('a connection is kept for the next request', async () => {
  const { url, seen } = await serve((_, response) => json(response, { text: '' }))
  const { http } = client(url)
  await http(request, shape)
  await http({ ...request, method: 'POST', body: { a: 1 } }, shape)
  expect(seen[1]?.socket).toBe(seen[0]?.socket)
})

test('a repeated header is one text', async () => {
  const { url } = await serve((_, response) => json(response, { text: '' }, 200, { via: 'a' }))
  const repeated = await serve((_, response) => response.writeHead(200, ['via', 'a', 'via', 'b']).end('{"text":""}'))
  const seen: (string | undefined)[] = []
  for (const one of [url, repeated.url])
    await client(one, { onReply: ({ headers }) => void seen.push(headers['via']) }).http(request, shape)
  expect(seen).toEqual(['a', 'a, b'])
})

test('an error of all addresses of a host names their reasons', async () => {
  const { url, close } = await serve(() => {})
  await close()
  const { http } = client(url.replace('127.0.0.1', 'localhost'), { limits: { attempts: 1 } })
  await expect(http(request, shape)).rejects.toThrow(/could not be read: .*ECONNREFUSED/)
})

test('an address with a user gets no request', async () => {
  const { url, seen } = await serve((_, response) => json(response, { text: '' }))
  const { http } = client(url.replace('//', '//user:secret@'), { limits: { attempts: 1 } })
  await expect(http(request, shape)).rejects.toThrow('expected an address without them')
  expect(seen).toEqual([])
})
