import { z } from 'zod'

import { openApi } from '#api/contract/openapi.ts'

import { generated, page, table } from './markdown.ts'

const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  default: z.union([z.string(), z.number()]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  description: z.string().optional(),
})
type Schema = z.output<typeof schemaShape>

const objectShape = z.object({ properties: z.record(z.string(), schemaShape) })
const headersShape = z.record(z.string(), z.object({ description: z.string() })).default({})
const mediaShape = z.object({
  schema: schemaShape.extend({ items: z.object({ $ref: z.string() }).optional() }),
  example: z.unknown(),
})
const operationShape = z.object({
  summary: z.string(),
  description: z.string(),
  parameters: z
    .array(z.object({ name: z.string(), required: z.boolean(), description: z.string(), schema: schemaShape }))
    .default([]),
  responses: z
    .object({ 200: z.object({ headers: headersShape, content: z.object({ 'application/json': mediaShape }) }) })
    .catchall(z.object({ description: z.string(), headers: headersShape })),
})
type Operation = z.output<typeof operationShape>

const documentShape = z.object({
  info: z.object({ description: z.string() }),
  components: z.object({ schemas: z.record(z.string(), objectShape) }),
  paths: z.record(z.string(), z.object({ get: operationShape })),
})
type Schemas = z.output<typeof documentShape>['components']['schemas']

/** `docs/api.md`: the description that the service also serves as `/openapi.json` and under `/docs`. */
export function apiPage(): string {
  const { info, components, paths } = documentShape.parse(openApi(''))
  const operations = Object.entries(paths).map(([path, { get }]) => ({ path, operation: get }))
  const shared = headersOf(operations[0]?.operation).filter(([name]) =>
    operations.every(({ operation }) => headersOf(operation).some(([other]) => other === name)),
  )
  return page(
    generated('the endpoints of `api/`'),
    '# API',
    info.description,
    ...operations.map(({ path, operation }) => section(path, operation, components.schemas, shared)),
    '## Headers of every response',
    table(
      ['header', 'meaning'],
      shared.map(([name, { description }]) => [`\`${name}\``, description]),
    ),
  )
}

type Header = [string, { description: string }]

const headersOf = (operation: Operation | undefined): Header[] =>
  Object.entries(operation?.responses[200].headers ?? {})

function section(path: string, operation: Operation, schemas: Schemas, shared: Header[]): string {
  const { schema, example } = operation.responses[200].content['application/json']
  const own = headersOf(operation).filter(([name]) => !shared.some(([other]) => other === name))
  return page(
    `## GET /v1${path}`,
    `${operation.summary}.`,
    operation.description,
    '### Parameters',
    table(
      ['parameter', 'type', 'default', 'meaning'],
      operation.parameters.map(({ name, required, description, schema: of }) => [
        `\`${name}\``,
        typeOf(of),
        required ? 'required' : of.default === undefined ? '' : `\`${of.default}\``,
        description,
      ]),
    ),
    '### Response',
    schema.items === undefined ? 'One object.' : 'An array of objects:',
    ...fields(schema.items?.$ref ?? schema.$ref ?? '', schemas),
    ['```json', JSON.stringify(example, null, 2), '```'].join('\n'),
    ...(own.length === 0 ? [] : [table(['header', 'meaning'], own.map(describe))]),
  ).trimEnd()
}

const describe = ([name, { description }]: Header): string[] => [`\`${name}\``, description]

/** The fields of a schema, and after it those of the objects inside. */
function fields(ref: string, schemas: Schemas): string[] {
  const name = nameOf(ref)
  const properties = Object.entries(schemas[name]?.properties ?? {})
  const rows = properties.map(([field, of]) => [`\`${field}\``, typeOf(of), of.description ?? ''])
  const inner = properties.flatMap(([, { $ref }]) => ($ref === undefined ? [] : fields($ref, schemas)))
  return [`**${name}**`, table(['field', 'type', 'meaning'], rows), ...inner]
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ref

function typeOf({ $ref, type, enum: values, minimum, maximum }: Schema): string {
  if ($ref !== undefined) return nameOf($ref)
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  if (minimum === undefined) return type ?? ''
  return maximum === undefined ? `${type}, at least ${minimum}` : `${type}, ${minimum} to ${maximum}`
}
