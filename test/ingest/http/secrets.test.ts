import type { IncomingMessage, ServerResponse } from 'node:http'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { ConfiguredHost, Secret } from '#ingest/http/host.ts'
import { HttpError, type HttpOptions, type Reply } from '#ingest/http/http.ts'
import type { HttpRequest } from '#ingest/http/request.ts'
import { tinyHost } from '#test/ingest/tiny.ts'

import { bodyOf, client, json, serve } from './server.ts'

/** A key with characters that each encoding writes in its own way. */
const key = 'canary/Key+4711=&"x"'
const secret: Secret = { setting: 'TINY_KEY', doc: 'A key', in: 'header', name: 'x-key', withoutKey: 'missing' }
const { name } = tinyHost
const any = z.unknown()

const withKey = (url: string, host: Partial<ConfiguredHost>, options: Partial<HttpOptions> = {}) =>
  client(url, { hosts: { [name]: { ...tinyHost, secret, key, url, ...host } }, ...options })

const forms = [
  key,
  encodeURIComponent(key),
  encodeURIComponent(key).toLowerCase(),
  new URLSearchParams({ key }).toString(),
  JSON.stringify(key),
  JSON.stringify(key).replaceAll('/', String.raw`\/`),
  Buffer.from(key).toString('base64'),
]

describe('a key is sent', () => {
  const request: HttpRequest = { host: name, path: '/rows', method: 'POST', query: { b: 1 }, body: { id: 7 } }
  const sent = async (how: Partial<Secret>) => {
    const { url, seen } = await serve((message, response) => {
      void bodyOf(message).then((text) => json(response, { text: text.length }))
    })
    const replies: Reply[] = []
    const { http } = withKey(url, { secret: { ...secret, ...how } }, { onReply: (reply) => void replies.push(reply) })
    await http(request, any)
    expect(JSON.stringify(replies)).not.toContain('canary')
    expect(replies[0]).toMatchObject({ query: 'b=1', method: 'POST' })
    return { message: seen[0], reply: replies[0] }
  }

  test('as a header', async () => {
    const { message } = await sent({ prefix: 'Bearer ', name: 'authorization' })
    expect(message?.headers.authorization).toBe(`Bearer ${key}`)
  })

  test('as a parameter', async () => {
    const { message } = await sent({ in: 'query', name: 'apiKey' })
    expect(new URL(message?.url ?? '', 'http://x').searchParams.get('apiKey')).toBe(key)
  })

  test('as a field of the body, which stays out of the digest', async () => {
    const bodies: string[] = []
    const { url } = await serve((message, response) => {
      void bodyOf(message).then((text) => json(response, { n: bodies.push(text) }))
    })
    const digests: unknown[] = []
    const onReply = ({ digest }: Reply) => void digests.push(digest)
    await withKey(url, { secret: { ...secret, in: 'body', name: 'token' } }, { onReply }).http(request, any)
    await client(url, { onReply }).http(request, any)
    expect(bodies).toEqual([JSON.stringify({ id: 7, token: key }), '{"id":7}'])
    expect(digests[0]).toBe(digests[1])
  })
})

describe('a key that the upstream echoes', () => {
  const request: HttpRequest = { host: name, path: '/rows', as: 'text' }
  const assertClean = (text: string) => {
    for (const form of [...forms, 'canary', 'Key+4711', 'Key%2B4711']) expect(text).not.toContain(form)
  }

  test.each(forms)('as %s is removed from bodies, headers and what sources see', async (form) => {
    const replies: Reply[] = []
    const { url } = await serve((_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'x-echo': encodeURIComponent(key) }).end(`before ${form} after`)
    })
    const text = await withKey(url, {}, { onReply: (reply) => void replies.push(reply) }).http(request, z.string())
    expect(text).toMatch(/^before .*\[key removed\].* after$/)
    assertClean(text + JSON.stringify(replies))
  })

  test.each([401, 500])('is removed from the error of a %i', async (status) => {
    const { url } = await serve((_, response) => json(response, { error: `bad key ${key}` }, status))
    const error = await withKey(url, {})
      .http(request, any)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HttpError)
    const { message, body, stack } = error as HttpError
    expect(message).toContain('[key removed]')
    assertClean(message + body + stack)
  })

  test('and is cut off in the middle, is removed too', async () => {
    const { url } = await serve((_, response) => response.writeHead(400).end(`bad key ${key.slice(0, 9)}`))
    const error = await withKey(url, {})
      .http(request, any)
      .catch((thrown: unknown) => thrown)
    assertClean((error as Error).message)
  })
})

test('a key in an overridden address is removed, also where fetch cannot read the address', async () => {
  const inPath = 'canary0123456789abcdef'
  const { url } = await serve((message, response) => json(response, { error: `no route ${message.url}` }, 404))
  for (const address of [`${url}/v2/${inPath}`, `http://user:${inPath}@127.0.0.1:1`]) {
    const { http } = client(address, { limits: { attempts: 1 } })
    const error = await http({ host: name, path: '/rows' }, any).catch((thrown: unknown) => thrown)
    expect((error as Error).message).not.toContain(inPath)
    expect((error as Error).message).toContain('[key removed]')
  }
})

test('a host without its key gets no request, and the error names the setting', async () => {
  const { url, seen } = await serve((_, response) => json(response, {}))
  const { http } = client(url, { hosts: { [name]: { ...tinyHost, secret, url } } })
  await expect(http({ host: name, path: '/rows' }, any)).rejects.toThrow(
    `${name} /rows got no request: TINY_KEY is not set; expected a key (0 attempts)`,
  )
  expect(seen).toEqual([])
})
