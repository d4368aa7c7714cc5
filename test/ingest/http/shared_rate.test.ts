import { expect, test } from 'vitest'
import { z } from 'zod'

import { tinyHost } from '#test/ingest/tiny.ts'

import { client, json, serve } from './server.ts'

const shape = z.object({ ok: z.boolean() })

test('the rates of a host are divided by the number of processes that share them, but those of a simulated world', async () => {
  const { url } = await serve((_, response) => json(response, { ok: true }))
  const host = { ...tinyHost, url, requestsPer10s: 100, routes: { '/slow': 10 }, concurrency: 50 }
  const hosts = { real: { ...host, name: 'real', provider: 'node' }, sim: { ...host, name: 'sim', world: '7' } }
  const named: string[] = []
  let n_shares = 2
  const share = async (name: string) => {
    named.push(name)
    return n_shares
  }
  const { http, now, wait } = client(url, { hosts, share })
  const takes = async (name: string, n: number, path = '/') => {
    wait(60_000)
    const start = now()
    await Promise.all(Array.from({ length: n }, () => http({ host: name, path }, shape)))
    return now() - start
  }
  expect(await takes('real', 50)).toBeCloseTo(8_800)
  expect(await takes('real', 3, '/slow')).toBeCloseTo(3_000)
  n_shares = 1
  expect(await takes('real', 50)).toBeCloseTo(3_900)
  expect(new Set(named)).toEqual(new Set(['node']))
  n_shares = 5
  expect(await takes('sim', 50)).toBeCloseTo(3_900)
})
