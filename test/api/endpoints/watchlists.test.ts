import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findKey } from '#accounts/keys.ts'
import { followingOf } from '#accounts/profile.ts'
import { showAddress } from '#api/contract/address.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

const owner = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'
const solana = 'So11111111111111111111111111111111111111112'
const condition = `0x${'ab'.repeat(32)}`

let service: Service
beforeAll(async () => {
  service = await startService({ isEmpty: true, rateFactor: 1_000 })
})
afterAll(() => service.stop())

type Tier = keyof Service['keys']
const headersOf = (tier: Tier, more: Record<string, string> = {}) => ({
  authorization: `Bearer ${service.keys[tier]}`,
  'content-type': 'application/json',
  ...more,
})
const post = (body: unknown, tier: Tier = 'pro', more: Record<string, string> = {}) =>
  service.ask('/v1/watchlists', { method: 'POST', headers: headersOf(tier, more), body: JSON.stringify(body) })
const list = (tier: Tier = 'pro', more: Record<string, string> = {}) =>
  service.ask('/v1/watchlists', { headers: headersOf(tier, more) })
const remove = (id: string, tier: Tier = 'pro', more: Record<string, string> = {}) =>
  service.ask(`/v1/watchlists?id=${id}`, { method: 'DELETE', headers: headersOf(tier, more) })
const error = ({ status, json }: Reply) => [status, json['error'], json['message']]
const clear = async (tier: Tier = 'pro') => {
  for (const { id } of (await list(tier)).items) await remove(String(id), tier)
}

test('a created watchlist is listed as it was answered, with its Location, and is gone once deleted', async () => {
  const created = await post({ name: '  My wallets ', type: 'wallets', items: [owner.toLowerCase(), solana, owner] })
  const { id } = created.json
  expect(created.status).toBe(201)
  expect(created.json).toEqual({
    id,
    name: 'My wallets',
    type: 'wallets',
    items: [owner, solana],
    created_at: '2026-03-01T12:01:00.000Z',
  })
  expect(String(id)).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(created.headers).toMatchObject({ location: `/v1/watchlists?id=${String(id)}`, 'cache-control': 'no-store' })
  const listed = await list()
  expect(listed.items).toEqual([created.json])
  expect(listed.headers['cache-control']).toBe('no-store')
  expect(listed.headers).not.toHaveProperty('etag')
  const gone = await service.ask(created.headers.location ?? '', { method: 'DELETE', headers: headersOf('pro') })
  expect([gone.status, gone.json]).toEqual([200, { deleted: true, id }])
  expect((await list()).items).toEqual([])
  expect(error(await remove(String(id)))[0]).toBe(404)
})

test('lists are ordered by creation, the newest first', async () => {
  const ids = []
  for (const name of ['first', 'second', 'third']) {
    service.clock.at += 1_000
    ids.unshift((await post({ name, type: 'assets', items: ['btc'] })).json['id'])
  }
  expect((await list()).items.map(({ id }) => id)).toEqual(ids)
  await clear()
})

test('every item that is accepted is served in one spelling, once, in the order of its first occurrence', async () => {
  const hex = fc.stringMatching(/^[\da-f]{40}$/)
  const evm = hex.chain((digits) => {
    const key = `0x${digits}`
    return fc
      .constantFrom(key, `0x${digits.toUpperCase()}`, key.toUpperCase(), showAddress(key))
      .map((text) => [text, showAddress(key)])
  })
  const symbol = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/).map((text) => [text, text.toUpperCase()])
  const market = fc.oneof(
    fc
      .stringMatching(/^0[xX](?:[\da-fA-F]{64}|[\da-fA-F]{62})$/)
      .map((id) => [`polymarket:${id}`, `polymarket:${id.toLowerCase()}`]),
    fc.stringMatching(/^[A-Za-z][\w.-]{0,40}$/).map((id) => [`kalshi:${id}`, `kalshi:${id.toUpperCase()}`]),
    fc.stringMatching(/^[a-z][a-z\d-]{0,40}$/).map((id) => [`limitless:${id}`, `limitless:${id}`]),
  )
  const lists = fc.oneof(
    fc.record({ type: fc.constant('wallets'), of: fc.array(evm, { minLength: 1, maxLength: 9 }) }),
    fc.record({ type: fc.constant('assets'), of: fc.array(symbol, { minLength: 1, maxLength: 9 }) }),
    fc.record({ type: fc.constant('markets'), of: fc.array(market, { minLength: 1, maxLength: 9 }) }),
  )
  await fc.assert(
    fc.asyncProperty(lists, fc.nat(), async ({ type, of }, seed) => {
      const again = of[seed % of.length] ?? []
      const given = [...of, again]
      const { status, json } = await post({ name: 'x', type, items: given.map(([text]) => text) })
      expect(status).toBe(201)
      expect(json['items']).toEqual([...new Set(given.map(([, shown]) => shown))])
      expect((await list()).items).toEqual([json])
      await remove(String(json['id']))
    }),
    { numRuns: 60 },
  )
})

const good = { name: 'x', type: 'wallets', items: [owner] }
const nameForm = 'expected 1 to 100 characters of text, without control characters or controls of direction.'
const itemsForm = 'expected an array of 1 to 500 texts.'

describe('a request is refused', () => {
  const mixed = `${owner.slice(0, -1)}E`
  test.each<[string, unknown, string]>([
    ['no fields', {}, `name: missing; ${nameForm}`],
    ['an array', [], 'body: invalid value []; expected'],
    ['an unknown field', { ...good, account_id: 'x' }, 'body: unknown field "account_id"; expected name, type, items.'],
    ['a prototype', JSON.parse('{"__proto__":{},"name":"x","type":"assets","items":["A"]}'), 'body: unknown field'],
    ['an empty name', { ...good, name: ' \t ' }, `name: invalid value " \\t "; ${nameForm}`],
    ['a long name', { ...good, name: 'x'.repeat(101) }, `; ${nameForm}`],
    ['NUL in the name', { ...good, name: 'a\0b' }, `name: invalid value "a\\u0000b"; ${nameForm}`],
    ['a direction', { ...good, name: 'a\u202eb' }, `; ${nameForm}`],
    ['half a character', { ...good, name: 'a\ud800' }, `name: invalid value "a\\ud800"; ${nameForm}`],
    ['a number as name', { ...good, name: 7 }, `name: invalid value 7; ${nameForm}`],
    [
      'another type',
      { ...good, type: 'wallet' },
      'type: invalid value "wallet"; expected one of wallets, assets, markets',
    ],
    ['no items', { ...good, items: [] }, `items: invalid value []; ${itemsForm}`],
    ['501 items', { ...good, type: 'assets', items: Array(501).fill('BTC') }, `; ${itemsForm}`],
    ['items as a text', { ...good, items: owner }, `; ${itemsForm}`],
    ['a number as item', { ...good, items: [owner, 7] }, 'items.1: invalid value 7; expected a text.'],
    ['a wrong checksum', { ...good, items: [mixed] }, `items.0: invalid value "${mixed}"; expected an EVM address`],
    ['a short address', { ...good, items: [owner, '0x12'] }, 'items.1: invalid value "0x12"; expected an EVM address'],
    ['Solana of 31 bytes', { ...good, items: ['1'.repeat(31)] }, 'items.0: invalid value'],
    [
      'a symbol with a space',
      { ...good, type: 'assets', items: ['B TC'] },
      'items.0: invalid value "B TC"; expected an asset',
    ],
    ['a symbol of other letters', { ...good, type: 'assets', items: ['ВТС'] }, 'items.0: invalid value'],
    ['an address as asset', { ...good, type: 'assets', items: [owner] }, 'items.0: invalid value'],
    [
      'another venue',
      { ...good, type: 'markets', items: ['manifold:x'] },
      'items.0: invalid value "manifold:x"; expected a market',
    ],
    ['a name of a prototype', { ...good, type: 'markets', items: ['constructor:x'] }, 'items.0: invalid value'],
    ['a market without a venue', { ...good, type: 'markets', items: [condition] }, 'items.0: invalid value'],
    ['a short condition', { ...good, type: 'markets', items: ['polymarket:0x12'] }, 'items.0: invalid value'],
    [
      'a condition of 63 digits',
      { ...good, type: 'markets', items: [`polymarket:${condition.slice(0, -1)}`] },
      'items.0: invalid value',
    ],
    ['a path as slug', { ...good, type: 'markets', items: ['limitless:../x'] }, 'items.0: invalid value'],
    [
      'SQL as ticker',
      { ...good, type: 'markets', items: ["kalshi:x'; drop table watchlists; --"] },
      'items.0: invalid value',
    ],
  ])('%s', async (_name, body, message) => {
    const reply = await post(body)
    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request'])
    expect(reply.json['message']).toContain(message)
    expect(reply.text.length).toBeLessThan(600)
    expect((await list()).items).toEqual([])
  })

  test('whatever the items are: no text is an error of the server, and nothing of a refused body is stored', async () => {
    const items = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.anything(), fc.constant(owner)), { maxLength: 5 })
    const types = fc.constantFrom('wallets', 'assets', 'markets')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), types, items, async (name, type, of) => {
        const { status, json } = await post({ name, type, items: of })
        expect([201, 400]).toContain(status)
        if (status === 201) await remove(String(json['id']))
        expect((await list()).items).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    ['', 'id: missing; expected the id of a watchlist.'],
    ['?id=', 'id: empty; expected the id of a watchlist.'],
    ['?id=%00', 'id: invalid value "\\u0000"; expected the id of a watchlist.'],
    ['?id=a&id=b', 'id: given more than once; expected one value.'],
  ])('a deletion with the query %j', async (query, message) => {
    const reply = await service.ask(`/v1/watchlists${query}`, { method: 'DELETE', headers: headersOf('pro') })
    expect(error(reply)).toEqual([400, 'invalid_request', message])
  })
})

test('a watchlist of another account and one that never was get the same response, and stay', async () => {
  const { json } = await post(good, 'enterprise')
  const of = ({ status, json: body, headers }: Reply) => [status, body, Object.keys(headers).toSorted()]
  const foreign = await remove(String(json['id']))
  const unknown = await remove('0f5d1c52-6a43-4d0e-9a2c-7d3f0b1f6f4e')
  expect(of(foreign)).toEqual(of(unknown))
  expect(foreign.status).toBe(404)
  expect((await list()).text).not.toContain(String(json['id']))
  expect((await list('enterprise')).items).toEqual([json])
  await clear('enterprise')
})

test('of 50 requests at once a free account gets five watchlists, and a place again after a deletion', async () => {
  const replies = await Promise.all(Array.from({ length: 50 }, () => post(good, 'free')))
  const made = replies.filter(({ status }) => status === 201)
  const refused = replies.filter(({ status }) => status !== 201)
  expect(made).toHaveLength(5)
  const message = 'watchlists: the 5 of the tier "free" are in use; expected fewer: delete a watchlist first.'
  for (const reply of refused) expect(error(reply)).toEqual([409, 'limit_reached', message])
  expect((await list('free')).items).toHaveLength(5)
  await remove(String(made[0]?.json['id']), 'free')
  expect((await post(good, 'free')).status).toBe(201)
  expect((await post(good, 'free')).status).toBe(409)
  await clear('free')
})

test('a repeated idempotency key returns the first response; at the limit it stays free', async () => {
  const key = { 'idempotency-key': 'one' }
  const [first, second] = [await post(good, 'free', key), await post(good, 'free', key)]
  expect(second.text).toBe(first.text)
  expect([second.headers['idempotent-replayed'], second.headers.location]).toEqual(['true', first.headers.location])
  expect((await post({ ...good, name: 'y' }, 'free', key)).status).toBe(422)
  while ((await post(good, 'free')).status === 201);
  const later = { 'idempotency-key': 'later' }
  expect((await post(good, 'free', later)).status).toBe(409)
  await remove(String(first.json['id']), 'free')
  const created = await post(good, 'free', later)
  expect(created.status).toBe(201)
  await remove(String(created.json['id']), 'free')
  // The first response is returned although its watchlist is gone.
  expect((await post(good, 'free', later)).text).toBe(created.text)
  await clear('free')
})

test('CSV shows the items as a JSON array, and no name as a formula', async () => {
  await post({ name: '=cmd()', type: 'assets', items: ['BTC', 'ETH'] })
  const { text, headers } = await list('pro', { accept: 'text/csv' })
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, row] = text.split('\r\n')
  expect(head).toBe('id,name,type,items,created_at')
  expect(row).toContain(`,'=cmd(),assets,"[""BTC"",""ETH""]",2026-`)
  await clear()
})

test('the wallets of the lists are followed until no list has them', async () => {
  const caller = await findKey(service.accounts, service.keys.pro)
  const following = () => followingOf(service.accounts, caller?.account_id ?? '')
  const one = await post({ ...good, items: [owner, solana] })
  const two = await post({ ...good, items: [owner.toLowerCase()] })
  await post({ ...good, type: 'assets', items: ['BTC'] })
  expect(await following()).toEqual([owner.toLowerCase(), solana].toSorted())
  await remove(String(one.json['id']))
  expect(await following()).toEqual([owner.toLowerCase()])
  await remove(String(two.json['id']))
  expect(await following()).toEqual([])
  await clear()
})
