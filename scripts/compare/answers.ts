import { z } from 'zod'

import { masked } from './evidence.ts'

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  schema: z.object({ enum: z.array(z.string()).optional(), example: z.unknown().optional() }),
})
type Parameter = z.output<typeof parameter>
const operation = z.object({ parameters: z.array(parameter).default([]) })
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) })

/** Headers that differ between any two runs, or count the requests before. */
const unlike = new Set(['connection', 'content-length', 'date', 'etag', 'keep-alive', 'ratelimit', 'x-request-id'])

/** A question of each kind that the rules of the assistant read. */
const questions = [
  'What are the odds of Bitcoin?',
  'Which Kalshi markets have the most volume?',
  'Who are the sharpest traders?',
  'What are the best wallets on base?',
  'How much mindshare does BTC have this week?',
  'Compare the mindshare of BTC and ETH',
  'What happened in the last hour?',
  'Why is SOL trending?',
  'What does clv_score mean?',
  'What is my rate limit?',
]

/** Sends a request to the service. */
export type Send = (path: string, request: RequestInit) => Promise<Response>

/**
 * Asks a service for its description, then every GET of it with each value of each parameter, with pages, as CSV, and
 * wrongly. Accounts are those that its lists show. Returns the answers by request.
 */
export async function askAll(send: Send, key: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const authorized = { authorization: `Bearer ${key}`, 'x-request-id': 'a-comparison' }
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    send(path, { headers: { ...authorized, ...headers } })
  const keep = async (name: string, asked: Promise<Response>): Promise<{ response: Response; body: string }> => {
    const response = await asked
    const body = await response.text()
    answers.set(masked(name), masked(describe(response, body)))
    return { response, body }
  }
  const { body: described } = await keep('GET /openapi.json', ask('/openapi.json'))
  const { paths } = document.parse(JSON.parse(described))
  const reads = Object.entries(paths).flatMap(([path, { get }]) =>
    get ? [{ path, parameters: get.parameters.filter((candidate) => candidate.in === 'query') }] : [],
  )
  const accounts = new Set<string>()
  // The lists come first: they show the accounts.
  for (const { path, parameters } of reads.toSorted((a, b) => nRequired(a.parameters) - nRequired(b.parameters))) {
    for (const query of queriesOf(parameters, [...accounts])) {
      const get = `/v1${path}${query}`
      const { response, body } = await keep(`GET ${get}`, ask(get))
      if (nRequired(parameters) === 0) for (const account of accountsIn(body)) accounts.add(account)
      const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      if (next !== undefined) await keep(`GET ${get}, page 2`, ask(next.replace(/^https?:\/\/[^/]+/, '')))
    }
    const [first = ''] = queriesOf(parameters, [...accounts])
    await keep(`GET /v1${path}${first} as CSV`, ask(`/v1${path}${first}`, { accept: 'text/csv' }))
    await keep(`GET /v1${path} without a key`, ask(`/v1${path}${first}`, { authorization: '' }))
  }
  const headers = { ...authorized, 'content-type': 'application/json' }
  for (const query of questions) {
    const question = { method: 'POST', headers, body: JSON.stringify({ query }) }
    await keep(`POST /v1/chat ${query}`, send('/v1/chat', question))
  }
  return answers
}

const nRequired = (parameters: readonly Parameter[]): number => parameters.filter(({ required }) => required).length

/** The queries of an endpoint: all combinations of listed values, each other parameter, and wrong ones. */
function queriesOf(parameters: readonly Parameter[], accounts: readonly string[]): string[] {
  const required = parameters.filter((candidate) => candidate.required)
  const listed = parameters.filter(({ schema }) => schema.enum !== undefined)
  const combine = (chosen: readonly Parameter[]): Query[] =>
    combined([...new Set(chosen)].map((query) => [query.name, valuesOf(query, accounts)]))
  const queries = [
    ...combine(required),
    ...combine([...required, ...listed]),
    ...parameters.flatMap((other) => combine([...required, other])),
    ...combine(required).map((query) => ({ ...query, limit: '2' })),
    { limit: '0' },
    { unknown: '1' },
  ]
  const texts = queries.map((query) => new URLSearchParams(query).toString())
  return [...new Set(texts)].map((text) => (text === '' ? '' : `?${text}`))
}

function valuesOf({ required, schema }: Parameter, accounts: readonly string[]): string[] {
  const examples = typeof schema.example === 'string' ? [schema.example] : []
  return required ? [...accounts, ...examples] : (schema.enum ?? examples)
}

type Query = Record<string, string>

/** All combinations of the values of parameters; none if a parameter has no value. */
const combined = (values: readonly [string, string[]][]): Query[] =>
  values.reduce<Query[]>(
    (queries, [name, texts]) => queries.flatMap((query) => texts.map((text) => ({ ...query, [name]: text }))),
    [{}],
  )

/** The first accounts that a list shows. */
const accountsIn = (body: string): string[] =>
  [...body.matchAll(/"(?:address|wallet)":"([^"]+)"/g)].slice(0, 2).flatMap(([, account]) => account ?? [])

function describe(response: Response, body: string): string {
  const headers = [...response.headers]
    .filter(([name]) => !unlike.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
  return [String(response.status), ...headers, '', body].join('\n')
}
