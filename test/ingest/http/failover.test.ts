import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { ConfiguredHost } from '#ingest/http/host.ts'
import { replayHttp, type HttpError, type Reply } from '#ingest/http/http.ts'
import { tinyHost } from '#test/ingest/tiny.ts'

import { client, json, serve, type Handler } from './server.ts'

const shape = z.object({ from: z.string() })

/** Upstreams `first`, `second`, ... which answer as the handlers say, and a way to ask them in that order. */
async function upstreams(handlers: readonly Handler[], more: Partial<ConfiguredHost>[] = []) {
  const names = ['first', 'second', 'third'].slice(0, handlers.length)
  const served = await Promise.all(handlers.map((handler) => serve(handler)))
  const hosts = names.map((name, n) => ({ ...tinyHost, name, url: served[n]?.url ?? '', ...more[n] }))
  const replies: Reply[] = []
  const { http, slept, wait } = client('', {
    hosts: Object.fromEntries(hosts.map((host) => [host.name, host])),
    onReply: (reply) => void replies.push(reply),
  })
  const [first = tinyHost, ...rest] = hosts
  const request = { upstreams: [first, ...rest], path: '/head' } as const
  return {
    http,
    ask: () => http(request, shape).then(({ from }) => from),
    asked: () => served.map(({ seen }) => seen.length),
    request,
    replies,
    slept,
    wait,
  }
}

const fine =
  (from: string): Handler =>
  (_, response) =>
    json(response, { from })
const broken: Handler = (_, response) => json(response, {}, 503)

describe('upstreams in the order of preference', () => {
  test('are not tried after the first response', async () => {
    const { ask, asked, replies } = await upstreams([fine('a'), fine('b')])
    expect(await ask()).toBe('a')
    expect(asked()).toEqual([1, 0])
    expect(replies[0]?.asked).toEqual(['first'])
  })

  test('are skipped after three attempts; the response names the tried hosts', async () => {
    const { ask, asked, replies } = await upstreams([broken, broken, fine('c')])
    expect(await ask()).toBe('c')
    expect(asked()).toEqual([3, 3, 1])
    expect(replies).toMatchObject([{ host: 'third', asked: ['first', 'second', 'third'], sent: 7 }])
  })

  test.each([401, 402, 403])('are passed over at once when they turn the client away with a %i', async (status) => {
    const { ask, asked, replies } = await upstreams([(_, response) => json(response, {}, status), fine('b')])
    expect(await ask()).toBe('b')
    expect(asked()).toEqual([1, 1])
    expect(replies).toHaveLength(1)
  })

  test('are not skipped after a 404, which is final', async () => {
    const { ask, asked } = await upstreams([(_, response) => json(response, {}, 404), fine('b')])
    await expect(ask()).rejects.toThrow('first /head answered 404 (1 attempt)')
    expect(asked()).toEqual([1, 0])
  })

  test('are left alone while they ask for a pause', async () => {
    const busy: Handler = (_, response) => json(response, {}, 429, { 'retry-after': '60' })
    const { ask, asked, slept, wait } = await upstreams([busy, fine('b')])
    expect([await ask(), await ask()]).toEqual(['b', 'b'])
    expect([asked(), slept]).toEqual([[1, 2], []])
    wait(60_000)
    expect(await ask()).toBe('b')
    expect(asked()).toEqual([2, 3])
  })

  test('that all fail are an error that names them', async () => {
    const { ask } = await upstreams([broken, broken])
    const error = await ask().catch((thrown: unknown) => thrown)
    expect((error as HttpError).message).toMatch(/^second \/head answered 503 \(8 attempts, after first had failed\)/)
    expect((error as HttpError).asked).toEqual(['first', 'second'])
  })

  test('without their key get no requests', async () => {
    const secret = { setting: 'FIRST_KEY', doc: '', in: 'header', name: 'x', withoutKey: 'missing' } as const
    const { ask, asked, replies } = await upstreams([fine('a'), fine('b')], [{ secret }])
    expect(await ask()).toBe('b')
    expect(asked()).toEqual([0, 1])
    expect(replies[0]?.asked).toEqual(['second'])
  })

  test('are replayed in the order of the responses, from any host', async () => {
    let isDown = true
    const { ask, request, replies } = await upstreams([
      (message, response, nth) => (isDown ? broken : fine('a'))(message, response, nth),
      fine('b'),
    ])
    const seen = [await ask()]
    isDown = false
    seen.push(await ask())
    const get = replayHttp(replies)
    expect([await get(request, shape), await get(request, shape)].map(({ from }) => from)).toEqual(seen)
    expect(seen).toEqual(['b', 'a'])
  })
})

describe('a circuit', () => {
  test('opens after five failures, and a single request tries the host again after the pause', async () => {
    let isDown = true
    const { ask, asked, wait } = await upstreams([
      (message, response, nth) => (isDown ? broken : fine('a'))(message, response, nth),
      fine('b'),
    ])
    for (let n = 0; n < 5; n += 1) expect(await ask()).toBe('b')
    expect(asked()).toEqual([15, 5])
    expect([await ask(), await ask()]).toEqual(['b', 'b'])
    expect(asked()).toEqual([15, 7])

    wait(30_000)
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['b', 'b', 'b'])
    expect(asked()).toEqual([18, 10])

    isDown = false
    expect(await ask()).toBe('b')
    wait(30_000)
    expect(await ask()).toBe('a')
    expect(await Promise.all([ask(), ask()])).toEqual(['a', 'a'])
  })

  test('of every upstream open still allows requests', async () => {
    let isDown = true
    const handler: Handler = (message, response, nth) => (isDown ? broken : fine('x'))(message, response, nth)
    const { ask } = await upstreams([handler, handler])
    for (let n = 0; n < 5; n += 1) await expect(ask()).rejects.toThrow('answered 503')
    isDown = false
    expect(await ask()).toBe('x')
  })
})

test('a request that must not be sent twice is sent to one upstream alone', async () => {
  const { http, request, asked } = await upstreams([broken, fine('b')])
  await expect(http({ ...request, isIdempotent: false }, shape)).rejects.toThrow('first /head answered 503 (1 attempt)')
  expect(asked()).toEqual([1, 0])
})

test('an upstream that is not configured, as in a simulated world, is left out', async () => {
  const { http, request, asked } = await upstreams([fine('a')])
  const path = '/head'
  expect(await http({ upstreams: [{ name: 'absent' }, ...request.upstreams], path }, shape)).toEqual({ from: 'a' })
  expect(asked()).toEqual([1])
  await expect(http({ upstreams: [{ name: 'absent' }], path }, shape)).rejects.toThrow(
    'absent: no source declares this host; expected one of first',
  )
})
