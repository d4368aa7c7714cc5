import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'

import { tierNames, tiers } from '#accounts/tiers.ts'
import manifest from '#package.json' with { type: 'json' }

import type { AskEndpoint, Endpoint, WriteEndpoint } from './endpoint.ts'
import { responsesOf } from './openapi_responses.ts'

/** The OpenAPI 3.1 description of the endpoints. Links begin with `publicUrl`, or are relative to the host. */
export function openApi(endpoints: readonly Endpoint[], publicUrl: string): object {
  const registry = new OpenAPIRegistry()
  registry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, as `Authorization: Bearer <API key>`',
  })
  for (const endpoint of endpoints) {
    registry.registerPath({
      method: methods[endpoint.method],
      path: endpoint.path,
      operationId: operationIdOf(endpoint),
      summary: endpoint.summary,
      tags: [tagOf(endpoint)],
      description: `${endpoint.doc}\n\nTiers: ${tiersOf(endpoint)}.`,
      security: [{ key: [] }],
      request: {
        query: z.object(endpoint.parameters),
        ...(endpoint.kind === 'write' || endpoint.kind === 'ask' ? requestOf(endpoint) : {}),
      },
      responses: responsesOf(endpoint),
    })
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Tapeline', version: manifest.version, description: about, license },
    tags: [
      { name: 'data', description: 'Figures of published snapshots, equal for all accounts' },
      { name: 'account', description: 'Settings and lists of the account of the key' },
      { name: 'assistant', description: 'Questions in plain words, answered from the same figures' },
    ],
    servers: [{ url: `${publicUrl}/v1` }],
  })
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const methods = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

const operationIdOf = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path.replaceAll(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())}`

const tiersOf = ({ name }: Endpoint) =>
  tierNames.filter((tier) => (tiers[tier].endpoints as readonly string[]).includes(name)).join(', ')

const tagOf = ({ kind }: Endpoint): string => {
  if (kind === 'ask') return 'assistant'
  return kind === 'list' || kind === 'read' ? 'data' : 'account'
}

const requestOf = ({ kind, body }: WriteEndpoint | AskEndpoint) => ({
  ...(kind === 'write' ? { headers: z.object({ 'Idempotency-Key': idempotencyKey.optional() }) } : {}),
  ...(body && {
    body: { required: true, content: { 'application/json': { schema: body.schema, example: body.example } } },
  }),
})

const idempotencyKey = z
  .string()
  .regex(/^[!-~]{1,255}$/)
  .meta({
    description:
      'A unique value of your choice, such as a UUID. A repeated request with the same key returns the first response.',
    example: '5f0c1a8e-6d5a-4a53-9d0b-0f6f3f6d2b11',
  })

const about = `Market and wallet intelligence over HTTP.

\`\`\`sh
curl -H "Authorization: Bearer $KEY" "http://127.0.0.1:8787/v1/pm-traders?sort=pnl&limit=3"
\`\`\`

**Authentication.** Every request below \`/v1\` carries an API key: \`Authorization: Bearer <API key>\`. The tier of the
account sets the available endpoints and the number of requests.

**Requests.** Parameters and body fields are validated strictly. An unknown, empty, repeated or malformed parameter
returns a 400 that names the accepted values. Integers are digits only. Request bodies are JSON of at most 64 KiB.
\`HEAD\` is available with every \`GET\`, \`OPTIONS\` with every path. CORS allows any origin, without cookies.

**Snapshots.** Market and wallet data is served from published snapshots. \`scores\` is published every few minutes,
\`pulse\` within seconds of new trades and odds, with the odds and volumes of active markets. \`X-Data-As-Of\` is the
time of the data. If a response combines two snapshots, it is the earlier time.

**Pagination.** Lists are JSON arrays in a total order. If more items follow, the \`Link\` header contains the URL of
the next page. The pages of one list return every row of one snapshot exactly once, even if a newer snapshot is
published between them. Cursors remain valid for at least 15 minutes after their snapshot was replaced.
\`X-Total-Count\` is the number of items of all pages. \`Accept: text/csv\` returns an array as CSV, with a file name in
\`Content-Disposition\`.

**Caching.** \`ETag\` changes with the snapshot; \`If-None-Match\` returns 304 for unchanged data. \`If-Modified-Since\`
is ignored, since one second is too coarse. \`Accept-Encoding: gzip\` compresses larger answers. Account
data is sent with \`Cache-Control: no-store\`.

**Idempotency.** Writes accept an \`Idempotency-Key\` header. For 24 hours, a repeated request with the same key and the
same path, query and body returns the first response with \`Idempotent-Replayed: true\`, and changes nothing. The same
key with another request returns 422; a repeat while the first request is running returns 409. Errors are not stored:
after an error, repeat the request with the same key. Keys of different accounts are independent.

**Rate limits** apply to each account in fixed windows of one minute:
${tierNames.map((tier) => `${tier} ${tiers[tier].requests}`).join(', ')} requests. Every authenticated request counts.

**Typed clients.** Generators of clients read \`/openapi.json\`. Arrays are JSON or CSV, so a client of \`openapi-fetch\`
names the type. With the types of \`npx openapi-typescript <address>/openapi.json -o tapeline.d.ts\`:

\`\`\`ts
import createClient from 'openapi-fetch'
import type { paths } from './tapeline.d.ts'

const tapeline = createClient<paths, 'application/json'>({
  baseUrl: \`\${process.env.TAPELINE_URL}/v1\`,
  headers: { Authorization: \`Bearer \${process.env.TAPELINE_KEY}\` },
})
const { data, error } = await tapeline.GET('/pm-traders', { params: { query: { limit: 3 } } })
if (error) throw new Error(error.message)
for (const { wallet, pnl } of data) console.log(wallet, pnl)
\`\`\`

**Errors** are \`{error, message}\`: a stable code and a text. Checks run in this order: 401, 429, 404 or 405, 403, 406
or 413 or 415, 400, 404 or 409 or 422, 503. Send \`X-Request-Id\` with a report.

The routes \`/healthz\`, \`/readyz\`, \`/metrics\`, \`/openapi.json\`, \`/llms.txt\` and \`/docs\` are outside \`/v1\` and need
no key. \`/docs/api.md\` is this page as text. \`/docs/metrics.md\`, \`/docs/datasets.md\` and \`/docs/columns.md\` describe
the tables of the DuckDB file.`
