import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { mayUse, tierNames } from '#accounts/tiers.ts'
import { openApi } from '#api/contract/openapi.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { startService, type Service } from '#test/api/service.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'

let service: Service
beforeAll(async () => {
  service = await startService({
    rows: {
      markets: [
        { id: 'polymarket:1', volume: '17.25' },
        { id: 'polymarket:2', is_open: false },
      ],
      closed: [{ id: 'polymarket:3' }],
      traders: [{ wallet: owner, pnl: '-12.34' }],
      wallets: [{ address: owner, total_pnl: '5.50', markets_traded: 3 }],
    },
  })
})
afterAll(() => service.stop())

const schema = z.record(z.string(), z.unknown())
const parameter = z.object({
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
  parameters: z.array(parameter),
  responses: z.record(z.string(), response),
})
/** What the tests read of the document. */
const document = z
  .object({
    openapi: z.string(),
    paths: z.record(z.string(), z.object({ get: operation })),
    components: z.object({ schemas: z.record(z.string(), schema) }),
  })
  .parse(openApi(''))

const operations = Object.values(document.paths).map(({ get }) => get)

const operationOf = (path: string) => {
  const found = document.paths[path]?.get
  if (!found) throw new Error(`the document has no ${path}`)
  return found
}

const answerOf = (path: string) => {
  const found = operationOf(path).responses['200']
  const json = found?.content['application/json']
  if (!found || !json) throw new Error(`the document does not say what ${path} answers`)
  return { headers: Object.keys(found.headers), schema: json.schema }
}

/** A schema of the document as a validator. */
const validator = (of: object) => {
  const inlined = JSON.stringify({ ...of, $defs: document.components.schemas })
  return z.fromJSONSchema(schema.parse(JSON.parse(inlined.replaceAll('#/components/schemas/', '#/$defs/'))))
}

/** Every choice of every parameter once, beside what is required. */
const queriesOf = (path: string): string[] => {
  const { parameters } = operationOf(path)
  const required = parameters
    .filter((one) => one.required)
    .map((one): [string, string] => [one.name, one.schema.example])
  const choices = parameters.flatMap((one) => one.schema.enum.map((value): [string, string][] => [[one.name, value]]))
  return [[], ...choices].map((choice) => new URLSearchParams([...required, ...choice]).toString())
}

describe.each(endpoints)('$method $path', ({ kind, path, item, example, name, headers }) => {
  test('answers as its schema and the published document say, whatever is chosen', async () => {
    const answer = answerOf(path)
    const shape = kind === 'list' ? z.array(item) : item
    for (const query of queriesOf(path)) {
      const { status, text, headers: got } = await service.ask(`/v1${path}?${query}`)
      const body: unknown = JSON.parse(text)
      expect(status, query).toBe(200)
      expect(shape.parse(body)).toEqual(body)
      expect(validator(answer.schema).parse(body)).toEqual(body)
      expect(got['content-type']).toBe('application/json; charset=utf-8')
      for (const header of answer.headers.filter((one) => one !== 'Link')) {
        expect(got, header).toHaveProperty(header.toLowerCase())
      }
    }
  })

  test('has a filled answer among them, of exactly the documented fields in their order', async () => {
    const found = []
    for (const query of queriesOf(path)) {
      const { json, items } = await service.ask(`/v1${path}?${query}`)
      found.push(...(kind === 'list' ? items : [json]))
    }
    expect(found).not.toEqual([])
    for (const one of found) expect(Object.keys(one)).toEqual(Object.keys(item.shape))
  })

  test('has an example that fits', () => {
    expect(item.parse(example)).toEqual(example)
    expect(Object.values(headers).every((about) => about.length > 0)).toBe(true)
  })

  test('is open to the tiers that list it, and to no other', async () => {
    for (const tier of tierNames) {
      const { status } = await service.ask(`/v1${path}?${queriesOf(path)[0]}`, {
        headers: { authorization: `Bearer ${service.keys[tier]}` },
      })
      expect(status, tier).toBe(mayUse(tier, name) ? 200 : 403)
    }
  })

  test('says what it accepts of each parameter when that is empty', async () => {
    for (const { name: given } of operationOf(path).parameters) {
      const { status, json } = await service.ask(`/v1${path}?${given}=`)
      expect(status).toBe(400)
      expect(validator({ $ref: '#/components/schemas/Error' }).safeParse(json).success).toBe(true)
      expect(json['message']).toMatch(new RegExp(`^${given} is empty; accepted: .+\\.$`))
    }
  })

  test('answers to no other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers: got, json } = await service.ask(`/v1${path}`, { method })
      expect([status, json['error'], got.allow]).toEqual([405, 'method_not_allowed', 'GET, HEAD, OPTIONS'])
    }
  })
})

test('each error that the document shows is one that the service gives', () => {
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([status]) => Number(status) >= 400),
  )
  expect(errors.length).toBeGreaterThan(0)
  for (const [, { content }] of errors) {
    const json = content['application/json']
    expect(validator(json?.schema ?? {}).parse(json?.example)).toEqual(json?.example)
  }
})

test('the document is OpenAPI 3.1 and names an operation once', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(endpoints.length)
})
