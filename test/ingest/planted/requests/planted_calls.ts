import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import type { HttpRequest, Json } from '#ingest/http/request.ts'
import { unitPrice } from '#ingest/parse/decimals.ts'
import { epochSeconds } from '#ingest/parse/timestamps.ts'
import { defineSource, type ReadContext, type ReadResult } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'

import { hoursOf, quoteRow } from './planted_rows.ts'

/** Two hosts of one provider, which take the same key. */
const upstream = (name: string, requestsPer10s: number): Host => ({
  name,
  doc: 'The URL of planted calls',
  url: 'https://calls.planted.invalid',
  requestsPer10s,
  concurrency: 4,
  secret: {
    setting: 'PLANTED_KEY',
    doc: 'The key of planted calls',
    in: 'header',
    name: 'x-planted-key',
    withoutKey: 'unfollowed',
  },
})

const part = {
  name: 'planted',
  upstreams: [upstream('planted_calls', 1e6), upstream('planted_calls_spare', 1e5)],
} as const

const answer = z.object({ result: z.array(z.unknown()), next: z.number().nullable() })
const quote = z.object({ name: z.string(), ts: epochSeconds, bid: unitPrice })

/** A source of POST requests with a key, in one file: see CONTRIBUTING, Add a source. */
export const plantedCalls = defineSource({
  name: 'planted_calls',
  doc: 'Quotes of an hour from an API that takes POST requests with a key, page by page to the last.',
  parts: [part],
  datasets: ['quotes'],
  unit: 'hour',
  precedence: 20,
  lag_s: 0,
  settle_s: 0,
  grid_s: 60,
  follow: { group: 'planted' },
  typical: { requests: 2, rows: 4, bytes: 500 },
  plan: async (context) => hoursOf(context).map((span) => unitOf(source, span)),
  read,
})

const source = { name: 'planted_calls', unit: 'hour', part: 'planted' } as const

async function read(unit: Unit, { get, until }: ReadContext): Promise<ReadResult> {
  const pulled: ReadResult = { rows: { quotes: [] }, rejected: [], state: 'complete', proof: 'the last page says so' }
  let cursor: number | null = 0
  while (cursor !== null) {
    const body: Json = { id: 1, method: 'quotes', params: { from: unit.from / 1_000_000, cursor } }
    const request: HttpRequest = { upstreams: part.upstreams, path: '/rpc', method: 'POST', body }
    const { result, next }: z.infer<typeof answer> = await get(request, answer)
    for (const line of result) {
      const parsed = quote.safeParse(line)
      if (!parsed.success)
        pulled.rejected.push({ dataset: 'quotes', reason: parsed.error.message, path: '/rpc', body: line })
      else if (parsed.data.ts < until) pulled.rows.quotes?.push(quoteRow(parsed.data))
    }
    cursor = next
  }
  return pulled
}
