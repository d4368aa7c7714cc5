import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createAlert } from '#accounts/alerts/alerts.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import { createWatchlist } from '#accounts/watchlists/watchlists.ts'
import type { Endpoint } from '#api/contract/endpoint.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { linkChat } from '#test/api/alerts/linked.ts'
import { plantedEndpoints, type Gate } from '#test/api/planted.ts'
import { requiredQuery } from '#test/api/required_query.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

/** Opens when both accounts are inside an endpoint, so that their requests are under way at the same moment. */
const gate: Gate & { expects: number } = {
  expects: 0,
  wait: async () => {
    inside++
    // Bounded, so that a shared answer fails an assertion and not the time limit.
    for (let n = 0; n < 1_000 && inside < gate.expects; n++) await new Promise((go) => setTimeout(go, 1))
  },
}
let inside = 0

const planted = plantedEndpoints(gate)
type Account = { id: string; key: string; secret: string }

let services: { real: Service; planted: Service }
let accounts: { real: Account[]; planted: Account[] }

const openAccount = async (service: Service, secret: string): Promise<Account> => {
  const key = await createKey(service.accounts, { tier: 'pro', now: service.clock.at })
  return { id: (await findKey(service.accounts, key))?.account_id ?? '', key, secret }
}

beforeAll(async () => {
  const rows = {
    markets: [{ id: 'polymarket:1' }],
    feed: [{ id: 'sig_0', at: '2026-03-01 11:00:00', type: 'market' as const }],
    traders: [{ wallet: owner }],
    wallets: [{ address: owner, markets_traded: 3 }],
  }
  const limits = { rateFactor: 10 }
  services = {
    real: await startService({ rows, ...limits }),
    planted: await startService({ rows, endpoints: planted, ...limits }),
  }
  const pair = async (service: Service) => [
    await openAccount(service, 'alpha-private-note'),
    await openAccount(service, 'beta-private-note'),
  ]
  accounts = { real: await pair(services.real), planted: await pair(services.planted) }
  for (const [n, { key }] of accounts.real.entries()) await linkChat(services.real.accounts, key, n)
  // Each account owns a note; the number of requests differs, so that the rate limits of the accounts differ.
  for (const [n, account] of accounts.planted.entries()) {
    for (let i = 0; i <= n * 5; i++) await ask(planted, account, 'POST /alerts')
  }
})
afterAll(async () => {
  await services.real.stop()
  await services.planted.stop()
})

const ask = async (
  of: readonly Endpoint[],
  account: Account,
  name: string,
  headers: Record<string, string> = {},
): Promise<Reply> => {
  const service = of === planted ? services.planted : services.real
  const [method = '', path = ''] = name.split(' ')
  const id =
    method === 'DELETE' ? await idToDelete(of === planted ? 'none' : path, account, headers['idempotency-key']) : ''
  const endpoint = of.find((one) => one.name === name)
  const query = id !== '' ? `?id=${id}` : endpoint === undefined ? '' : requiredQuery(endpoint)
  const { secret } = account
  const bodies: Record<string, object> = {
    '/watchlists': { name: secret, type: 'wallets', items: [owner] },
    '/alerts': { type: 'signal', entity: secret },
    '/chat': { query: 'Show my watchlists' },
  }
  const fields = of === planted ? { text: secret } : (bodies[path] ?? { text: secret })
  const body = method === 'POST' ? JSON.stringify(fields) : undefined
  return service.ask(`/v1${path}${query}`, {
    method,
    headers: {
      authorization: `Bearer ${account.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
}

const ids = new Map<string, string>()
/** The id of a new watchlist or alert; of the same one for a repeated idempotency key. Other paths have no objects. */
const idToDelete = async (path: string, { id: account_id, secret }: Account, key?: string): Promise<string> => {
  if (path === 'none') return 'none'
  const known = ids.get(`${path} ${account_id} ${key}`)
  if (key !== undefined && known !== undefined) return known
  const row = { account_id, name: secret, type: 'assets' as const, items: ['BTC'], addresses: [], most: 50, now: 0 }
  const state = { is_armed: true, baseline: null, seen_at: 0 }
  const alert = {
    account_id,
    type: 'signal' as const,
    entity: '*',
    address: null,
    threshold: {},
    state,
    most: 50,
    now: 0,
  }
  const made = await services.real.accounts
    .transaction()
    .execute(async (db) => (path === '/alerts' ? createAlert(db, alert) : createWatchlist(db, row)))
  const id = made !== null && typeof made === 'object' ? made.id : 'none'
  ids.set(`${path} ${account_id} ${key}`, id)
  return id
}

const everything = ({ raw, body }: Reply): string => `${raw.join('\n')}\n${body.toString('latin1')}`

/** The id, key and data of one account are in no byte of the other's response. */
const expectApart = (replies: readonly Reply[], [a, b]: readonly Account[]) => {
  const [ofA, ofB] = replies.map(everything)
  for (const text of [b?.id, b?.key, b?.secret]) expect(ofA).not.toContain(text)
  for (const text of [a?.id, a?.key, a?.secret]) expect(ofB).not.toContain(text)
  const ids = replies.map(({ headers }) => headers['x-request-id'])
  expect(new Set(ids).size).toBe(ids.length)
}

const left = ({ headers }: Reply): number => Number(/r=(\d+)/.exec(String(headers['ratelimit']))?.[1])

const cases = [
  ...endpoints.map((endpoint) => ({ of: endpoints, endpoint })),
  ...planted.map((endpoint) => ({ of: planted, endpoint })),
].map(({ of, endpoint }) => ({ of, endpoint, name: endpoint.name, kind: endpoint.kind }))

describe.each(cases)('$kind $name, asked as two accounts of one tier', ({ of, endpoint, name }) => {
  const isPublic = endpoint.kind === 'list' || endpoint.kind === 'read'
  const both = () => (of === planted ? accounts.planted : accounts.real)
  const bothAsk = (headers: Record<string, string> = {}) =>
    Promise.all(both().map((account) => ask(of, account, name, headers)))

  const expectOwn = (replies: readonly Reply[]) => {
    expect(replies.map(({ status }) => status)).toEqual(
      replies.map(() => (endpoint.kind === 'write' ? endpoint.status : 200)),
    )
    expectApart(replies, both())
    if (isPublic) return
    for (const reply of replies) expect(reply.headers).toMatchObject({ 'cache-control': 'no-store' })
    for (const reply of replies) expect(reply.headers).not.toHaveProperty('etag')
  }

  test('at the same moment', async () => {
    inside = 0
    gate.expects = name === 'GET /alerts' ? 2 : 0
    const replies = await bothAsk()
    gate.expects = 0
    expectOwn(replies)
  })

  test('one after the other, in either order', async () => {
    const [a, b] = both()
    if (!a || !b) throw new Error('two accounts are expected')
    for (const pair of [
      [a, b],
      [b, a],
      [a, b],
    ]) {
      const replies: Reply[] = []
      for (const account of pair) replies.push(await ask(of, account, name))
      expectOwn(pair[0] === a ? replies : replies.toReversed())
    }
  })

  test('conditionally: no validator of one answers the other with a 304, unless the data is public', async () => {
    const [first] = await bothAsk()
    const replies = await bothAsk({ 'if-none-match': `${first?.headers.etag ?? '"x"'}, *` })
    const expected = endpoint.kind === 'write' ? endpoint.status : isPublic ? 304 : 200
    expect(replies.map(({ status }) => status)).toEqual([expected, expected])
    expectApart(replies, both())
  })

  test('the rate limit is that of the caller', async () => {
    const before = (await bothAsk()).map(left)
    const after = (await bothAsk()).map(left)
    expect(after).toEqual(before.map((n) => n - 1))
  })

  test('one idempotency key of two accounts is two keys', async () => {
    const headers = { 'idempotency-key': `shared-${name.replace(' ', '-')}` }
    const first = await bothAsk(headers)
    const second = await bothAsk(headers)
    expectOwn(first)
    expectOwn(second)
    const replayed = second.map((reply) => reply.headers['idempotent-replayed'])
    expect(replayed).toEqual(second.map(() => (endpoint.kind === 'write' ? 'true' : undefined)))
    if (endpoint.kind === 'write') expect(second.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  })
})

test('a private read returns what its account wrote, and its number', async () => {
  const [a, b] = accounts.planted
  if (!a || !b) throw new Error('two accounts are expected')
  for (const account of [a, b]) {
    const { items } = await ask(planted, account, 'GET /alerts')
    expect(new Set(items.map(({ text }) => text))).toEqual(new Set([account.secret]))
    const { json } = await ask(planted, account, 'GET /account')
    expect(json).toEqual({ id: account.id, n: items.length })
  }
})

test('a private read is sent anew each time, as JSON, CSV and HEAD', async () => {
  const [a] = accounts.planted
  if (!a) throw new Error('an account is expected')
  const n_before = (await ask(planted, a, 'GET /alerts')).items.length
  await ask(planted, a, 'POST /alerts')
  expect((await ask(planted, a, 'GET /alerts')).items).toHaveLength(n_before + 1)
  const csv = await ask(planted, a, 'GET /alerts', { accept: 'text/csv' })
  expect([csv.headers['content-type'], csv.text.split('\r\n')[0]]).toEqual(['text/csv; charset=utf-8', 'id,text'])
  expect(csv.headers['cache-control']).toBe('no-store')
  const head = await ask(planted, a, 'HEAD /alerts')
  expect([head.status, head.text, head.headers['cache-control']]).toEqual([200, '', 'no-store'])
  await expect
    .poll(() =>
      services.planted.lines.some(
        (line) => JSON.parse(line).isHit === true && /alerts|account/.test(JSON.parse(line).route),
      ),
    )
    .toBe(false)
})

test('a private read and a write need no snapshot', async () => {
  const empty = await startService({ isEmpty: true, endpoints: planted })
  const headers = { 'content-type': 'application/json' }
  expect((await empty.ask('/v1/signals')).status).toBe(503)
  expect((await empty.ask('/v1/alerts', { method: 'POST', headers, body: '{"text":"x"}' })).status).toBe(201)
  expect((await empty.ask('/v1/alerts')).items).toEqual([{ id: '0001', text: 'x' }])
  await empty.stop()
})
