import { changedQuotes } from '#ingest/change_rows.ts'
import { assertNoneLost } from '#ingest/lost_columns.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import { defineSource, type ReadContext, type ReadResult, type RejectedRow, type RowsRead } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'

import { cutReason } from './cut_list.ts'
import { limitlessHost, VENUE } from './hosts.ts'
import { absentOf, parseListed } from './wire/market_rows.ts'
import { activeMarkets } from './wire/pages.ts'
import { quoteOf } from './wire/quote_rows.ts'
import { idOf } from './wire/types.ts'

const name = 'limitless_odds'
const grid_s = 120

export const limitlessOdds = defineSource({
  name,
  doc:
    'The prices of the active markets, every two minutes: `/markets/active` in pages of 25, complete as for ' +
    '`limitless_markets`. The bid and the ask are the prices at which YES is sold and bought at the market; `last` ' +
    'is the middle of the book. Older responses have prices from 0 to 100. The venue has no volume of 24 hours, so ' +
    'only a market of the last 24 hours has one: its volume of all time. The first observation of a UTC day stores a ' +
    'quote of every market, the others changes.',
  parts: [{ name: VENUE, upstreams: [limitlessHost] }],
  datasets: ['quotes'],
  precedence: 30,
  ...observedEvery(grid_s),
  follow: { group: 'odds' },
  typical: { requests: 40, rows: 500, bytes: 4_000_000 },
  plan: async (context) => [observationAt({ name, grid_s }, context)],
  read,
})

async function read(unit: Unit, { get, lake }: ReadContext): Promise<ReadResult> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const { rows, pages, incompleteReason } = await activeMarkets(get)
  const listed = parseListed(rows, { dataset: 'quotes', path: '/markets/active', rejected, n_read })
  assertNoneLost('/markets/active', absentOf(listed))
  const quotes = listed.map(({ market }) => quoteOf(market, unit.from)).filter((quote) => quote !== null)
  const listedIds = new Set(listed.map(({ market }) => idOf(market.slug)))
  const reason = incompleteReason ?? (await cutReason({ get, lake, at: unit.from, listed: listedIds }))
  const changed = await changedQuotes(lake, unit, quotes)
  return {
    rows: { quotes: changed },
    rejected,
    n_read,
    proof: `${pages} pages: ${quotes.length} open markets, ${changed.length} quotes`,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
  }
}
