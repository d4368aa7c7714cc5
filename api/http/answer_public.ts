import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { LRUCache } from 'lru-cache'

import type { RequestBuffer } from '#accounts/request_buffer.ts'
import type { Tier } from '#accounts/tiers.ts'
import type { Cursors } from '#api/contract/cursors.ts'
import type { ListEndpoint, PublicContext, PublicEndpoint, ReadResult, Selection } from '#api/contract/endpoint.ts'
import { invalidRequest, notReady } from '#api/contract/errors.ts'
import { contentOf, serialize } from '#api/contract/format.ts'
import type { LiveBalances } from '#api/live/live_balances.ts'
import manifest from '#package.json' with { type: 'json' }
import { SnapshotDamaged } from '#snapshots/digest.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import { publicationNames, type PublicationName } from '#snapshots/publications.ts'
import { askedBy, type Asking } from '#snapshots/queries.ts'
import type { Clock, Micros } from '#time.ts'

import { canonicalUrl, listOf, type PublicRequest } from './request.ts'
import { templateOf, type Sendable } from './respond.ts'

/** A complete answer of a public endpoint. It is valid while its snapshot is served, or until an instant before. */
export type PublicAnswer = Sendable & {
  endpoint: PublicEndpoint
  snapshot: Snapshot
  /** Whether the snapshot is that of a cursor. Other answers are valid only for the current snapshot. */
  isPinned: boolean
  /** The end and the length of its validity, if it also rests on other data than the snapshot; else null. */
  fresh: { until: Micros; length: Micros } | null
  parts: Parts
}

/** The inputs of public answers. */
export type PublicSources = {
  marts: Marts
  cursors: Cursors
  countRows: CountRows
  requests: Pick<RequestBuffer, 'request'>
  liveBalances: LiveBalances
  now: Clock
  /** The address before `/v1`; empty for links relative to the host. */
  publicUrl: string
}

/**
 * Answers a read of a public endpoint. The answer depends on the request and the snapshot, and where it says so on live
 * balances. The request has no account; `asking` has those whose turns and quotas it takes. A damaged snapshot is taken
 * out of service, and the one before it answers. Throws a 400 or 503.
 */
export async function answerPublic(
  request: PublicRequest,
  sources: PublicSources,
  asking: Asking,
): Promise<PublicAnswer> {
  const snapshot = await chooseSnapshot(request, sources)
  try {
    return await answerFrom(snapshot, request, sources, asking)
  } catch (error) {
    if (!(error instanceof SnapshotDamaged)) throw error
    await sources.marts.withdraw(snapshot)
    return answerFrom(await chooseSnapshot(request, sources), request, sources, asking)
  }
}

/** The snapshot of the request's cursor, or else the current one. */
async function chooseSnapshot({ endpoint, query, place }: PublicRequest, sources: PublicSources): Promise<Snapshot> {
  const reads = endpoint.reads(query)
  const current = sources.marts.current(...reads)
  if (!current) throw notReady(whyNotReady(sources.marts, reads))
  const snapshot = place ? await snapshotOf(place.snapshot_id, sources.marts) : current
  if (!snapshot)
    throw invalidRequest('cursor', 'expired after its snapshot was replaced', 'a request for the first page')
  return snapshot
}

async function answerFrom(
  snapshot: Snapshot,
  request: PublicRequest,
  sources: PublicSources,
  asking: Asking,
): Promise<PublicAnswer> {
  const { endpoint, format, query, place, tier } = request
  const { requests, liveBalances, now } = sources
  const [account_id = ''] = asking.names
  const requestIngestion: PublicContext['requestIngestion'] = (addresses, requester) =>
    requests.request(addresses, { account_id, ...requester })
  const asked = askedBy(snapshot, asking)
  const result: ReadResult<object> =
    endpoint.kind === 'list'
      ? await readList(endpoint, { query, tier, after: place?.after ?? null }, asked, sources)
      : await endpoint.read(query, { snapshot: asked, requestIngestion, liveBalances })
  const { fresh_ms, headers } = result
  const body = serialize(format, endpoint, result.body)
  const parts: Parts = {
    etag: etagOf(snapshot, request, fresh_ms === undefined ? null : [headers, body.toString()]),
    body,
    content: contentOf(format, endpoint).flat(),
    shared: [
      ['Last-Modified', new Date(snapshot.publishedAt / 1000).toUTCString()],
      ['X-Data-As-Of', new Date(snapshot.asOf / 1000).toISOString()],
      ['Cache-Control', 'private, max-age=0, must-revalidate'],
      ['Vary', 'Authorization, Accept, Accept-Encoding'],
      ...headers,
    ].flat(),
  }
  const length = fresh_ms === undefined ? null : fresh_ms * 1_000
  const fresh = length === null ? null : { until: now() + length, length }
  return { ...withHeaders(parts), parts, endpoint, snapshot, isPinned: place !== null, fresh }
}

/** The parts that differ between the plain and the compressed form of an answer, and the headers that both have. */
type Parts = { etag: string; body: Buffer; content: string[]; shared: string[] }

const withHeaders = ({ etag, body, content, shared }: Parts): Sendable => {
  const validators = ['ETag', etag, ...shared]
  return {
    headers: templateOf([...content, 'Content-Length', String(body.byteLength), ...validators]),
    notModifiedHeaders: templateOf(validators),
    etag,
    body,
  }
}

/** A smaller body is sent as it is: compressed, it would need as many packets. */
const compressed_from_bytes = 1_024
const compress = promisify(gzip)

/** The same answer for a client that prefers gzip. Its tag differs where its bytes do. */
export async function compressAnswer(answer: PublicAnswer): Promise<PublicAnswer> {
  if (answer.body.byteLength < compressed_from_bytes) return answer
  const body = await compress(answer.body)
  const { etag, content, shared } = answer.parts
  const parts = { etag: `${etag.slice(0, -1)}-gzip"`, body, content: [...content, 'Content-Encoding', 'gzip'], shared }
  return { ...answer, ...withHeaders(parts), parts }
}

/** The reason why no snapshot can be served. */
export const whyNotReady = (marts: Pick<Marts, 'current' | 'fault'>, reads: readonly PublicationName[]): string => {
  const fault = marts.fault()
  if (fault !== null) return fault
  const isThere = publicationNames().some((name) => marts.current(name))
  const missing = reads.filter((name) => !marts.current(name))
  const suffix = isThere ? ` of ${missing.join(', ')}` : ''
  return `no snapshot${suffix} has been published yet ("tapeline score" publishes all)`
}

/** The snapshot of a cursor. A cursor of another process may name a snapshot that this process has not seen yet. */
const snapshotOf = async (id: string, marts: Marts): Promise<Snapshot | null> => {
  if (!marts.at(id)) await marts.refresh()
  return marts.at(id)
}

const readList = async (
  endpoint: ListEndpoint,
  input: { query: PublicRequest['query']; tier: Tier | null; after: string[] | null },
  snapshot: Snapshot,
  { cursors, countRows, publicUrl }: PublicSources,
): Promise<{ body: object[]; headers: [string, string][] }> => {
  // An endpoint that is equal for all tiers does not read it.
  const selection = endpoint.rows(input.query, snapshot, input.tier ?? 'free')
  await endpoint.assertFits(snapshot, input.query)
  const { rows, next } = await readPage(snapshot, {
    selection,
    fields: Object.keys(endpoint.item.shape),
    limit: typeof input.query['limit'] === 'number' ? input.query['limit'] : endpoint.pageSize,
    after: input.after,
  })
  const body = rows.map(endpoint.present)
  const coverage = await endpoint.coverage(snapshot, input.query)
  const list = listOf(endpoint, input.query)
  const isWhole = next === null && input.after === null
  const total = isWhole ? rows.length : await countRows(snapshot, list, selection)
  const headers: [string, string][] = [['X-Total-Count', String(total)], ...(coverage === null ? [] : [coverage])]
  if (!next) return { body, headers }
  const cursor = cursors.write(list, { snapshot_id: snapshot.id, after: next })
  const link = `<${publicUrl}${canonicalUrl(endpoint, input.query)}&cursor=${cursor}>; rel="next"`
  return { body, headers: [...headers, ['Link', link]] }
}

/** A strong tag: the same snapshot, version, request and other data give the same bytes. */
const etagOf = (snapshot: Snapshot, { format, tier, url }: PublicRequest, others: unknown): string => {
  const seed = JSON.stringify([manifest.version, snapshot.id, format, tier, url, others])
  return `"${createHash('sha256').update(seed).digest('base64url').slice(0, 27)}"`
}

/** A page of a list. `next` holds the order values of its last row if another page follows. */
type Page = { rows: Record<string, unknown>[]; next: string[] | null }

/** Reads up to `limit` rows after a position in the list's order. */
async function readPage(
  snapshot: Snapshot,
  request: { selection: Selection; fields: string[]; limit: number; after: string[] | null },
): Promise<Page> {
  const { selection, fields, limit, after } = request
  const { order } = selection
  const marks = order.map(({ column }, i) => `${column}::varchar as _${i}`)
  const direction = order.map(({ column, isDescending }) => `${column}${isDescending ? ' desc' : ''}`)
  // One row more than the limit shows whether another page follows.
  const rows = await snapshot.query(
    `select ${[...fields, ...marks].join(', ')} from (${selection.sql})
     where (${after ? isAfter(order) : 'true'}) ${firstRows(order, { after, n: limit + 1, direction })}`,
    { ...selection.params, ...Object.fromEntries((after ?? []).map((value, i) => [`_${i}`, value])) },
  )
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    rows: page.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))),
    next: last ? order.map((_, i) => String(last[`_${i}`])) : null,
  }
}

/**
 * The first `n` rows in order. An interval of a rank needs no limit; with one, the database reads the whole list to
 * find its first rows.
 */
const firstRows = (
  order: Selection['order'],
  { after, n, direction }: { after: string[] | null; n: number; direction: string[] },
): string => {
  const [rank, ...others] = order
  const isInterval = rank?.isRank === true && others.length === 0
  return isInterval
    ? `and ${rank.column} <= ${Number(after?.[0] ?? 0) + n} order by ${rank.column}`
    : `order by ${direction.join(', ')} limit ${n}`
}

/** The rows after a position in the list's order: `a < $_0 or (a = $_0 and b > $_1)`. */
const isAfter = (order: Selection['order']): string =>
  order
    .map(({ column, type, isDescending }, i) => {
      const same = order.slice(0, i).map((before, k) => `${before.column} = $_${k}::${before.type}`)
      return `(${[...same, `${column} ${isDescending ? '<' : '>'} $_${i}::${type}`].join(' and ')})`
    })
    .join(' or ')

/** Counts the rows of a list, of all its pages. `list` is the request without its page. */
export type CountRows = (snapshot: Snapshot, list: string, selection: Selection) => Promise<number>

const mostCounts = 10_000

/**
 * A snapshot never changes, so each list is counted once for it; the pages of a walk share the count. A count under way
 * is not shared, since it ends with the callers that asked for it.
 */
export function openCounts(): CountRows {
  const kept = new LRUCache<string, number>({ max: mostCounts })
  return async (snapshot, list, { sql, params }) => {
    const key = `${snapshot.id} ${list}`
    const keptCount = kept.get(key)
    if (keptCount !== undefined) return keptCount
    const n = await countOf(snapshot, { sql, params })
    kept.set(key, n)
    return n
  }
}

const countOf = async (snapshot: Snapshot, { sql, params }: Pick<Selection, 'sql' | 'params'>): Promise<number> => {
  const [row] = await snapshot.query(`select count(*)::integer as n from (${sql})`, params)
  return Number(row?.['n'])
}
