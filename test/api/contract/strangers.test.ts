import { afterAll, beforeAll, expect, test } from 'vitest'

import { createAlert } from '#accounts/alerts/alerts.ts'
import { listOpenAlerts, storeEvaluations } from '#accounts/alerts/firings.ts'
import { findKey } from '#accounts/keys.ts'
import { findAccount, setTier } from '#accounts/people.ts'
import { tierNames, type Tier } from '#accounts/tiers.ts'
import { createWatchlist } from '#accounts/watchlists/watchlists.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { portalRoutes } from '#api/portal/index.ts'
import { openBrowser, signedUp, type Browser } from '#test/api/portal/browser.ts'
import { pagesUrl, startService, type Reply, type Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

const email = 'victim@example.com'
/** Values that only the victim may see. */
const marks = ['private-note', 'private_name', 'private-firing', email, '0.987654', '7000000001']

let service: Service
let ids: Record<'account_id' | 'watchlist' | 'alert' | 'key' | 'session', string>
let before: string

/** All rows of the victim and of the strangers' rights. */
const stateOf = async (): Promise<string> => {
  const { accounts } = service
  const tables = ['accounts', 'keys', 'watchlists', 'alerts', 'firings', 'outbox', 'messaging', 'sessions'] as const
  const rows = await Promise.all(tables.map((table) => accounts.selectFrom(table).selectAll().execute()))
  const used = ({ last_used_at: _, ...row }: Record<string, unknown>) => JSON.stringify(row)
  return JSON.stringify(rows.map((table) => table.map(used).toSorted()))
}

beforeAll(async () => {
  service = await startService({ rows: { markets: [{ id: 'polymarket:1' }] }, rateFactor: 1_000 })
  const { accounts, clock } = service
  const victim = await signedUp(service, email)
  const { id: account_id = '' } = (await findAccount(accounts, email)) ?? {}
  const of = { account_id, address: null, most: 50, now: clock.at }
  await setTier(accounts, { account_id, tier: 'enterprise', now: clock.at })
  const key = String((await victim.post('/api/keys', { name: 'private-note' })).json['id'])
  const chat = { messenger: 'telegram', handle: 'private_name', chat_id: '7000000001', linked_at: 1 }
  await accounts
    .insertInto('messaging')
    .values({ account_id, ...chat })
    .execute()
  const made = await accounts.transaction().execute(async (db) => {
    const row = { ...of, name: 'private-note', items: ['BTC'], addresses: [] }
    const state = { is_armed: true, baseline: null, seen_at: 0 }
    const alert = { ...of, entity: 'polymarket:1', threshold: { price_above: 0.987654 }, state }
    return [await createWatchlist(db, { ...row, type: 'assets' }), await createAlert(db, { ...alert, type: 'market' })]
  })
  const [watchlist = '', alert = ''] = made.map((one) => (one !== null && typeof one === 'object' ? one.id : ''))
  const [open] = await listOpenAlerts(accounts)
  if (open) {
    const firings = [{ cause: 'x', text: 'private-firing' }]
    const evaluated = [{ alert: open, state: { ...open.state, is_armed: false }, firings }]
    await storeEvaluations(accounts, evaluated, { now: clock.at, goesOn: async () => true })
  }
  const session = await accounts.selectFrom('sessions').select('id').executeTakeFirstOrThrow()
  ids = { account_id, watchlist, alert, key, session: session.id }
})
afterAll(() => service.stop())

/** A reply shows nothing of the victim. It may repeat the id that was asked for, in its error. */
const expectNothing = ({ raw, body }: Reply, what: string, given: string): void => {
  const seen = `${raw.join('\n')}\n${body.toString('utf8')}`
  for (const mark of [...marks, ...Object.values(ids).filter((id) => id !== given)])
    expect(seen.includes(mark), `${what}: ${mark}`).toBe(false)
}

const keyOf = (tier: Tier) => ({ authorization: `Bearer ${service.keys[tier]}` })

test.for(sized<readonly Tier[]>(['free', 'enterprise'], tierNames))(
  'by no id of another account a caller of the tier %s sees or changes anything of it',
  async (tier) => {
    before = await stateOf()
    const caller = await findKey(service.accounts, service.keys[tier])
    for (const [name, id] of Object.entries(ids)) {
      const claims = { 'x-account-id': id, 'x-user-id': id, 'if-none-match': `"${id}"`, 'last-event-id': id }
      for (const { method, path } of endpoints) {
        const fields = method === 'POST' ? { body: JSON.stringify({ id, account_id: id, query: `Show ${id}` }) } : {}
        const headers = { ...keyOf(tier), ...claims, 'content-type': 'application/json' }
        for (const query of [`id=${id}`, `account_id=${id}`, `address=${id}`, `cursor=${id}`, ''])
          expectNothing(
            await service.ask(`/v1${path}?${query}`, { method, headers, ...fields }),
            `${method} ${path} ${name}`,
            id,
          )
      }
      for (const tool of ['account', 'watchlists', 'alerts']) {
        const params = { name: tool, arguments: { id, account_id: id } }
        for (const given of [params, { name: tool, arguments: {} }]) {
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: given })
          const accept = 'application/json, text/event-stream'
          const headers = { ...keyOf(tier), accept, 'content-type': 'application/json' }
          expectNothing(await service.ask('/mcp', { method: 'POST', headers, body }), `tool ${tool} ${name}`, id)
        }
      }
    }
    expect(caller?.tier).toBe(tier)
    expect(await stateOf()).toBe(before)
  },
)

test.for(['/watchlists', '/alerts'])(
  'DELETE %s answers to an id of another account as to one that never was',
  async (path) => {
    const remove = async (id: string) => {
      const { status, json } = await service.ask(`/v1${path}?id=${id}`, { method: 'DELETE', headers: keyOf('pro') })
      return [status, json]
    }
    const unknown = await remove('11111111-1111-4111-8111-111111111111')
    expect(unknown[0]).toBe(404)
    for (const id of Object.values(ids)) expect(await remove(id)).toEqual(unknown)
  },
)

test('no field, parameter or header of any write raises a tier or names another account', async () => {
  const ann: Browser = await signedUp(service, 'ann@example.com')
  const key = String((await ann.post('/api/keys')).json['key'])
  before = await stateOf()
  const more = {
    tier: 'enterprise',
    role: 'admin',
    account_id: ids.account_id,
    userId: ids.account_id,
    id: 'x',
    metadata: { tier: 'pro' },
    rateLimitMax: 1e9,
  }
  const claims = { 'x-tier': 'enterprise', 'x-account-id': ids.account_id, origin: pagesUrl }
  const json = { 'content-type': 'application/json' }
  for (const { method, path, body } of portalRoutes.filter((route) => route.method !== 'GET')) {
    if (path === '/api/auth/sign-out') continue
    for (const [field, value] of Object.entries(more)) {
      // Of these the id of a key is a field of the route.
      if (path === '/api/keys/regenerate' && field === 'id') continue
      const given = method === 'POST' ? { body: JSON.stringify({ [field]: value }) } : {}
      const headers = { cookie: ann.cookie(), authorization: '', ...claims, ...(method === 'POST' ? json : {}) }
      const { status } = await service.ask(`${path}?${field}=x`, { method, headers, ...given })
      expect([400, 404], `${method} ${path} ${field}`).toContain(status)
      if (body === null) continue
      expect((await service.ask(path, { method, headers, ...given })).status, `${path} ${field}`).toBe(400)
    }
  }
  for (const { method, path } of endpoints.filter((endpoint) => endpoint.method === 'POST')) {
    for (const [field, value] of Object.entries(more)) {
      const headers = { authorization: `Bearer ${key}`, ...json, ...claims }
      const { status } = await service.ask(`/v1${path}`, { method, headers, body: JSON.stringify({ [field]: value }) })
      expect([400, 403], `${path} ${field}`).toContain(status)
    }
  }
  expect(await stateOf()).toBe(before)
  expect((await ann.get('/api/settings')).json['tier']).toBe('free')
  expect((await openBrowser(service).get('/api/settings')).status).toBe(401)
})
