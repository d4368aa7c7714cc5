import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

import { tierNames, tiers } from '#accounts/tiers.ts'
import { endpoints } from '#api/endpoints/index.ts'
import manifest from '#package.json' with { type: 'json' }

import { toCsv } from './csv.ts'
import type { Endpoint } from './endpoint.ts'
import { statuses, type ErrorCode } from './errors.ts'

/** The OpenAPI 3.1 description of all endpoints. Links of the service begin with `publicUrl`, or are relative. */
export function openApi(publicUrl: string): object {
  const registry = new OpenAPIRegistry()
  registry.registerComponent('securitySchemes', 'key', { type: 'http', scheme: 'bearer', description: 'An API key' })
  for (const endpoint of endpoints) {
    registry.registerPath({
      method: 'get',
      path: endpoint.path,
      operationId: `${endpoint.method.toLowerCase()}${endpoint.path.replaceAll(/[/-](\w)/g, (_, c: string) => c.toUpperCase())}`,
      summary: endpoint.summary,
      description: `${endpoint.doc}\n\nPlans: ${plansOf(endpoint)}.`,
      security: [{ key: [] }],
      request: { query: z.object(endpoint.parameters) },
      responses: { 200: success(endpoint), 304: notModified, ...errors() },
    })
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Tapeline', version: manifest.version, description: about, license },
    servers: [{ url: `${publicUrl}/v1` }],
  })
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const about = `Market and wallet intelligence. Every figure follows from a snapshot, which \`X-Data-As-Of\` dates. Two kinds are
published: a pulse every few seconds, with the odds and volumes of the markets that trade, and scores every few minutes,
with all else. An answer from both is dated by the older one.

**Requests.** Parameters are read strictly: one that is unknown, empty, repeated or malformed is a 400 that says what is
accepted. Whole numbers are digits only. \`GET\` comes with \`HEAD\` and \`OPTIONS\`; any web page may call with CORS.

**Lists** are bare arrays in a total order. Where more follows, the header \`Link\` gives the URL of the next page;
walking the pages gives every row of one snapshot once, also when a newer one is published meanwhile. A snapshot answers
its cursors for at least 15 minutes after it was replaced. \`Accept: text/csv\` gives CSV.

**Repeating.** \`ETag\` changes with the snapshot that is read; \`If-None-Match\` gives 304. \`If-Modified-Since\` is not
looked at: a second is too coarse.

**Limits** are fixed windows of one minute for each account:
${tierNames.map((tier) => `${tier} ${tiers[tier].requests}`).join(', ')} requests. Whatever is asked counts, except with
a key that is not valid.

**Errors** are \`{error, message}\`. What stands against a request is told in this order: 401, 429, 404 or 405, 403, 406
or 413, 400, 503. Quote \`X-Request-Id\` when you report one.

Outside \`/v1\`, without a key: \`/healthz\`, \`/readyz\`, \`/metrics\`, \`/openapi.json\`, \`/docs\`.`

const plansOf = ({ name }: Endpoint) =>
  tierNames.filter((tier) => (tiers[tier].endpoints as readonly string[]).includes(name)).join(', ')

const header = (description: string, example?: string) => ({
  description,
  schema: { type: 'string' as const },
  ...(example === undefined ? {} : { example }),
})

const everywhere = { 'X-Request-Id': header('What to quote in a report; your own of 8 to 64 characters is kept') }

const authenticated = {
  ...everywhere,
  'RateLimit-Policy': header('The limit: requests in a window of seconds', '"pro";q=600;w=60'),
  RateLimit: header('Requests left, and seconds to the end of the window', '"pro";r=598;t=41'),
}

const validators = {
  ETag: header('Changes with the snapshot that is read', '"PC-a0IH_Xv9rnk9TT_mvHjAyVjj"'),
  'Last-Modified': header('When the snapshot was published', 'Sun, 01 Mar 2026 12:00:07 GMT'),
  'X-Data-As-Of': header(
    'The instant that the figures are about; of an answer from two snapshots the older one',
    '2026-03-01T12:00:00.000Z',
  ),
}

const success = ({ kind, item, example, headers }: Endpoint) => {
  const own = Object.entries(headers).map(([name, description]) => [name, header(description)])
  const described = { ...authenticated, ...validators, ...Object.fromEntries(own) }
  if (kind === 'single') {
    return { description: 'One object', headers: described, content: { 'application/json': { schema: item, example } } }
  }
  const csv = toCsv(Object.keys(item.shape), [example as Record<string, unknown>])
  return {
    description: 'A page of the list',
    headers: { ...described, Link: header('The next page, where there is one: `<URL>; rel="next"`') },
    content: {
      'application/json': { schema: z.array(item), example: [example] },
      'text/csv': { schema: z.string(), example: csv },
    },
  }
}

const notModified = {
  description: 'The snapshot is still the one that `If-None-Match` names',
  headers: { ...authenticated, ...validators },
}

const examples: Partial<Record<ErrorCode, { message: string; headers?: Record<string, string> }>> = {
  invalid_request: { message: 'limit cannot be "0"; accepted: a whole number from 1 to 1000, digits only.' },
  unauthorized: {
    message: 'The key is missing; send the header "Authorization: Bearer <API key>".',
    headers: { 'WWW-Authenticate': '`Bearer`' },
  },
  forbidden: { message: 'GET /pm-traders is not part of the plan "free".' },
  not_acceptable: { message: 'This endpoint answers in application/json; Accept allows none of that.' },
  payload_too_large: { message: 'A body may hold 64 KiB.' },
  rate_limit_exceeded: {
    message: 'The 60 requests a minute of this account are spent; wait 17 s before you try again.',
    headers: { 'Retry-After': 'Whole seconds to the end of the window' },
  },
  internal_error: { message: 'Something went wrong here. It is logged as request 8a5fc558; try again later.' },
  not_ready: {
    message: 'The service cannot answer yet: no snapshot has been published yet. Try again in a few seconds.',
    headers: { 'Retry-After': 'Whole seconds' },
  },
}

const errorSchema = z
  .strictObject({
    error: z.enum(Object.keys(statuses) as [ErrorCode, ...ErrorCode[]]).meta({ description: 'A code for programs' }),
    message: z.string().meta({ description: 'A sentence for people' }),
  })
  .meta({ id: 'Error' })

const errors = () =>
  Object.fromEntries(
    Object.entries(examples).map(([code, { message, headers = {} }]) => {
      const own = Object.entries(headers).map(([name, description]) => [name, header(description)])
      const shared = code === 'unauthorized' ? everywhere : authenticated
      const content = { 'application/json': { schema: errorSchema, example: { error: code, message } } }
      const described = { description: `\`${code}\``, headers: { ...shared, ...Object.fromEntries(own) }, content }
      return [statuses[code as ErrorCode], described]
    }),
  )
