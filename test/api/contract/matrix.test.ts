import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { revokeKey } from '#accounts/account_keys.ts'
import { createKey, findKey } from '#accounts/keys.ts'
import { disableAccount, findAccount, setTier } from '#accounts/people.ts'
import { mayUse, tierNames, tiers, type Tier } from '#accounts/tiers.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { signedUp } from '#test/api/portal/browser.ts'
import { requiredQuery } from '#test/api/required_query.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'

const wallet = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

/** A caller: the `Authorization` header, and the tier; null for a caller that is refused with 401. */
type Caller = { name: string; authorization: string; tier: Tier | null }

let service: Service
let callers: Caller[]
let n_rounds = 0

beforeAll(async () => {
  const rows = { markets: [{ id: 'polymarket:1' }], wallets: [{ address: wallet, markets_traded: 3 }] }
  service = await startService({ rows, rateFactor: 1_000 })
  const { accounts, clock, keys } = service
  const now = clock.at

  const revoked = await createKey(accounts, { tier: 'enterprise', now })
  await revokeKey(accounts, { key: revoked, now })
  const disabled = await createKey(accounts, { tier: 'enterprise', now })
  const { account_id = '' } = (await findKey(accounts, disabled)) ?? {}
  await disableAccount(accounts, { account_id, now })

  const bearer = (name: string, key: string, tier: Tier | null): Caller => ({
    name,
    authorization: `Bearer ${key}`,
    tier,
  })
  const tokens = await Promise.all(
    tierNames.map(async (tier) => bearer(`a page of the tier ${tier}`, await pageToken(tier), tier)),
  )
  const ended = await pageToken('enterprise', true)
  callers = [
    { name: 'no key', authorization: '', tier: null },
    { name: 'another scheme', authorization: `Basic ${keys.enterprise}`, tier: null },
    bearer('a malformed key', 'tl_live_x', null),
    bearer('a mistyped key', `${keys.enterprise.slice(0, -1)}!`, null),
    bearer('a revoked key', revoked, null),
    bearer('a key of a disabled account', disabled, null),
    bearer('a page that signed out', ended, null),
    bearer('a forged page token', `${tokens[0]?.authorization.slice(7, -4)}AAAA`, null),
    ...tierNames.map((tier) => bearer(`a key of the tier ${tier}`, keys[tier], tier)),
    ...tokens,
  ]
})
afterAll(async () => service.stop())

/** The token of a page whose person has the tier; optionally of a session that has ended. */
async function pageToken(tier: Tier, hasEnded = false): Promise<string> {
  const email = `${tier}-${hasEnded}@example.com`
  const browser = await signedUp(service, email)
  const { id: account_id = '' } = (await findAccount(service.accounts, email)) ?? {}
  await setTier(service.accounts, { account_id, tier, now: service.clock.at })
  const { json } = await browser.post('/api/token')
  if (hasEnded) await browser.post('/api/auth/sign-out')
  return String(json['token'])
}

const queries: Record<string, string> = {
  ...Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, requiredQuery(endpoint)])),
  'DELETE /watchlists': '?id=unknown',
  'DELETE /alerts': '?id=unknown',
}
const bodies: Record<string, object> = {
  'POST /watchlists': { name: 'x', type: 'wallets', items: [wallet] },
  'POST /alerts': { type: 'signal' },
  'POST /chat': { query: 'Which markets have the most volume?' },
}
/** The results of a valid request that are not 200. */
const results: Record<string, unknown[]> = {
  'POST /watchlists': [201],
  'DELETE /watchlists': [404, 'not_found'],
  'POST /alerts': [409, 'messaging_account_required'],
  'DELETE /alerts': [404, 'not_found'],
}
const ask = (name: string, { authorization }: Caller, query?: string, headers: Record<string, string> = {}) => {
  const [method = '', path = ''] = name.split(' ')
  const url = `/v1${path}${query ?? queries[name] ?? ''}`
  const given = bodies[name]
  const body = given && { body: JSON.stringify(given) }
  const type = given && { 'content-type': 'application/json' }
  return service.ask(url, { method, headers: { authorization, ...type, ...headers }, ...body })
}
const seen = ({ status, json }: Reply) => (status < 400 ? [status] : [status, json['error']])

const expectOfAll = async (expected: (caller: Caller) => unknown, reply: (caller: Caller) => Promise<Reply>) => {
  expect(callers).toHaveLength(14)
  // More than 100 failed keys a minute are a 429.
  n_rounds += 1
  if (n_rounds % 12 === 0) service.clock.at += 60_000_000
  for (const caller of callers) expect(seen(await reply(caller)), caller.name).toEqual(expected(caller))
}

const unauthorized = [401, 'unauthorized']

describe('by every kind of caller', () => {
  test.for(endpoints.map(({ name }) => name))('%s has the documented status', async (name) => {
    const forbidden = [403, 'forbidden']
    await expectOfAll(
      ({ tier }) => (tier === null ? unauthorized : mayUse(tier, name) ? (results[name] ?? [200]) : forbidden),
      (caller) => ask(name, caller),
    )
  })

  const planned = tiers.pro.endpoints.filter((name) => {
    const path = name.split(' ')[1] ?? ''
    return endpoints.every((endpoint) => endpoint.path !== path)
  })
  test.for([...planned, 'GET /nope', 'GET /'])('%s is not found', async (name) => {
    await expectOfAll(
      ({ tier }) => (tier === null ? unauthorized : [404, 'not_found']),
      (caller) => ask(name, caller),
    )
  })

  test.for(endpoints.map(({ path }) => path))('a wrong method of %s comes before the tier', async (path) => {
    await expectOfAll(
      ({ tier }) => (tier === null ? unauthorized : [405, 'method_not_allowed']),
      (caller) => ask(`PATCH ${path}`, caller),
    )
  })

  test.for(endpoints.map(({ name }) => name))(
    'the tier of %s comes before Accept, and Accept before the query',
    async (name) => {
      const refused = ({ tier }: Caller, fault: unknown) =>
        tier === null ? unauthorized : mayUse(tier, name) ? fault : [403, 'forbidden']
      await expectOfAll(
        (caller) => refused(caller, [406, 'not_acceptable']),
        (caller) => ask(name, caller, '?nope=1', { accept: 'image/png' }),
      )
      await expectOfAll(
        (caller) => refused(caller, [400, 'invalid_request']),
        (caller) => ask(name, caller, '?nope=1'),
      )
    },
  )

  test('/mcp has the callers of /v1, and its tools the tiers of their endpoints', async () => {
    const tool = (name: string) => ({ method: 'tools/call', params: { name, arguments: {} } })
    const send = (caller: Caller, message: object, accept = 'application/json, text/event-stream') => {
      const headers = { authorization: caller.authorization, 'content-type': 'application/json', accept }
      return service.ask('/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      })
    }
    await expectOfAll(
      ({ tier }) => (tier === null ? unauthorized : [200]),
      (caller) => send(caller, { method: 'tools/list' }),
    )
    await expectOfAll(
      ({ tier }) => (tier === null ? unauthorized : [405, 'method_not_allowed']),
      ({ authorization }) => service.ask('/mcp', { headers: { authorization } }),
    )
    for (const caller of callers.filter(({ tier }) => tier !== null))
      for (const { path, name } of endpoints.filter(({ method }) => method === 'GET')) {
        const { text } = await send(caller, tool(path.slice(1).replaceAll('-', '_')))
        const isForbidden = caller.tier !== null && !mayUse(caller.tier, name)
        expect(text.includes('forbidden'), `${caller.name}: ${name}`).toBe(isForbidden)
      }
  })

  test('a stream of signals has the checks of GET /feed', async () => {
    await expectOfAll(
      ({ tier }) => (tier === null ? unauthorized : [400, 'invalid_request']),
      (caller) => ask('GET /feed', caller, '?nope=1', { accept: 'text/event-stream' }),
    )
  })

  test('no header and no parameter raises a tier', async () => {
    const free = callers.filter(({ tier }) => tier === 'free')
    expect(free).toHaveLength(2)
    const claims = ['X-Tier', 'X-Plan', 'X-Account-Id', 'X-User-Id', 'X-Forwarded-User', 'X-Role']
    for (const caller of free) {
      for (const claim of claims) {
        const reply = await ask('GET /pm-traders', caller, '', { [claim]: 'enterprise' })
        expect(seen(reply), claim).toEqual([403, 'forbidden'])
      }
      const { headers, json } = await ask('GET /account', caller, '', { 'X-Tier': 'enterprise' })
      expect([json['tier'], headers['ratelimit-policy']]).toEqual(['free', '"free";q=60000;w=60'])
      expect(seen(await ask('GET /account', caller, '?tier=pro'))).toEqual([400, 'invalid_request'])
    }
  })
})
