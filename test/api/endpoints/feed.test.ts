import { createHash, createHmac } from 'node:crypto'

import { afterAll, beforeAll, expect, test } from 'vitest'

import type { SignalRow } from '#test/api/feed_marts.ts'
import { startService, type Service } from '#test/api/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ rateFactor: 1_000 })
})
afterAll(() => service.stop())

const wallet = `0x${'12'.repeat(19)}ab`
const secretWords = ['Moonshot', 'BTC', '98,765', 'polymarket:0xfeed']
/** One signal of each type: three that need a higher tier than free, and one that does not. */
const rows: SignalRow[] = [
  {
    id: 'sig_AAAAAAAAAAAAAAAAAAAAAA',
    at: '2026-03-01 11:00:00',
    type: 'wallet',
    entity: wallet,
    summary: `${wallet} bought 98,765 USD of Yes in "Moonshot?"`,
    tier_required: 'pro',
    score: 90,
  },
  { id: 'sig_BBBBBBBBBBBBBBBBBBBBBB', at: '2026-03-01 11:30:00', type: 'signal', entity: 'BTC', tier_required: 'pro' },
  {
    id: 'sig_CCCCCCCCCCCCCCCCCCCCCC',
    at: '2026-03-01 10:00:00',
    type: 'market',
    entity: 'polymarket:0xfeed',
    tier_required: 'enterprise',
  },
  { id: 'sig_DDDDDDDDDDDDDDDDDDDDDD', at: '2026-03-01 09:00:00', type: 'social', entity: 'SOL', summary: 'SOL rises.' },
]
const as = (tier: 'free' | 'pro' | 'enterprise', more = {}) => ({
  headers: { authorization: `Bearer ${service.keys[tier]}`, ...more },
})

test('the feed is ranked, filtered by type and since, with the fields of a signal', async () => {
  await service.publish('fields', { feed: rows })
  const { items, status } = await service.ask('/v1/feed')
  expect(status).toBe(200)
  expect(items.map(({ type }) => type)).toEqual(['wallet', 'signal', 'market', 'social'])
  expect(items[3]).toEqual({
    id: 'sig_DDDDDDDDDDDDDDDDDDDDDD',
    type: 'social',
    entity: 'SOL',
    summary: 'SOL rises.',
    timestamp: '2026-03-01T09:00:00.000Z',
    tier_required: 'free',
  })
  const typesOf = async (query: string) => (await service.ask(`/v1/feed?${query}`)).items.map(({ type }) => type)
  expect(await typesOf('type=market')).toEqual(['market'])
  expect(await typesOf('since=2026-03-01T10:00:00Z')).toEqual(['wallet', 'signal'])
  expect(await typesOf('since=2026-03-01T13:00:00+02:00')).toEqual(['signal'])
  expect(await typesOf('since=2026-03-01T10:00:00.999999999Z&type=wallet')).toEqual(['wallet'])
})

test.each([
  'since=2026-03-01T10:00:00',
  'since=2026-03-01',
  'since=1772359200',
  'since=2026-02-30T10:00:00Z',
  'since=2026-03-01T24:00:00Z',
  'since=2026-03-01T10:00:60Z',
  'since=9999-12-31T23:00:00-23:00',
  'since=9999-12-31T23:59:59.999999999Z',
  'since=0000-01-01T00:00:00%2B10:00',
  'since=',
  'type=all',
  'type=',
])('%s is a 400 that shows the accepted form', async (query) => {
  const { status, json } = await service.ask(`/v1/feed?${query}`)
  expect(status).toBe(400)
  expect(String(json['message'])).toMatch(/expected (a full ISO 8601 instant with a zone, such as .*Z|one of wallet, )/)
})

test('a caller below the tier finds the detail nowhere: no field, header or format of any answer has it', async () => {
  await service.publish('locked', { feed: rows })
  const asked = ['', '?limit=2', '?type=wallet', '?since=2026-03-01T00:00:00Z', '?type=signal&limit=1']
  for (const accept of ['application/json', 'text/csv']) {
    for (const query of asked) {
      // A full answer is cached first.
      const full = await service.ask(`/v1/feed${query}`, { headers: { accept } })
      const { text, raw, headers } = await service.ask(`/v1/feed${query}`, as('free', { accept }))
      const everything = `${text} ${raw.join(' ')}`
      for (const word of [...secretWords, wallet, wallet.slice(6, 30)])
        expect(everything.toLowerCase()).not.toContain(word.toLowerCase())
      // Its tag is not that of the full answer, so `If-None-Match` reveals nothing of it.
      expect(headers['etag']).not.toBe(full.headers['etag'])
    }
  }
  const { items } = await service.ask('/v1/feed', as('free'))
  expect(items.map(({ entity, summary }) => [entity, summary])).toEqual([
    ['0x12…ab', 'A headline.'],
    ['asset', 'A headline.'],
    ['market', 'A headline.'],
    ['SOL', 'SOL rises.'],
  ])
  const pro = (await service.ask('/v1/feed', as('pro'))).items.map(({ entity }) => String(entity).toLowerCase())
  expect(pro).toEqual([wallet, 'btc', 'market', 'sol'])
})

test('no cursor gives the detail away, and pages of a tier stay its own', async () => {
  await service.publish('paged', { feed: rows })
  const first = await service.ask('/v1/feed?limit=1', as('free'))
  const next = /<([^>]*)>/.exec(String(first.headers['link']))?.[1] ?? ''
  const cursor = new URL(next, 'http://x').searchParams.get('cursor') ?? ''
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/BTC|0x12|sig_/)
  const second = await service.ask(next, as('free'))
  expect(second.items).toMatchObject([{ entity: 'asset', summary: 'A headline.' }])
  expect((await service.ask(next, as('pro'))).items).toMatchObject([{ entity: 'BTC' }])
})

test('ids are no hash of what they hide', async () => {
  const { feedRowOf } = await import('#signals/feed_row.ts')
  const candidate = {
    type: 'wallet' as const,
    entity: wallet,
    direction: 'entry',
    symbol: 'BTC',
    information: 6,
    confidence: 1,
    score: 70,
    is_published: true,
    chain: null,
    label: 'Yes',
    n_authors: null,
    expected: null,
    question: 'Moonshot?',
    usd: 98_765,
    price: 0.5,
    before_price: null,
    evidence: [],
  }
  const of = (secret: Buffer) => feedRowOf(candidate, { secret, tick_at: 1, published_at: 2_000 })
  const { id, headline } = of(Buffer.alloc(32, 1))
  expect(of(Buffer.alloc(32, 1)).id).toBe(id)
  expect(of(Buffer.alloc(32, 2)).id).not.toBe(id)
  for (const word of [...secretWords, wallet]) expect(headline).not.toContain(word)
  // A caller who knows all inputs but the secret cannot confirm an entity: no plain digest of them gives the id.
  const parts = [wallet, 'wallet', 'entry', 1, 2, 2_000]
  const inputs = [
    JSON.stringify(['wallet', wallet, 'entry', 1]),
    JSON.stringify(['wallet', wallet, 'entry', 2_000]),
    ...parts.map(String),
    parts.join(''),
    parts.join(' '),
    parts.join('\0'),
  ]
  const digests = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) =>
    inputs.flatMap((input) =>
      (['base64url', 'hex'] as const).flatMap((form) => [
        createHash(name).update(input).digest(form),
        // Keys that an attacker guesses.
        ...['', 'secret', 'tapeline', wallet, '\0'.repeat(32)].map((key) =>
          createHmac(name, key).update(input).digest(form),
        ),
      ]),
    ),
  )
  for (const digest of digests) expect(digest.includes(id.slice(4, 12))).toBe(false)
})
