import { createHash } from 'node:crypto'

import type { Cursors } from '#api/contract/cursor.ts'
import type { ListEndpoint, PublicContext, PublicEndpoint } from '#api/contract/endpoint.ts'
import { ApiError, invalidRequest } from '#api/contract/errors.ts'
import { negotiate, serialize, type Format } from '#api/contract/format.ts'
import { readPage } from '#api/contract/page.ts'
import { parseQuery } from '#api/contract/parameters.ts'
import type { Marts, Snapshot } from '#marts/marts.ts'
import { publicationNames, type PublicationName } from '#marts/publications.ts'
import manifest from '#package.json' with { type: 'json' }

import type { RequestKey } from './request_context.ts'

/** A complete answer of a public endpoint. It is valid while its snapshot is served. */
export type PublicAnswer = {
  headers: [name: string, value: string][]
  etag: string
  body: Buffer
  endpoint: PublicEndpoint
  snapshot: Snapshot
  /** Whether the snapshot is that of a cursor. Other answers are valid only for the current snapshot. */
  isPinned: boolean
}

/** The inputs of public answers. */
export type PublicSources = {
  marts: Marts
  cursors: Cursors
  requestIngestion: PublicContext['requestIngestion']
  /** The address before `/v1`; empty for links relative to the host. */
  publicUrl: string
}

/**
 * Answers a read of a public endpoint. The answer depends on the key and the snapshot alone, and the key has no
 * account. Throws a 406, 400 or 503, checked in this order.
 */
export async function answerPublic(
  endpoint: PublicEndpoint,
  { accept, search }: RequestKey,
  sources: PublicSources,
): Promise<PublicAnswer> {
  const format = negotiate(endpoint, accept)
  const query = parseQuery(endpoint.parameters, search)
  const { cursor, ...rest } = query
  const page = typeof cursor === 'string' ? sources.cursors.read(listOf(endpoint, rest), cursor) : null
  if (cursor !== undefined && !page) throw invalidRequest('cursor', 'not issued for this query', nextCursor)

  const reads = endpoint.reads(rest)
  const current = sources.marts.current(...reads)
  if (!current) throw notReady(whyNotReady(sources.marts, reads))
  const snapshot = page ? await snapshotOf(page.snapshot_id, sources.marts) : current
  if (!snapshot)
    throw invalidRequest('cursor', 'expired after its snapshot was replaced', 'a request for the first page')

  const { body, headers } =
    endpoint.kind === 'list'
      ? await readList(endpoint, { query: rest, after: page?.after ?? null }, snapshot, sources)
      : await endpoint.read(query, { snapshot, requestIngestion: sources.requestIngestion })
  const bytes = serialize(format, endpoint, body)
  const etag = etagOf(snapshot, format, canonicalUrl(endpoint, query))
  return {
    headers: [
      ['Content-Type', `${format}; charset=utf-8`],
      ['Content-Length', String(bytes.byteLength)],
      ['ETag', etag],
      ['Last-Modified', new Date(snapshot.publishedAt / 1000).toUTCString()],
      ['X-Data-As-Of', new Date(snapshot.asOf / 1000).toISOString()],
      ['Cache-Control', 'private, max-age=0, must-revalidate'],
      ['Vary', 'Authorization, Accept'],
      ...headers,
    ],
    etag,
    body: bytes,
    endpoint,
    snapshot,
    isPinned: page !== null,
  }
}

export const notReady = (why: string) =>
  new ApiError('not_ready', `service: not ready, ${why}; expected a retry in a few seconds.`, {
    'Retry-After': '5',
  })

/** The reason why no snapshot can be served. */
export const whyNotReady = (marts: Marts, reads: readonly PublicationName[]): string => {
  const fault = marts.fault()
  if (fault !== null) return fault
  const isThere = publicationNames().some((name) => marts.current(name))
  const missing = reads.filter((name) => !marts.current(name))
  return isThere
    ? `no snapshot of ${missing.join(', ')} has been published yet ("tapeline score" publishes all)`
    : 'no snapshot has been published yet'
}

/** The snapshot of a cursor. A cursor of another process may name a snapshot that this process has not seen yet. */
const snapshotOf = async (id: string, marts: Marts): Promise<Snapshot | null> => {
  if (!marts.at(id)) await marts.refresh()
  return marts.at(id)
}

type Query = Record<string, unknown>

const readList = async (
  endpoint: ListEndpoint,
  of: { query: Query; after: string[] | null },
  snapshot: Snapshot,
  { cursors, publicUrl }: PublicSources,
): Promise<{ body: object[]; headers: [string, string][] }> => {
  const { rows, next } = await readPage(snapshot, {
    selection: endpoint.rows(of.query, snapshot),
    fields: Object.keys(endpoint.item.shape),
    limit: typeof of.query['limit'] === 'number' ? of.query['limit'] : 1_000,
    after: of.after,
  })
  const body = rows.map(endpoint.present)
  if (!next) return { body, headers: [] }
  const cursor = cursors.write(listOf(endpoint, of.query), { snapshot_id: snapshot.id, after: next })
  return { body, headers: [['Link', `<${publicUrl}${canonicalUrl(endpoint, of.query)}&cursor=${cursor}>; rel="next"`]] }
}

/** The same URL for every spelling of a request. */
const canonicalUrl = (endpoint: PublicEndpoint, query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const pairs = given.map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' && value && 'shown' in value ? String(value.shown) : String(value),
  ])
  return `/v1${endpoint.path}?${new URLSearchParams(pairs).toString()}`
}

/** The list of a cursor: the query without the page size, which may differ between pages. */
const listOf = (endpoint: PublicEndpoint, { limit: _, ...query }: Query): string => canonicalUrl(endpoint, query)

/** A strong tag: the same snapshot, version and request give the same bytes. */
const etagOf = (snapshot: Snapshot, format: Format, request: string): string => {
  const seed = JSON.stringify([manifest.version, snapshot.id, format, request])
  return `"${createHash('sha256').update(seed).digest('base64url').slice(0, 27)}"`
}

const nextCursor = 'the cursor from the Link header of the previous page'
