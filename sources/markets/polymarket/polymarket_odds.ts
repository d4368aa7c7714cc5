import { changedQuotes } from '#ingest/change_rows.ts'
import { assertNoneLost, openFilled } from '#ingest/lost_columns.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import {
  defineSource,
  type NewRow,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
  type RowsRead,
} from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'

import { gammaHost } from './hosts.ts'
import { openBefore, shrunk } from './open_markets.ts'
import { parseMarkets, quoteOf, usualPrices } from './wire/gamma_rows.ts'
import { gammaPages } from './wire/paging.ts'
import { VENUE } from './wire/types.ts'

const name = 'polymarket_odds'
const grid_s = 60

export const polymarketOdds = defineSource({
  name,
  doc:
    'The prices of the open markets and their volume of 24 hours, once a minute: gamma’s ' +
    '`/markets/keyset?closed=false`, with cursors followed to their end. The first observation of a UTC day stores a ' +
    'quote of every open market, so that later ones need not look further back. The others store changes. Announced ' +
    'markets without a condition id and tokens are left out. An observation without more than 5 % of the open ' +
    'markets of the lake is *unverified*. Lakes of earlier versions also hold quotes of `polymarket_markets`; quotes ' +
    'of this source take precedence.',
  parts: [{ name: VENUE, upstreams: [gammaHost] }],
  datasets: ['quotes'],
  precedence: 30,
  ...observedEvery(grid_s),
  follow: { group: 'odds' },
  typical: { requests: 100, rows: 5_000, bytes: 50_000_000 },
  plan: async (context) => [observationAt({ name, grid_s }, context)],
  read,
})

async function read(unit: Unit, { get, lake }: ReadContext): Promise<ReadResult> {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  // Quotes are a quarter of their markets; null: a market that is not open.
  const listed = new Map<string, NewRow<'quotes'> | null>()
  const filled = openFilled(usualPrices)
  let pages = 0
  for await (const page of gammaPages(get, 'markets', { closed: false })) {
    pages += 1
    const markets = parseMarkets(page, { dataset: 'quotes', rejected, n_read })
    filled.add(markets)
    for (const market of markets) listed.set(market.conditionId, quoteOf(market, unit.from))
  }
  assertNoneLost('/markets/keyset', filled.absent())
  const before = await openBefore(lake, unit.from)
  const n_lost = before.filter((id) => !listed.has(id)).length
  const reason = shrunk(before, { n_lost, n_markets: listed.size })
  const quotes = [...listed.values()].filter((quote) => quote !== null)
  const changed = await changedQuotes(lake, unit, quotes)
  return {
    rows: { quotes: changed },
    rejected,
    n_read,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
    proof: `cursors followed to their end, ${pages} pages: ${quotes.length} open markets, ${changed.length} quotes`,
  }
}
