import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

import { createRateLimiter } from '#ingest/http/rate_limiter.ts'
import { tinyHost } from '#test/ingest/tiny.ts'
import { until } from '#test/run/eventually.ts'
import { machineTimers } from '#time.ts'

import { client, json, serve } from './server.ts'

const shape = z.object({ ok: z.boolean() })
const request = { host: 'polymarket_data', path: '/v2/trades', query: {} } as const

describe('the limits of a host', () => {
  test('hold for all requests together, after a second’s worth at once', async () => {
    const { url } = await serve((_, response) => json(response, { ok: true }))
    const { http, now } = client(url, { requestsPer10s: 100, concurrency: 50 })
    const start = now()
    const at = await Promise.all(Array.from({ length: 150 }, () => http(request, shape).then(() => now() - start)))
    expect(at).toHaveLength(150)
    // 149 steps of 100 ms, less the second that may be used at once.
    expect(now() - start).toBeCloseTo(13_900)
  })

  test('of a route hold besides those of the host', async () => {
    const { url } = await serve((_, response) => json(response, { ok: true }))
    const { http, now } = client(url, { requestsPer10s: 100, routes: { '/v2/': 10 }, concurrency: 50 })
    const start = now()
    await Promise.all(Array.from({ length: 50 }, () => http({ ...request, path: '/other' }, shape)))
    expect(now() - start).toBeLessThan(5_000)
    await Promise.all(Array.from({ length: 11 }, () => http(request, shape)))
    expect(now() - start).toBeGreaterThan(8_999)
  })

  test('hold for all hosts of a provider together', async () => {
    const { url } = await serve((_, response) => json(response, { ok: true }))
    const host = { ...tinyHost, url, requestsPer10s: 100, concurrency: 50, provider: 'node.example' }
    const hosts = { a: { ...host, name: 'a' }, b: { ...host, name: 'b' }, c: { ...host, name: 'c', provider: 'c' } }
    const { http, now } = client(url, { hosts })
    const start = now()
    const ask = (name: string, n: number) =>
      Promise.all(Array.from({ length: n }, () => http({ host: name, path: '/' }, shape)))
    await Promise.all([ask('a', 50), ask('b', 50)])
    expect(now() - start).toBeCloseTo(8_900)
    await ask('c', 11)
    expect(now() - start).toBeCloseTo(8_900)
  })

  test('hold no request back once the clock of the machine is set back', async () => {
    const sleep = vi.fn<typeof machineTimers.sleep>()
    const limiter = createRateLimiter({ requestsPer10s: 100, concurrency: 1 }, { ...machineTimers, sleep })
    await limiter.run(async () => undefined)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
    try {
      await limiter.run(async () => undefined)
      expect(sleep).not.toHaveBeenCalled()
    } finally {
      clock.mockRestore()
    }
  })

  test('no more run at once than it allows', async () => {
    let running = 0
    let most = 0
    const answer = async (response: ServerResponse) => {
      running += 1
      most = Math.max(most, running)
      // The first requests wait for each other, however long a busy machine takes to send them.
      await until(() => most >= 3, 5)
      await sleep(5)
      running -= 1
      json(response, { ok: true })
    }
    const { url } = await serve((_, response) => void answer(response))
    const { http } = client(url, { concurrency: 3 })
    // Each asks again when it was answered, while others still wait.
    const askThrice = async () => {
      for (let n = 0; n < 3; n += 1) await http(request, shape)
    }
    await Promise.all(Array.from({ length: 8 }, askThrice))
    expect(most).toBe(3)
  })
})
