import { expect, onTestFinished, test } from 'vitest'

import { findAccount } from '#accounts/people.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { newHome } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

import { describeOnPostgres } from './stores.ts'

const email = 'ann@example.com'
const password = 'correct horse'

describeOnPostgres(({ place, open }) => {
  /** A node with its own home. Its name is the same as that of its pages. */
  const startNode = async (url: string): Promise<Service> => {
    const config = parseConfig({ TAPELINE_HOME: await newHome(), TAPELINE_PORT: '0', DATABASE_URL: url })
    const node = await openService(config, true)
    onTestFinished(() => node.close().catch(() => undefined))
    return node
  }

  const post = async ({ url }: Service, path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: url, cookie }
    const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const cookies = reply.headers.getSetCookie().map((line) => line.split(';')[0])
    return { status: reply.status, json: (await reply.json()) as Record<string, unknown>, cookie: cookies.join('; ') }
  }

  const accountOf = async ({ url }: Service, key: unknown) => {
    const reply = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${String(key)}` } })
    await reply.arrayBuffer()
    return reply.status
  }

  test('two nodes that start at once share people, sessions, keys, limits and use', async () => {
    const url = await place()
    const [one, other] = await Promise.all([startNode(url), startNode(url)])
    const { status, cookie } = await post(one, '/api/auth/sign-up/email', { email, password })
    expect(status).toBe(201)
    const { json: key } = await post(other, '/api/keys', {}, cookie)
    const { json: token } = await post(other, '/api/token', {}, cookie)
    for (const node of [one, other])
      for (const given of [key['key'], token['token']]) expect(await accountOf(node, given)).toBe(200)

    // A minute of the database may end between the requests.
    await eventually(async () => {
      const asked = Array.from({ length: 150 }, (_, i) => accountOf(i % 2 === 0 ? one : other, key['key']))
      const statuses = await Promise.all(asked)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
      expect(statuses.filter((seen) => seen === 200).length).toBeLessThanOrEqual(60)
    }, 1_000)

    const { json: replaced } = await post(one, '/api/keys/regenerate', { id: key['id'] }, cookie)
    await eventually(async () => expect(await accountOf(other, key['key'])).toBe(401), 500)
    expect([200, 429]).toContain(await accountOf(other, replaced['key']))

    await post(one, '/api/auth/sign-out', {}, cookie)
    expect((await post(other, '/api/token', {}, cookie)).status).toBe(401)
    await eventually(async () => expect(await accountOf(other, token['token'])).toBe(401), 500)

    await Promise.all([one.close(), other.close()])
    const accounts = await open(url)
    const { id = '' } = (await findAccount(accounts, email)) ?? {}
    const rows = await accounts.selectFrom('usage').selectAll().where('account_id', '=', id).execute()
    const total = (of: 'requests' | 'limited') => rows.reduce((sum, row) => sum + row[of], 0)
    expect(total('requests')).toBeGreaterThanOrEqual(4 + 150)
    expect(total('limited')).toBeGreaterThanOrEqual(90 - 4)
  })
})
