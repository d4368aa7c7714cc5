import { isChange, isFirstOfDay, lastRows } from '#activities/ingest/change_rows.ts'
import { unitOf } from '#activities/ingest/units.ts'
import { noMarket } from '#activities/markets/known_markets.ts'
import {
  defineSource,
  type PlanContext,
  type PullContext,
  type PullResult,
  type RejectedRow,
  type RowsRead,
} from '#activities/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gridInstant } from '#time.ts'

import { clobHost } from './hosts.ts'
import { clobMarket, describeClobMarket, resolutionOf, type ClobMarket } from './wire/clob_rows.ts'
import { clobPages } from './wire/paging.ts'
import { parseRows, VENUE } from './wire/types.ts'

const GRID_S = 300

export const polymarketClobMarkets = defineSource({
  name: 'polymarket_clob_markets',
  doc:
    'Every market that the order book ever had, once a UTC day, with its resolution: the CLOB’s `/markets`, ' +
    'followed to its end marker. It is the fallback for markets that gamma does not list. The CLOB does not give ' +
    'the time of a resolution, so its resolutions have the instant at which they were first seen, which may be ' +
    'later.',
  parts: [{ name: VENUE, upstreams: [clobHost] }],
  datasets: ['markets', 'resolutions'],
  unit: 'observation',
  precedence: 10,
  lag_s: 0,
  settle_s: 0,
  grid_s: GRID_S,
  follow: null,
  typical: { requests: 400, rows: 10_000, bytes: 800_000_000 },
  plan,
  pull,
})

const source = { name: 'polymarket_clob_markets', unit: 'observation', part: VENUE } as const

async function plan({ lake, at, keys }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  const isFirst = await isFirstOfDay(lake, source, from)
  return !isFirst && keys.length === 0 ? [] : [unitOf(source, { from, to: from })]
}

async function pull(unit: Unit, { get, lake }: PullContext): Promise<PullResult> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const markets = new Map<string, ClobMarket>()
  let pages = 0
  for await (const page of clobPages(get)) {
    pages += 1
    for (const market of parseRows(page, clobMarket, { dataset: 'markets', path: '/markets', rejected, n_read })) {
      markets.set(market.condition_id, market)
    }
  }
  const described = [...markets.values()].map((market) => describeClobMarket(market, unit.from))
  const resolved = [...markets.values()].map((market) => resolutionOf(market, unit.from)).filter((row) => row !== null)
  const last = { source: source.name, before: unit.from, market_ids: described.map(({ market_id }) => market_id) }
  const lastMarkets = await lastRows(lake, { ...last, dataset: 'markets', instant: 'seen_at' })
  const lastResolutions = await lastRows(lake, { ...last, dataset: 'resolutions', instant: 'ts' })
  return {
    rows: {
      markets: described.filter((row) => isChange('markets', row, lastMarkets.get(row.market_id), 'seen_at')),
      resolutions: resolved.filter((row) => isChange('resolutions', row, lastResolutions.get(row.market_id), 'ts')),
    },
    rejected,
    n_read,
    ...(markets.size === 0 ? { state: 'unverified', reason: noMarket } : { state: 'complete' }),
    proof: `followed to the end marker, ${pages} pages: ${markets.size} markets, ${resolved.length} resolved`,
  }
}
