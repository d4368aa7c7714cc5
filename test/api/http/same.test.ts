import { gunzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { Endpoint } from '#api/contract/endpoint.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'
import { endpoints as ownEndpoints } from '#api/endpoints/index.ts'
import { plantedEndpoints } from '#test/api/planted.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const solana = '1'.repeat(32)
/** Paths of an endpoint, at most. */
const mostPaths = sized(6, 12, 67)
const isRead = ({ kind }: Endpoint) => kind === 'list' || kind === 'read'
/** A planted endpoint stands for its kind where no own one has its path. */
const planted = plantedEndpoints().filter(({ name }) => !ownEndpoints.some((own) => own.name === name))
const endpoints = [...ownEndpoints, ...planted].filter(isRead)

const ranges = ['30d', '90d', 'all']
const sorts = ['pnl', 'win_rate', 'clv']
const walletOf = (i: number) => `0x${String(i).padStart(40, '0')}`

let service: Service
let uncached: Awaited<ReturnType<Service['startUncached']>>
beforeAll(async () => {
  const markets = (from: number) =>
    Array.from({ length: 25 }, (_, i) => ({
      id: `polymarket:${from + i}`,
      question: `Is "${i}" = ${i}, or\n=not — не?`,
      volume: String(i % 7),
      platform: i % 3 === 0 ? 'kalshi' : 'polymarket',
    }))
  service = await startService({
    endpoints,
    readBalances: async () => ({ held: [], unread: [] }),
    cache_bytes: 100_000_000,
    rows: {
      markets: markets(0),
      closed: markets(100),
      momentum: [{ symbol: 'BTC' }, { symbol: 'ETH' }],
      feed: [{ id: 'sig_0', at: '2026-03-01 11:00:00', type: 'market' }],
      traders: ranges.flatMap((range) =>
        sorts.flatMap((sort) => Array.from({ length: 30 }, (_, i) => ({ range, sort, wallet: walletOf(i) }))),
      ),
      wallets: [{ address: owner, is_complete: false, unlisted_reason: 'sold "unseen" shares' }],
    },
  })
  uncached = await service.startUncached()
})
afterAll(async () => {
  await uncached.stop()
  await service.stop()
})

/** The values of a parameter to try, of those that its schema accepts. */
const valuesOf = (name: string, schema: z.ZodType): (string | undefined)[] =>
  candidatesOf(name, schema).filter((value) => schema.safeParse(value).success)

/** Each word of a choice, some limits, ids of signals and of markets, addresses in several spellings. */
const candidatesOf = (name: string, schema: z.ZodType): (string | undefined)[] => {
  if (name === 'limit') return [undefined, '1', '007', '1000']
  if (name === 'cursor') return [undefined]
  if (name === 'id') return [undefined, 'sig_0', 'sig_none', marketExample]
  if (name === 'symbol') return ['BTC', 'NONE']
  if (name === 'since') return [undefined, '2026-01-01T00:00:00Z']
  if (name === 'assets') return [undefined, 'BTC,ETH']
  if (name === 'chain') return [undefined, 'base', '8453']
  if (name === 'address') return [owner, owner.toUpperCase().replace('0X', '0x'), walletOf(3), solana]
  const { enum: words = [] } = z
    .object({ enum: z.array(z.string()).optional() })
    .parse(z.toJSONSchema(schema, { io: 'input' }))
  return [undefined, ...words]
}

/** Every combination of the values of an endpoint's parameters. */
const pathsOf = ({ path, parameters }: Endpoint): string[] => {
  let queries: string[][] = [[]]
  for (const [name, schema] of Object.entries(parameters)) {
    const values = valuesOf(name, schema)
    queries = queries.flatMap((query) =>
      values.map((value) => (value === undefined ? query : [...query, `${name}=${value}`])),
    )
  }
  const isOfKind = (query: string[]) =>
    !(query.includes(`address=${solana}`) && query.some((one) => one.startsWith('chain=')))
  const fitting = queries.filter(isOfKind)
  // Of many combinations, some: each value is in several of them.
  const step = Math.ceil(fitting.length / mostPaths)
  return fitting
    .filter((_, i) => i % step === 0)
    .map((query) => `/v1${path}${query.length > 0 ? `?${query.join('&')}` : ''}`)
}

const spellings: Record<string, string>[] = [
  {},
  { accept: 'application/json' },
  { accept: 'text/csv, */*;q=0.1' },
  { 'accept-encoding': 'gzip, deflate, br' },
  { accept: 'text/csv, */*;q=0.1', 'accept-encoding': 'br;q=1, gzip;q=0.5' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"another"' },
]

/** All of a reply but the instant at which it was sent. */
const allOf = ({ status, raw, body }: Reply) => ({
  status,
  headers: raw.flatMap((name, i) => (i % 2 === 0 && name !== 'Date' ? [[name, raw[i + 1]]] : [])),
  body: body.toString('latin1'),
})

let n_compared = 0

/** Asks for an answer that is made anew and for the stored one, each as the first request of a minute. */
const compare = async (path: string, method: string, headers: Record<string, string>): Promise<Reply> => {
  const options = { method, headers: { 'x-request-id': 'the-same-request', ...headers } }
  service.clock.at += 60_000_000
  const miss = await uncached.ask(path, options)
  await service.ask(path, options)
  service.clock.at += 60_000_000
  const hit = await service.ask(path, options)
  expect(allOf(hit), `${method} ${path} ${JSON.stringify(headers)}`).toEqual(allOf(miss))
  // The answer of a wallet rests on a node too, and is not kept for a minute.
  if (!path.startsWith('/v1/wallet')) n_compared++
  return hit
}

describe('a stored answer and a new one are equal in every header and byte', () => {
  for (const endpoint of endpoints)
    test(endpoint.name, async () => {
      for (const path of pathsOf(endpoint)) {
        for (const [i, headers] of spellings.entries()) {
          // The methods take turns, so that each path and each spelling has both.
          await compare(path, (i + path.length) % 3 === 0 ? 'HEAD' : 'GET', headers)
        }
        const { headers } = await compare(path, 'GET', {})
        const next = /^<([^>]*)>/.exec(String(headers.link))?.[1]
        if (next !== undefined) await compare(next, 'GET', {})
        const known = await compare(path, 'GET', { 'if-none-match': headers.etag ?? '' })
        expect(known.status).toBe(304)
      }
    })

  test('and all of the repeated requests were answered from the cache', async () => {
    const hits = service.lines.map((line) => z.object({ isHit: z.boolean() }).parse(JSON.parse(line)).isHit)
    expect(hits.filter(Boolean).length).toBeGreaterThanOrEqual(n_compared)
    expect(n_compared).toBeGreaterThan(sized(100, 200, 1_000))
  })
})

test('a compressed answer has its own tag, and the bytes of the plain one inside', async () => {
  const path = '/v1/pm-markets?status=all'
  const plain = await service.ask(path)
  const packed = await service.ask(path, { headers: { 'accept-encoding': 'gzip' } })
  expect(plain.headers).not.toHaveProperty('content-encoding')
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.body)).toEqual(plain.body)
  expect(packed.body.byteLength).toBeLessThan(plain.body.byteLength / 3)
  expect(packed.headers.etag).not.toBe(plain.headers.etag)
  for (const { headers } of [plain, packed]) expect(headers.vary).toContain('Accept-Encoding')
  const small = await service.ask(`/v1/pm-wallet?address=${owner}`, { headers: { 'accept-encoding': 'gzip' } })
  expect(small.headers).not.toHaveProperty('content-encoding')
  expect(small.json).toHaveProperty('pm_profile')
})

test.each(['identity', 'gzip;q=0', 'br', ''])('an Accept-Encoding "%s" gets no gzip', async (encoding) => {
  const { status, headers } = await service.ask('/v1/pm-markets', { headers: { 'accept-encoding': encoding } })
  expect([status, headers['content-encoding']]).toEqual([200, undefined])
})
