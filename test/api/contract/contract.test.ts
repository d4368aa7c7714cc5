import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { mayUse, tierNames } from '#accounts/tiers.ts'
import { createApp } from '#api/app.ts'
import type { Endpoint } from '#api/contract/endpoint.ts'
import { openApi } from '#api/contract/openapi.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { methodsOf } from '#api/http/router.ts'
import { apiPage } from '#scripts/pages/api.ts'
import { linkChat } from '#test/api/alerts/linked.ts'
import { plantedEndpoints } from '#test/api/planted.ts'
import { startService, type Service } from '#test/api/service.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

const planted = plantedEndpoints()
const isPlanted = (endpoint: Endpoint) => planted.includes(endpoint)

let real: Service
let withPlanted: Service
beforeAll(async () => {
  const of = {
    rows: {
      markets: [
        { id: 'polymarket:1', volume: '17.25' },
        { id: 'polymarket:2', is_open: false },
      ],
      feed: (['wallet', 'market', 'signal', 'social'] as const).map((type, i) => ({
        id: i === 0 ? 'sig_o5mXQeYH2lq6cN0hVt9b3w' : `sig_${i}`,
        at: `2026-03-01 11:0${i}:00`,
        type,
        evidence: `{kind: 'trade', ref: '0x8f1d', ts: timestamp '2026-03-01 10:58:12', "value": 48210.57}`,
      })),
      coverage: [['venue', 'polymarket'] satisfies [string, string]],
      closed: [{ id: 'polymarket:3' }],
      traders: [{ wallet: owner, pnl: '-12.34' }],
      wallets: [{ address: owner, total_pnl: '5.50', markets_traded: 3 }],
      discovered: [{ address: owner, pnl: '-3.21', tags: ['whale'] }],
      momentum: [{ symbol: 'BTC', pct: '40.25', delta: '-1.5', sentiment: 'bearish' }],
      platforms: [{ platform: 'x' }],
      chainWallets: [{ address: owner, realized_30d: '-3.21', tags: ['whale'] }],
      traded: [{ address: owner, token: 'native' }],
      holdings: [{ address: owner, contract: 'native' }],
      details: { trader: owner, wallet: owner, market: marketExample, asset: 'SOL' },
    },
    readBalances: async () => ({ held: [{ token: 'native', raw: 1n, decimals: 18, symbol: 'ETH' }], unread: [] }),
  }
  real = await startService(of)
  for (const [n, key] of Object.values(real.keys).entries()) await linkChat(real.accounts, key, n)
  withPlanted = await startService({ ...of, endpoints: planted })
})
afterAll(async () => {
  await real.stop()
  await withPlanted.stop()
})

const schema = z.record(z.string(), z.unknown())
const parameter = z.object({
  in: z.enum(['query', 'header']),
  name: z.string(),
  required: z.boolean(),
  schema: z.object({ enum: z.array(z.string()).default([]), example: z.string().default('') }),
})
const response = z.object({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.object({ schema, example: z.unknown() })).default({}),
})
const operation = z.object({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema, example: z.unknown() })) }).optional(),
  responses: z.record(z.string(), response),
})
/** The parts of a document that the tests read. */
const parseDocument = (of: readonly Endpoint[]) =>
  z
    .object({
      openapi: z.string(),
      paths: z.record(z.string(), z.record(z.string(), operation)),
      components: z.object({ schemas: z.record(z.string(), schema) }),
    })
    .parse(openApi(of, ''))
type Document = ReturnType<typeof parseDocument>

const documents = { real: parseDocument(endpoints), planted: parseDocument(planted) }
const documentOf = (endpoint: Endpoint) => (isPlanted(endpoint) ? documents.planted : documents.real)

const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((byMethod) => Object.values(byMethod))

const operationOf = (endpoint: Endpoint) => {
  const found = documentOf(endpoint).paths[endpoint.path]?.[endpoint.method.toLowerCase()]
  if (!found) throw new Error(`the document has no ${endpoint.name}`)
  return found
}

const statusOf = (endpoint: Endpoint) => (endpoint.kind === 'write' ? endpoint.status : 200)

const answerOf = (endpoint: Endpoint) => {
  const found = operationOf(endpoint).responses[statusOf(endpoint)]
  const json = found?.content['application/json']
  if (!found || !json) throw new Error(`the document does not describe the answer of ${endpoint.name}`)
  return { headers: Object.keys(found.headers), schema: json.schema }
}

/** A schema of the document as a validator. */
const validator = (endpoint: Endpoint, of: object) => {
  const inlined = JSON.stringify({ ...of, $defs: documentOf(endpoint).components.schemas })
  return z.fromJSONSchema(schema.parse(JSON.parse(inlined.replaceAll('#/components/schemas/', '#/$defs/'))))
}

/** Every choice of every parameter once, beside what is required. */
const queriesOf = (endpoint: Endpoint): string[] => {
  const parameters = operationOf(endpoint).parameters.filter((one) => one.in === 'query')
  const required = parameters
    .filter((one) => one.required)
    .map((one): [string, string] => [one.name, one.schema.example])
  const choices = parameters.flatMap((one) => one.schema.enum.map((value): [string, string][] => [[one.name, value]]))
  return [[], ...choices].map((choice) => new URLSearchParams([...required, ...choice]).toString())
}

/** Asks an endpoint as the document says, with its example as the body. A deletion gets the id of a new object. */
const ask = async (endpoint: Endpoint, query: string, given: { tier?: 'free' | 'pro' | 'enterprise' } = {}) => {
  const service = isPlanted(endpoint) ? withPlanted : real
  service.clock.at += 1_000_000
  const example = operationOf(endpoint).requestBody?.content['application/json']?.example
  const send = (method: string, search: string, body: unknown) =>
    service.ask(`/v1${endpoint.path}?${search}`, {
      method,
      headers: {
        authorization: `Bearer ${service.keys[given.tier ?? 'enterprise']}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const creation = endpoints.find(({ method, path }) => method === 'POST' && path === endpoint.path)
  if (endpoint.method !== 'DELETE' || !creation || !/^id=./.test(query)) return send(endpoint.method, query, example)
  const { json } = await send('POST', '', operationOf(creation).requestBody?.content['application/json']?.example)
  return send('DELETE', `id=${String(json['id'])}`, undefined)
}

/** Headers of some responses only. */
const conditional = new Set(['Link', 'Idempotent-Replayed', 'Content-Disposition'])

describe.each([...endpoints, ...planted])('$kind $name', (endpoint) => {
  const { item, isArray, example, headers, path } = endpoint
  beforeAll(async () => {
    const create = (isPlanted(endpoint) ? planted : endpoints).find(
      ({ method, path }) => method === 'POST' && path === endpoint.path && endpoint.kind === 'private',
    )
    if (create) await ask(create, '')
  })

  test('answers as its schema and the published document say, whatever is chosen', async () => {
    const answer = answerOf(endpoint)
    const shape = isArray ? z.array(item) : item
    for (const query of queriesOf(endpoint)) {
      const { status, text, headers: got } = await ask(endpoint, query)
      const body: unknown = JSON.parse(text)
      expect(status, query).toBe(statusOf(endpoint))
      expect(shape.parse(body)).toEqual(body)
      expect(validator(endpoint, answer.schema).parse(body)).toEqual(body)
      expect(got['content-type']).toBe('application/json; charset=utf-8')
      for (const header of answer.headers.filter((one) => !conditional.has(one))) {
        expect(got, header).toHaveProperty(header.toLowerCase())
      }
    }
  })

  test('has a filled answer among them, of exactly the documented fields in their order', async () => {
    const found = []
    for (const query of queriesOf(endpoint)) {
      const { json, items } = await ask(endpoint, query)
      found.push(...(isArray ? items : [json]))
    }
    expect(found).not.toEqual([])
    for (const one of found) expect(Object.keys(one)).toEqual(Object.keys(item.shape))
  })

  test('has examples that fit', () => {
    expect(item.parse(example)).toEqual(example)
    expect(Object.values(headers).every((about) => about.length > 0)).toBe(true)
    const body = operationOf(endpoint).requestBody?.content['application/json']
    if (body) expect(validator(endpoint, body.schema).parse(body.example)).toEqual(body.example)
  })

  test('is open to the tiers that list it, and to no other', async () => {
    for (const tier of tierNames) {
      const { status } = await ask(endpoint, queriesOf(endpoint)[0] ?? '', { tier })
      expect(status, tier).toBe(mayUse(tier, endpoint.name) ? statusOf(endpoint) : 403)
    }
  })

  test('names the accepted values of each parameter that is empty', async () => {
    const parameters = operationOf(endpoint).parameters.filter((one) => one.in === 'query')
    for (const { name: given } of parameters) {
      const others = parameters.filter(({ name, required }) => required && name !== given)
      const query = new URLSearchParams(
        others.map(({ name, schema: { example } }): [string, string] => [name, example]),
      )
      const { status, json } = await ask(endpoint, `${query.toString()}&${given}=`.replace(/^&/, ''))
      expect(status).toBe(400)
      expect(validator(endpoint, { $ref: '#/components/schemas/Error' }).safeParse(json).success).toBe(true)
      expect(json['message']).toMatch(new RegExp(`^${given}: empty; expected .+\\.$`))
    }
  })

  test('its path answers to the methods of its endpoints and to no other', async () => {
    const of = isPlanted(endpoint) ? planted : endpoints
    const service = isPlanted(endpoint) ? withPlanted : real
    const allowed = methodsOf(of, `/v1${path}`)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !allowed.includes(one))) {
      const { status, json, headers: got } = await service.ask(`/v1${path}`, { method })
      expect([status, json['error'], got.allow]).toEqual([405, 'method_not_allowed', allowed.join(', ')])
    }
    const { headers: got } = await service.ask(`/v1${path}`, { method: 'OPTIONS' })
    expect(got['access-control-allow-methods']).toBe(allowed.join(', '))
  })

  test('documents its key, its errors, and for a write the body and the idempotency key', () => {
    const { security, parameters, requestBody, responses } = operationOf(endpoint)
    expect(security).toEqual([{ key: [] }])
    const isWrite = endpoint.kind === 'write'
    const isAsk = endpoint.kind === 'ask'
    expect(parameters.filter((one) => one.in === 'header').map(({ name }) => name)).toEqual(
      isWrite ? ['Idempotency-Key'] : [],
    )
    expect(requestBody !== undefined).toBe(isAsk || (isWrite && endpoint.body !== null))
    const isPublic = endpoint.kind === 'list' || endpoint.kind === 'read'
    const expected = [
      ...(isPublic ? ['304'] : []),
      ...(isWrite ? ['409'] : []),
      ...(isWrite || isAsk ? ['415'] : []),
      ...(isWrite ? ['422'] : []),
      '503',
    ]
    expect(['304', '409', '415', '422', '503'].filter((status) => status in responses)).toEqual(expected)
  })

  test('lets the pages of others read each header that it documents', async () => {
    const { headers } = await real.ask('/v1/pm-markets')
    // Browsers show these in any case.
    const exposed = String(headers['access-control-expose-headers']).split(', ')
    const readable = new Set(['Cache-Control', 'Last-Modified', ...exposed])
    const documented = Object.values(operationOf(endpoint).responses).flatMap((one) => Object.keys(one.headers))
    expect(documented).toContain('X-Request-Id')
    expect(documented.filter((name) => !isPlanted(endpoint) && !readable.has(name))).toEqual([])
  })

  test('each error that its document shows is valid', () => {
    const errors = Object.entries(operationOf(endpoint).responses).filter(([status]) => Number(status) >= 400)
    expect(errors.length).toBeGreaterThan(0)
    for (const [, { content }] of errors) {
      const json = content['application/json']
      expect(validator(endpoint, json?.schema ?? {}).parse(json?.example)).toEqual(json?.example)
    }
  })
})

test('the document is OpenAPI 3.1 and names an operation once', () => {
  for (const document of Object.values(documents)) {
    expect(document.openapi).toBe('3.1.0')
    const ids = operationsOf(document).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  }
  expect(operationsOf(documents.real)).toHaveLength(endpoints.length)
  expect(operationsOf(documents.planted)).toHaveLength(planted.length)
})

test('two endpoints of one method and path are refused', async () => {
  const [first] = endpoints
  const twice = [...endpoints, ...(first ? [first] : [])]
  const app = createApp({ ...real.parts, endpoints: twice })
  await expect(app).rejects.toThrow('defined twice')
})

test('the docs page shows every planted endpoint: parameters, body, status and headers', () => {
  const page = apiPage(planted)
  for (const { name } of planted) expect(page).toContain(`## ${name.replace(' ', ' /v1')}\n`)
  expect(page).toMatch(/## POST \/v1\/alerts\n[^]*### Request headers\n[^]*`Idempotency-Key`[^]*### Request body\n/)
  expect(page).toMatch(/\| `text` +\| string +\| required \| The text of the note/)
  expect(page).toContain('201: one object.')
  expect(page).toContain('200: an array of objects.')
})
