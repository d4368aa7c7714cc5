import { afterAll, beforeAll, expect, test } from 'vitest'

import type { PrivateEndpoint, WriteEndpoint } from '#api/contract/endpoint.ts'
import type { PrivateAnswer } from '#api/http/answer_private.ts'
import type { ResponseCache } from '#api/http/cache.ts'
import type { RequestKey } from '#api/http/request.ts'
import { startService, type Service } from '#test/api/service.ts'

const bodyBytes = 2_000
const cache_bytes = 3 * (bodyBytes + 2_212)

let service: Service
beforeAll(async () => {
  const question = 'x'.repeat(bodyBytes)
  service = await startService({ rows: { markets: [{ id: 'a', question }] }, cache_bytes })
})
afterAll(() => service.stop())

/** Asks for the market; the parameters differ, the answer does not. Says whether the answer came from the cache. */
const isHit = (query: string): Promise<boolean> => isCached(`/v1/pm-markets?${query}`)

const isCached = async (path: string): Promise<boolean> => {
  service.lines.length = 0
  await service.ask(path)
  await expect.poll(() => service.lines.length).toBe(1)
  return JSON.parse(service.lines[0] ?? '').isHit
}

test('the least recently used answer is removed at the limit of bytes', async () => {
  for (const limit of [1, 2, 3]) expect(await isHit(`limit=${limit}`)).toBe(false)
  expect(await isHit('limit=1')).toBe(true)
  expect(await isHit('limit=4')).toBe(false)
  expect([await isHit('limit=1'), await isHit('limit=3'), await isHit('limit=4')]).toEqual([true, true, true])
  expect(await isHit('limit=2')).toBe(false)
})

test('an answer of a moment ends in time also after the clock is set back', async () => {
  const path = '/v1/pm-wallet?address=0xdededededededededededededededededededede'
  const pass = (s: number) => void (service.clock.at += s * 1_000_000)
  expect([await isCached(path), await isCached(path)]).toEqual([false, true])
  pass(6)
  expect(await isCached(path)).toBe(false)
  pass(-3_600)
  expect(await isCached(path)).toBe(false)
})

test('an answer larger than the cache is sent and not stored', async () => {
  const large = await startService({
    rows: { markets: [{ id: 'a', question: 'x'.repeat(bodyBytes) }] },
    cache_bytes: 99,
  })
  for (let n = 0; n < 2; n++) expect((await large.ask('/v1/pm-markets')).items).toHaveLength(1)
  await expect.poll(() => large.lines.map((line) => JSON.parse(line).isHit)).toEqual([false, false])
  await large.stop()
})

test('a missing Accept is any type, and no other value is', async () => {
  const statusOf = async (accept: string) =>
    (await service.ask('/v1/pm-markets?limit=9', { headers: { accept } })).status
  expect(await isHit('limit=9')).toBe(false)
  expect(await statusOf('undefined')).toBe(406)
  expect(await statusOf('*/*')).toBe(200)
})

test('an endpoint or an answer of one account does not compile as a public one', () => {
  const cannot = (cache: ResponseCache, key: RequestKey, one: PrivateEndpoint, other: WriteEndpoint) => [
    // @ts-expect-error A private read is never cached or coalesced.
    () => cache.answer(one, key),
    // @ts-expect-error A write is never cached or coalesced.
    () => cache.answer(other, key),
    // @ts-expect-error The cache returns no answer of an account.
    (): PrivateAnswer | null => cache.cached(key),
  ]
  expect(cannot).toBeInstanceOf(Function)
})
