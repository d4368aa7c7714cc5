import { z } from 'zod'

import type { Endpoint } from '#api/contract/endpoint.ts'
import { openApi } from '#api/contract/openapi.ts'
import { endpoints as allEndpoints } from '#api/endpoints/index.ts'

import { generated, page, table } from './markdown.ts'

const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string()).transform((types) => types.join(' or '))]).optional(),
  enum: z.array(z.string()).optional(),
  items: z.looseObject({ $ref: z.string().optional(), enum: z.array(z.string()).optional() }).optional(),
  default: z.union([z.string(), z.number()]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  description: z.string().optional(),
})
type Schema = z.output<typeof schemaShape>

const objectShape = z.object({
  properties: z.record(z.string(), schemaShape).optional(),
  required: z.array(z.string()).optional(),
})
const headersShape = z.record(z.string(), z.object({ description: z.string() })).default({})
const mediaShape = z.object({
  schema: schemaShape.extend({ items: z.object({ $ref: z.string() }).optional() }),
  example: z.unknown(),
})
const operationShape = z.object({
  summary: z.string(),
  description: z.string(),
  parameters: z
    .array(
      z.object({
        in: z.enum(['query', 'header']),
        name: z.string(),
        required: z.boolean(),
        description: z.string(),
        schema: schemaShape,
      }),
    )
    .default([]),
  requestBody: z.object({ content: z.object({ 'application/json': mediaShape }) }).optional(),
  responses: z.record(
    z.string(),
    z.object({ headers: headersShape, content: z.object({ 'application/json': mediaShape.optional() }).optional() }),
  ),
})
type Operation = z.output<typeof operationShape>

const documentShape = z.object({
  info: z.object({ description: z.string() }),
  components: z.object({ schemas: z.record(z.string(), objectShape) }),
  paths: z.record(z.string(), z.record(z.string(), operationShape)),
})
type Schemas = z.output<typeof documentShape>['components']['schemas']

/** `docs/api.md`: the description that the service also serves as `/openapi.json` and under `/docs`. */
export function apiPage(endpoints: readonly Endpoint[] = allEndpoints): string {
  const { info, components, paths } = documentShape.parse(openApi(endpoints, ''))
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({ title: `${method.toUpperCase()} /v1${path}`, operation })),
  )
  const shared = headersOf(operations[0]?.operation).filter(([name]) =>
    operations.every(({ operation }) => headersOf(operation).some(([other]) => other === name)),
  )
  return page(
    generated('the endpoints of `api/`'),
    '# API',
    info.description,
    ...operations.map(({ title, operation }) => section(title, operation, components.schemas, shared)),
    '## Headers of every response',
    table(['header', 'meaning'], shared.map(described)),
  )
}

type Header = [string, { description: string }]

/** The successful response. Every operation documents exactly one. */
const successOf = (operation: Operation | undefined) =>
  Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2'))

const headersOf = (operation: Operation | undefined): Header[] =>
  Object.entries(successOf(operation)?.[1].headers ?? {})

function section(title: string, operation: Operation, schemas: Schemas, shared: Header[]): string {
  const [status = '', success] = successOf(operation) ?? []
  const answer = success?.content?.['application/json']
  const own = headersOf(operation).filter(([name]) => !shared.some(([other]) => other === name))
  const body = operation.requestBody?.content['application/json']
  return page(
    `## ${title}`,
    `${operation.summary}.`,
    operation.description,
    ...parametersOf('Parameters', 'parameter', operation, 'query'),
    ...parametersOf('Request headers', 'header', operation, 'header'),
    ...(body === undefined ? [] : ['### Request body', ...media(body, schemas, true)]),
    '### Response',
    `${status}: ${answer?.schema.items === undefined ? 'one object.' : 'an array of objects.'}`,
    ...(answer === undefined ? [] : media(answer, schemas, false)),
    ...(own.length === 0 ? [] : [table(['header', 'meaning'], own.map(described))]),
  ).trimEnd()
}

const described = ([name, { description }]: Header): string[] => [`\`${name}\``, description]

function parametersOf(title: string, kind: string, { parameters }: Operation, place: 'query' | 'header'): string[] {
  const rows = parameters
    .filter((one) => one.in === place)
    .map(({ name, required, description, schema }) => [
      `\`${name}\``,
      typeOf(schema),
      required ? 'required' : schema.default === undefined ? '' : `\`${schema.default}\``,
      description,
    ])
  return rows.length === 0 ? [] : [`### ${title}`, table([kind, 'type', 'default', 'meaning'], rows)]
}

/** The fields of a body and its example; of a request also which fields are required. */
const media = ({ schema, example }: z.output<typeof mediaShape>, schemas: Schemas, isRequest: boolean): string[] => [
  ...fields(schema.items?.$ref ?? schema.$ref ?? '', schemas, isRequest),
  ['```json', JSON.stringify(example, null, 2), '```'].join('\n'),
]

/** The fields of a schema, followed by those of its nested objects and of the elements of its arrays. */
function fields(ref: string, schemas: Schemas, isRequest: boolean): string[] {
  const name = nameOf(ref)
  const { properties = {}, required = [] } = schemas[name] ?? {}
  const rows = Object.entries(properties).map(([field, of]) => [
    `\`${field}\``,
    typeOf(of),
    ...(isRequest ? [required.includes(field) ? 'required' : ''] : []),
    of.description ?? '',
  ])
  const inner = Object.values(properties).flatMap(({ $ref, items }) => {
    const nested = $ref ?? items?.$ref
    return nested === undefined ? [] : fields(nested, schemas, isRequest)
  })
  return [`**${name}**`, table(['field', 'type', ...(isRequest ? ['required'] : []), 'meaning'], rows), ...inner]
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ref

function typeOf({ $ref, type, enum: values, items, minimum, maximum }: Schema): string {
  if ($ref !== undefined) return nameOf($ref)
  if (values !== undefined) return words(values)
  if (items?.$ref !== undefined) return `array of ${nameOf(items.$ref)}`
  if (items?.enum !== undefined) return `array of ${words(items.enum)}`
  if (minimum === undefined) return type ?? ''
  return maximum === undefined ? `${type}, at least ${minimum}` : `${type}, ${minimum} to ${maximum}`
}

const words = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')
