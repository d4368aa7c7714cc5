import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import { defineSource, type NewRow, type ReadContext, type ReadResult } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { followPages } from '#sources/markets/follow_pages.ts'

export const largeHost: Host = {
  name: 'large_host',
  doc: '',
  url: 'http://127.0.0.1:9',
  requestsPer10s: 1e6,
  concurrency: 4,
}

/** A source of one list, each page of which it hands over as it comes. */
export const largeSource = defineSource({
  name: 'large_fills',
  doc: 'One large list of fills.',
  parts: [{ name: 'venue', upstreams: [largeHost] }],
  datasets: ['fills'],
  unit: 'history',
  precedence: 5,
  lag_s: 60,
  settle_s: 60,
  grid_s: 60,
  follow: null,
  typical: { requests: 1, rows: 1, bytes: 1 },
  plan: async () => [largeUnit],
  read,
})

/** The only unit. It has ended long ago. */
export const largeUnit: Unit = unitOf(
  { name: 'large_fills', unit: 'history', part: 'venue' },
  { key: 'all', from: 0, to: 1_700_000_000_000_000 },
)

const page = z.object({ rows: z.array(z.unknown()), next: z.string().nullable() })
const rowShape = z.object({
  transaction_hash: z.string(),
  proxy_wallet: z.string(),
  token_id: z.string(),
  side: z.enum(['BUY', 'SELL']),
  timestamp: z.number(),
  price: z.number(),
  size: z.number(),
})

async function read(_: Unit, { get, keepRows }: ReadContext): Promise<ReadResult> {
  const pages = followPages(
    (cursor, limit) => get({ host: largeHost.name, path: '/list', query: { cursor, limit } }, page),
    { limit: 1_000, full: 1_000 },
  )
  for await (const rows of pages) await keepRows('fills', rows.map(toRow))
  return { rows: {}, rejected: [], state: 'complete', proof: 'cursors followed to their end' }
}

function toRow(body: unknown): NewRow<'fills'> {
  const row = rowShape.parse(body)
  return {
    venue: 'venue',
    token_id: row.token_id,
    ts: row.timestamp * 1_000_000,
    tx: row.transaction_hash,
    trader: row.proxy_wallet,
    side: row.side === 'BUY' ? 'buy' : 'sell',
    price: BigInt(row.price) * 1_000n,
    size: BigInt(row.size) * 1_000_000n,
    seq: 0,
    market_id: 'venue:all',
    role: 'maker',
    cash_usd: null,
    fee_usd: null,
  }
}
