import { z } from 'zod'

import { observationAt, observedEvery } from '#ingest/observation.ts'
import { defineSource } from '#ingest/source.ts'

import { idOf, manifoldHost, rowsAt, VENUE } from './hosts.ts'

const name = 'manifold_markets'
const grid_s = 300

const marketRow = z.object({
  slug: z.string(),
  event: z.string(),
  question: z.string(),
  labels: z.array(z.string()),
  created_s: z.int(),
  ends_s: z.int(),
  closed_s: z.int().nullable(),
  resolved_s: z.int().nullable(),
  payouts: z.array(z.int()).nullable(),
  bid: z.int().nullable(),
  ask: z.int().nullable(),
  last: z.int().nullable(),
})

/** The markets, their prices and their payouts. */
export const manifoldMarkets = defineSource({
  name,
  doc: 'All markets of Manifold.',
  parts: [{ name: VENUE, upstreams: [manifoldHost] }],
  datasets: ['markets', 'quotes', 'resolutions'],
  precedence: 20,
  ...observedEvery(grid_s),
  follow: { group: 'histories' },
  typical: { requests: 1, rows: 100, bytes: 100_000 },
  plan: async (context) => [observationAt({ name, grid_s }, context)],
  read: async ({ from }, { get }) => {
    const rows = await rowsAt(get, '/markets', marketRow)
    const amount = (value: number | null): bigint | null => (value === null ? null : BigInt(value))
    const markets = rows.map(({ slug, event, question, labels, created_s, ends_s, closed_s }) => ({
      market_id: idOf(slug),
      seen_at: from,
      venue: VENUE,
      event_id: idOf(event),
      question,
      labels,
      token_ids: labels.map((_, outcome) => `${slug}:${outcome}`),
      category: null,
      tags: [],
      url: null,
      status: closed_s === null ? 'open' : 'closed',
      is_open: closed_s === null,
      created_at: created_s * 1_000_000,
      starts_at: null,
      starts_by: null,
      ends_at: ends_s * 1_000_000,
      closed_at: closed_s === null ? null : closed_s * 1_000_000,
      collateral: 'USD',
      taker_fee_rate: 0n,
      maker_fee_rate: 0n,
      fee_exponent: null,
      neg_risk_id: null,
      neg_risk_index: null,
      volume_usd: null,
    }))
    const quotes = rows.flatMap(({ slug, closed_s, bid, ask, last }) =>
      closed_s !== null
        ? []
        : {
            market_id: idOf(slug),
            ts: from,
            period_s: 0,
            venue: VENUE,
            bid: amount(bid),
            ask: amount(ask),
            last: amount(last),
            size: null,
            volume_24h_usd: null,
            size_24h: null,
            venue_price: null,
            liquidity_usd: null,
          },
    )
    const resolutions = rows.flatMap(({ slug, resolved_s, payouts }) =>
      resolved_s === null || payouts === null
        ? []
        : {
            market_id: idOf(slug),
            ts: resolved_s * 1_000_000,
            venue: VENUE,
            payouts: payouts.map(BigInt),
            status: 'resolved',
            tx: null,
          },
    )
    return { rows: { markets, quotes, resolutions }, rejected: [], state: 'complete', proof: 'one list' }
  },
})
