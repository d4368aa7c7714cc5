import { z } from 'zod'

import type { ActivityTools } from '#activities/index.ts'
import { detachedContext } from '#ingest/heartbeat.ts'
import type { Host } from '#ingest/http/host.ts'
import type { Http } from '#ingest/http/http.ts'
import { encodeQuery, type Get } from '#ingest/http/request.ts'
import { HttpError, parseShape } from '#ingest/http/response.ts'
import { defineSource, type ReadContext, type ReadResult, type PlannedSource, type Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { judgeSpace } from '#storage/disk_space.ts'
import { quote } from '#test/lake/fixture.ts'
import type { Micros } from '#time.ts'

export const second: Micros = 1_000_000

/** For what asks no upstream. */
export const noNetwork: Get = async ({ path }) => {
  throw new Error(`${path}: nothing is asked here`)
}

/** The items of the tiny upstream, by key. An item has any type. */
export type Listing = Record<string, readonly unknown[]>

export const unitOf = (key: string, more: Partial<Unit> = {}): Unit => ({
  source: 'venue_quotes',
  kind: 'history',
  part: 'venue',
  key,
  from: 0,
  to: null,
  params: [],
  ...more,
})

const page = z.object({ items: z.array(z.unknown()), more: z.boolean() })
const item = z.object({ ts: z.number(), bid: z.number() })

export const tinyHost: Host = {
  name: 'polymarket_data',
  doc: '',
  url: 'http://127.0.0.1:9',
  requestsPer10s: 1e6,
  concurrency: 16,
}

/** A source of quotes: two to a page, an item `{ts, bid}` in seconds and ten-thousandths. */
export function tinySource(more: Partial<PlannedSource> = {}): PlannedSource {
  return defineSource({
    name: 'venue_quotes',
    doc: 'Quotes of a venue.',
    parts: [{ name: 'venue', upstreams: [tinyHost] }],
    datasets: ['quotes', 'markets'],
    unit: 'history',
    precedence: 5,
    lag_s: 60,
    settle_s: 3_600,
    grid_s: 60,
    follow: { group: 'histories' },
    typical: { requests: 2, rows: 100, bytes: 5_000 },
    plan: async () => [],
    read: (unit, context) => readItems(unit, context),
    ...more,
  })
}

/** Reads all pages of a unit; `parse` gives the bid of an item, or throws. */
export async function readItems(
  unit: Unit,
  { get, until }: ReadContext,
  parse: (body: unknown) => z.infer<typeof item> = (body) => item.parse(body),
): Promise<ReadResult> {
  const pulled: ReadResult = { rows: { quotes: [] }, rejected: [], state: 'complete', proof: 'the last page says so' }
  for (let offset = 0; ; offset += 2) {
    const { items, more } = await get({ host: tinyHost.name, path: '/quotes', query: { key: unit.key, offset } }, page)
    for (const body of items) {
      try {
        const { ts, bid } = parse(body)
        if (ts * second < until) pulled.rows.quotes?.push(quote(unit.key, ts * second, { bid: BigInt(bid) * 100n }))
      } catch {
        pulled.rejected.push({ dataset: 'quotes', reason: 'not an item', path: '/quotes', body })
      }
    }
    if (!more) return pulled
  }
}

/** The tiny upstream as an `Http`, which notes what it was asked. A key that it does not have is a 404. */
export function tinyHttp(
  listing: Listing,
  { world, pause = async () => {} }: { world?: (key: string) => string | undefined; pause?: () => Promise<void> } = {},
): { http: Http; asked: string[] } {
  const asked: string[] = []
  const http: Http = async ({ host = tinyHost.name, path, query }, shape, onReply) => {
    const text = encodeQuery(query)
    asked.push(text)
    await pause()
    const asks = new URLSearchParams(text)
    const key = asks.get('key') ?? ''
    const offset = Number(asks.get('offset'))
    const items = listing[key]
    const simulated = world?.(key) ?? 'real'
    const status = items === undefined ? 404 : 200
    const json = { items: items?.slice(offset, offset + 2), more: offset + 2 < (items?.length ?? 0) }
    const body = items === undefined ? 'no such key' : JSON.stringify(json)
    await onReply?.({ host, path, query: text, status, body, headers: {}, world: simulated, asked: [host], sent: 1 })
    if (status === 404) throw new HttpError({ host, path, status, attempts: 1, body, what: 'answered 404' })
    return parseShape(host, path, JSON.parse(body), shape)
  }
  return { http, asked }
}

/** All that activities work with, over one source and an instant. */
export const tinyTools = (lake: Lake, source: Source, at: Micros): ActivityTools => ({
  lake,
  sources: [source],
  hosts: { [tinyHost.name]: tinyHost },
  http: tinyHttp({}).http,
  streams: async function* () {},
  models: [],
  macros: [],
  columns: {},
  clock: () => at,
  speed: 1,
  now: () => at,
  timers: { now_ms: () => 0, sleep: async () => undefined },
  disk: async () => judgeSpace(1e12),
  keepRaw: false,
  concurrency: 2,
  keepSnapshots_ms: 0,
  keepLakeSnapshots_ms: 0,
  threads: 1,
  memory: '256MB',
  requests: {
    list: async () => [],
    followed: async () => [],
    strangers: async () => [],
    complete: async () => undefined,
  },
  context: () => detachedContext,
})
