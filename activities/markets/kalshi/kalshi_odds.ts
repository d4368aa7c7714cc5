import { changedQuotes } from '#activities/ingest/change_rows.ts'
import { unitOf } from '#activities/ingest/units.ts'
import { parseRows } from '#activities/parse/rows.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type PullContext,
  type PullResult,
  type RejectedRow,
} from '#activities/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gridInstant } from '#time.ts'

import { kalshiHost } from './hosts.ts'
import { isCombo, kalshiMarket, quoteOf } from './wire/market_rows.ts'
import { kalshiPages } from './wire/paging.ts'
import { VENUE } from './wire/types.ts'

const GRID_S = 60
const source = { name: 'kalshi_odds', unit: 'observation', part: VENUE } as const

export const kalshiOdds = defineSource({
  name: source.name,
  doc:
    'The best bid and ask of YES in the open markets, the last price and the contracts of 24 hours, once a minute: ' +
    '`/markets?status=open`, combinations of markets excluded, cursors followed to their end. A bid of 0 or an ask of ' +
    '1 is an empty side. The book of a closed or settled market is 0 and 1 and is not stored. The first observation ' +
    'of a UTC day stores a quote of every open market; the others store changes. Dollars of 24 hours follow from ' +
    '`kalshi_trades`.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['quotes'],
  unit: source.unit,
  precedence: 30,
  lag_s: 0,
  settle_s: 0,
  grid_s: GRID_S,
  follow: { group: 'odds', publishes: true },
  typical: { requests: 200, rows: 20_000, bytes: 300_000_000 },
  plan,
  pull,
})

async function plan({ at }: PlanContext): Promise<Unit[]> {
  const from = gridInstant(at, GRID_S)
  return [unitOf(source, { from, to: from })]
}

async function pull(unit: Unit, { get, lake }: PullContext): Promise<PullResult> {
  const path = '/markets'
  const rejected: RejectedRow[] = []
  const quotes = new Map<string, NewRow<'quotes'>>()
  let pages = 0
  for await (const page of kalshiPages(get, path, { field: 'markets', status: 'open', mve_filter: 'exclude' })) {
    pages += 1
    for (const market of parseRows(page, kalshiMarket, { dataset: 'quotes', path, rejected })) {
      const quote = isCombo(market) ? null : quoteOf(market, unit.from)
      if (quote !== null) quotes.set(quote.market_id, quote)
    }
  }
  const changed = await changedQuotes(lake, source, [...quotes.values()], unit.from)
  return {
    rows: { quotes: changed },
    rejected,
    state: 'complete',
    proof: `cursors followed to their end, ${pages} pages: ${quotes.size} open markets, ${changed.length} quotes`,
  }
}
