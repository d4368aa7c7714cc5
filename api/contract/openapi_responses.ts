import { z } from 'zod'

import type { Endpoint } from './endpoint.ts'
import { statuses, type ErrorCode } from './errors.ts'
import { contentOf, toCsv } from './format.ts'

/** Every response of an endpoint, by status: the success, a 304 if the endpoint is public, and its errors. */
export function responsesOf(endpoint: Endpoint) {
  return { ...success(endpoint), ...(isPublic(endpoint) ? { 304: notModified } : {}), ...errorsOf(endpoint) }
}

const isPublic = ({ kind }: Endpoint): boolean => kind === 'list' || kind === 'read'

const header = (description: string, example?: string) => ({
  description,
  schema: { type: 'string' as const },
  ...(example === undefined ? {} : { example }),
})

const everywhere = {
  'X-Request-Id': header('The id of the request, for reports. A sent id of 8 to 64 characters is used'),
}

const authenticated = {
  ...everywhere,
  'RateLimit-Policy': header('The limit: requests in a window of seconds', '"pro";q=600;w=60'),
  RateLimit: header('Requests left, and seconds until the window ends', '"pro";r=598;t=41'),
}

const validators = {
  ETag: header('Identifies the response; changes with the snapshot', '"PC-a0IH_Xv9rnk9TT_mvHjAyVjj"'),
  'Last-Modified': header('The time of publication of the snapshot', 'Sun, 01 Mar 2026 12:00:07 GMT'),
  'X-Data-As-Of': header(
    'The time of the data; the earlier time if two snapshots are combined',
    '2026-03-01T12:00:00.000Z',
  ),
}

const notStored = { 'Cache-Control': header('`no-store`: the response belongs to one account', 'no-store') }

const ofLists = {
  Link: header('The next page, if there is one: `<URL>; rel="next"`'),
  'X-Total-Count': header('The number of items of all pages', '1029'),
}

const fileOf = (endpoint: Endpoint): string =>
  Object.fromEntries(contentOf('text/csv', endpoint))['Content-Disposition'] ?? ''

const ownHeaders = (endpoint: Endpoint): Record<string, ReturnType<typeof header>> => {
  const endpointHeaders = Object.entries(endpoint.headers).map(
    ([name, description]) => [name, header(description)] as const,
  )
  return {
    ...authenticated,
    ...(isPublic(endpoint) ? validators : notStored),
    ...(endpoint.kind === 'list' ? ofLists : {}),
    ...(endpoint.isArray
      ? { 'Content-Disposition': header('The name of the file; only of CSV', fileOf(endpoint)) }
      : {}),
    ...(endpoint.kind === 'write'
      ? { 'Idempotent-Replayed': header('`true` if this is the stored response to an earlier request', 'true') }
      : {}),
    ...Object.fromEntries(endpointHeaders),
  }
}

const success = (endpoint: Endpoint) => {
  const { item, example, isArray } = endpoint
  const status = endpoint.kind === 'write' ? endpoint.status : 200
  const headers = ownHeaders(endpoint)
  if (!isArray) {
    const content = { 'application/json': { schema: item, example } }
    return { [status]: { description: status === 201 ? 'The created object' : 'One object', headers, content } }
  }
  const csv = toCsv(Object.keys(item.shape), [example as Record<string, unknown>])
  const content = {
    'application/json': { schema: z.array(item), example: [example] },
    'text/csv': { schema: z.string(), example: csv },
  }
  return { [status]: { description: endpoint.kind === 'list' ? 'A page of the list' : 'All items', headers, content } }
}

const notModified = {
  description: 'The response that `If-None-Match` names is still current',
  headers: { ...authenticated, ...validators },
}

type Example = {
  message: string
  headers?: Record<string, string>
  kinds?: readonly Endpoint['kind'][]
  methods?: readonly Endpoint['method'][]
}

/** An error without `kinds` and `methods` applies to every endpoint. */
const examples: Partial<Record<ErrorCode, Example>> = {
  invalid_request: { message: 'limit: invalid value "0"; expected a whole number from 1 to 1000, digits only.' },
  unauthorized: {
    message: 'key: missing; expected the header "Authorization: Bearer <API key>".',
    headers: { 'WWW-Authenticate': '`Bearer`' },
  },
  forbidden: { message: 'GET /pm-traders: not in the tier "free"; expected a tier that includes it.' },
  not_acceptable: { message: 'Accept: no served type is allowed; expected application/json.' },
  not_found: {
    message: 'id: no watchlist of this account; expected an id of GET /watchlists.',
    methods: ['DELETE'],
  },
  idempotency_conflict: {
    message: 'Idempotency-Key: the first request with this key is still running; expected a retry after it has ended.',
    kinds: ['write'],
  },
  payload_too_large: { message: 'body: too large; expected at most 64 KiB.' },
  unsupported_media_type: {
    message: 'Content-Type: unsupported value "text/plain"; expected application/json.',
    kinds: ['write', 'ask'],
  },
  idempotency_mismatch: {
    message: 'Idempotency-Key: used before for another request; expected a new key for another path, query or body.',
    kinds: ['write'],
  },
  rate_limit_exceeded: {
    message: 'rate limit: 60 requests a minute of this account used; expected a retry after 17 s.',
    headers: { 'Retry-After': 'Whole seconds until the window ends' },
  },
  internal_error: { message: 'internal error: logged as request 8a5fc558; expected a later retry.' },
  not_ready: {
    message:
      'service: not ready, no snapshot has been published yet ("tapeline score" publishes all); expected a retry in a ' +
      'few seconds.',
    headers: { 'Retry-After': 'Whole seconds' },
    kinds: ['list', 'read', 'ask'],
  },
  // Each request reads the store of accounts, and these rest on nothing else.
  overloaded: {
    message: 'service: overloaded, the store of accounts is busy; expected a retry in a few seconds.',
    headers: { 'Retry-After': 'Whole seconds' },
    kinds: ['private', 'write'],
  },
}

const errorSchema = z
  .strictObject({
    error: z.enum(Object.keys(statuses) as [ErrorCode, ...ErrorCode[]]).meta({ description: 'The error code' }),
    message: z.string().meta({ description: 'The thing, its problem and the expected value' }),
  })
  .meta({ id: 'Error' })

const ownConflicts = ({ path }: Endpoint): string =>
  path === '/alerts' ? ', `limit_reached` or `messaging_account_required`' : ' or `limit_reached`'

/** Further codes of a status. */
const alsoOf = (endpoint: Endpoint, code: ErrorCode): string => {
  if (code === 'not_ready') return ' or `overloaded`'
  if (code === 'overloaded') return ' or `not_ready`'
  return statuses[code] === 409 && isCreation(endpoint) ? ownConflicts(endpoint) : ''
}

const isCreation = (endpoint: Endpoint): boolean => endpoint.kind === 'write' && endpoint.status === 201

/** The errors by status. A creation also returns the other 409: the account has as many objects as its tier allows. */
const errorsOf = (endpoint: Endpoint) =>
  Object.fromEntries(
    Object.entries(examples)
      .filter(([, { kinds }]) => kinds === undefined || kinds.includes(endpoint.kind))
      .filter(([, { methods }]) => methods === undefined || methods.includes(endpoint.method))
      .map(([code, { message, headers = {} }]) => {
        const errorHeaders = Object.entries(headers).map(([name, description]) => [name, header(description)])
        const shared = code === 'unauthorized' ? everywhere : authenticated
        const content = { 'application/json': { schema: errorSchema, example: { error: code, message } } }
        const also = alsoOf(endpoint, code as ErrorCode)
        const described = {
          description: `\`${code}\`${also}`,
          headers: { ...shared, ...Object.fromEntries(errorHeaders) },
          content,
        }
        return [statuses[code as ErrorCode], described]
      }),
  )
