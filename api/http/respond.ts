import { createHash } from 'node:crypto'

import Negotiator from 'negotiator'

import { toCsv } from '#api/contract/csv.ts'
import type { Cursors } from '#api/contract/cursor.ts'
import type { Context, Endpoint } from '#api/contract/endpoint.ts'
import { ApiError } from '#api/contract/errors.ts'
import { readPage } from '#api/contract/page.ts'
import { parseQuery } from '#api/contract/parameters.ts'
import type { Marts, Reads, Snapshot } from '#marts/marts.ts'
import { publishes } from '#marts/publications.ts'
import manifest from '#package.json' with { type: 'json' }

/** A whole answer to a read: it stays right for as long as its snapshot is the one to answer from. */
export type Answer = {
  headers: [name: string, value: string][]
  etag: string
  body: Buffer
  endpoint: Endpoint
  snapshot: Snapshot
  /** A page of a walk belongs to the snapshot that the walk began in; anything else to the current one. */
  isPinned: boolean
}

export type Sources = {
  marts: Marts
  cursors: Cursors
  want: Context['want']
  /** The address before `/v1`; empty where links are relative to the host. */
  publicUrl: string
}

type Asked = { accept: string | undefined; search: string }
type Format = 'application/json' | 'text/csv'

/** Answers a read of an endpoint, or throws the ApiError that stands against it: 406, 400, 503 in this order. */
export async function answer(endpoint: Endpoint, asked: Asked, sources: Sources): Promise<Answer> {
  const format = negotiate(endpoint, asked.accept)
  const query = parseQuery(endpoint.parameters, asked.search)
  const { cursor, ...rest } = query
  const walked = typeof cursor === 'string' ? sources.cursors.read(walkOf(endpoint, rest), cursor) : null
  if (cursor !== undefined && !walked) throw refusedCursor('was not given for this query')

  const reads = endpoint.reads(rest)
  const current = sources.marts.current(reads)
  if (!current) throw notReady(whyNotReady(sources.marts, reads))
  const snapshot = walked ? await snapshotOf(walked.snapshot_id, sources.marts) : current
  if (!snapshot) throw refusedCursor('has expired: its snapshot was replaced more than 15 minutes ago')

  const { body, headers } =
    endpoint.kind === 'list'
      ? await readList(endpoint, { query: rest, after: walked?.after ?? null, format }, snapshot, sources)
      : await readSingle(endpoint, query, { snapshot, want: sources.want })
  const etag = etagOf(snapshot, format, canonicalOf(endpoint, query))
  return {
    headers: [
      ['Content-Type', `${format}; charset=utf-8`],
      ['Content-Length', String(body.byteLength)],
      ['ETag', etag],
      ['Last-Modified', new Date(snapshot.publishedAt / 1000).toUTCString()],
      ['X-Data-As-Of', new Date(snapshot.asOf / 1000).toISOString()],
      ['Cache-Control', 'private, max-age=0, must-revalidate'],
      ['Vary', 'Authorization, Accept'],
      ...headers,
    ],
    etag,
    body,
    endpoint,
    snapshot,
    isPinned: walked !== null,
  }
}

export const notReady = (why: string) =>
  new ApiError('not_ready', `The service cannot answer yet: ${why}. Try again in a few seconds.`, {
    'Retry-After': '5',
  })

/** Why there is nothing to answer from. */
export const whyNotReady = (marts: Marts, reads: Reads): string => {
  const fault = marts.fault()
  if (fault !== null) return fault
  const isThere = publishes.filter((publish) => marts.current(publish))
  const missing = publishes.filter((publish) => (reads === 'both' || reads === publish) && !isThere.includes(publish))
  return isThere.length > 0
    ? `no ${missing.join()} has been published yet; "tapeline score" publishes scores and pulse`
    : 'no snapshot has been published yet'
}

/** The snapshot of a cursor. One that another process gave may be newer than what is known here. */
const snapshotOf = async (id: string, marts: Marts): Promise<Snapshot | null> => {
  if (!marts.at(id)) await marts.refresh()
  return marts.at(id)
}

type List = Extract<Endpoint, { kind: 'list' }>
type Single = Extract<Endpoint, { kind: 'single' }>
type Read = { body: Buffer; headers: [string, string][] }
type Query = Record<string, unknown>

const readList = async (
  endpoint: List,
  of: { query: Query; after: string[] | null; format: Format },
  snapshot: Snapshot,
  { cursors, publicUrl }: Sources,
): Promise<Read> => {
  const fields = Object.keys(endpoint.item.shape)
  const limit = typeof of.query['limit'] === 'number' ? of.query['limit'] : 1_000
  const page = await readPage(snapshot, {
    selection: endpoint.rows(of.query, snapshot),
    fields,
    limit,
    after: of.after,
  })
  const items = page.rows.map(endpoint.present) as Query[]
  const body = Buffer.from(of.format === 'text/csv' ? toCsv(fields, items) : JSON.stringify(items))
  if (!page.next) return { body, headers: [] }
  const cursor = cursors.write(walkOf(endpoint, of.query), { snapshot_id: snapshot.id, after: page.next })
  return { body, headers: [['Link', `<${publicUrl}${canonicalOf(endpoint, of.query)}&cursor=${cursor}>; rel="next"`]] }
}

const readSingle = async (endpoint: Single, query: Query, context: Context): Promise<Read> => {
  const { body, headers } = await endpoint.read(query, context)
  return { body: Buffer.from(JSON.stringify(body)), headers }
}

const negotiate = (endpoint: Endpoint, accept: string | undefined): Format => {
  const formats: Format[] = endpoint.kind === 'list' ? ['application/json', 'text/csv'] : ['application/json']
  // With the charset spelled out a type is still the type that is served.
  const spelled = formats.flatMap((format) => [format, `${format}; charset=utf-8`])
  const chosen = new Negotiator({ headers: { accept } }).mediaType(spelled)
  const format = formats.find((one) => chosen?.startsWith(one))
  if (format) return format
  throw new ApiError('not_acceptable', `This endpoint answers in ${formats.join(' or ')}; Accept allows none of that.`)
}

/** The same for every spelling of the same request. */
const canonicalOf = (endpoint: Endpoint, query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const pairs = given.map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' && value && 'shown' in value ? String(value.shown) : String(value),
  ])
  return `/v1${endpoint.path}?${new URLSearchParams(pairs).toString()}`
}

/** What a cursor is bound to: the query without the size of its pages, which may differ from page to page. */
const walkOf = (endpoint: Endpoint, { limit: _, ...query }: Query): string => canonicalOf(endpoint, query)

/** Strong: the same snapshot, version and request make the same bytes. */
const etagOf = (snapshot: Snapshot, format: Format, request: string): string => {
  const seed = JSON.stringify([manifest.version, snapshot.id, format, request])
  return `"${createHash('sha256').update(seed).digest('base64url').slice(0, 27)}"`
}

const refusedCursor = (fault: string) =>
  new ApiError('invalid_request', `cursor ${fault}; accepted: what the Link header of the page before gave.`)
