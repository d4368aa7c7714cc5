import { z } from 'zod'

import { defineSource } from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { numberedFills } from '#sources/markets/fills.ts'

import { manifoldHost, rowsAt, VENUE } from './hosts.ts'
import { fillOf, tradeRow } from './rows.ts'

const source = { name: 'manifold_trades', unit: 'history', part: VENUE } as const

/** The trades of each market. */
export const manifoldTrades = defineSource({
  ...source,
  doc: 'The trades of each market of Manifold.',
  parts: [{ name: VENUE, upstreams: [manifoldHost] }],
  datasets: ['fills'],
  precedence: 10,
  lag_s: 0,
  settle_s: 600,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 1, rows: 100, bytes: 10_000 },
  plan: async ({ lake }) => {
    const rows = await lake.query(
      "select distinct split_part(market_id, ':', 2) as slug from lake.markets where source = 'manifold_markets'",
      z.object({ slug: z.string() }),
      {},
      { markets: ['manifold_markets/'] },
    )
    return inPathOrder(rows.map(({ slug }) => unitOf(source, { key: slug, from: 0 })))
  },
  read: async ({ key }, { get, until }) => {
    const fills = (await rowsAt(get, `/trades/${key}`, tradeRow)).map(fillOf).filter(({ ts }) => ts < until)
    return { rows: { fills: numberedFills(fills) }, rejected: [], state: 'complete', proof: 'one list' }
  },
})
