import { changedQuotes } from '#ingest/change_rows.ts'
import { mostMissing } from '#ingest/guard.ts'
import type { Get } from '#ingest/http/request.ts'
import { assertNoneLost, openFilled } from '#ingest/lost_columns.ts'
import { observationAt, observedEvery } from '#ingest/observation.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import {
  defineSource,
  type NewRow,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
  type RowsRead,
} from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { marketsBefore, noMarket } from '#sources/markets/known_markets.ts'

import { kalshiHost } from './hosts.ts'
import { isCombo, kalshiMarket, quoteOf, usualPrices } from './wire/market_rows.ts'
import { kalshiPages, TICKERS_PER_REQUEST } from './wire/paging.ts'
import { idOf, nativeId, VENUE } from './wire/types.ts'

const name = 'kalshi_odds'
const grid_s = 60
export const kalshiOdds = defineSource({
  name,
  doc:
    'The best bid and ask of YES in the open markets, the last price and the contracts of 24 hours, once a minute: ' +
    '`/markets?status=open`, combinations of markets excluded, cursors followed to their end. Open markets that are ' +
    'missing there are asked for by their tickers: if they are still open, the observation is *unverified*. A bid of ' +
    '0 or an ask of 1 is an empty side. The book of a closed or settled market is 0 and 1 and is not stored. The ' +
    'first observation of a UTC day stores a quote of every open market; the others store changes. Dollars of 24 ' +
    'hours follow from `kalshi_trades`.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['quotes'],
  precedence: 30,
  ...observedEvery(grid_s),
  follow: { group: 'odds' },
  typical: { requests: 200, rows: 20_000, bytes: 300_000_000 },
  plan: async (context) => [observationAt({ name, grid_s }, context)],
  read,
})

async function read(unit: Unit, { get, lake }: ReadContext): Promise<ReadResult> {
  const path = '/markets'
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const quotes = new Map<string, NewRow<'quotes'>>()
  const filled = openFilled(usualPrices)
  let pages = 0
  for await (const page of kalshiPages(get, path, { field: 'markets', status: 'open', mve_filter: 'exclude' })) {
    pages += 1
    const markets = parseRows(page, kalshiMarket, { dataset: 'quotes', path, rejected, n_read })
    filled.add(markets)
    for (const market of markets) {
      const quote = isCombo(market) ? null : quoteOf(market, unit.from)
      if (quote !== null) quotes.set(quote.market_id, quote)
    }
  }
  assertNoneLost(path, filled.absent())
  const before = await marketsBefore(lake, unit.from, { source: 'kalshi_markets', statuses: ['open'] })
  const reason = await cutReason(get, before.map(nativeId), quotes)
  const changed = await changedQuotes(lake, unit, [...quotes.values()])
  return {
    rows: { quotes: changed },
    rejected,
    n_read,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
    proof: `cursors followed to their end, ${pages} pages: ${quotes.size} open markets, ${changed.length} quotes`,
  }
}

/**
 * The reason why a list may be cut short. Many markets close in the same hour, so that some of the missing ones are
 * read by their tickers: if they are open, or not shown at all, the list is cut.
 */
async function cutReason(
  get: Get,
  before: readonly string[],
  quotes: ReadonlyMap<string, unknown>,
): Promise<string | null> {
  if (before.length === 0 && quotes.size === 0) return noMarket
  const lost = before.filter((ticker) => !quotes.has(idOf(ticker)))
  if (lost.length <= mostMissing(before.length)) return null
  const step = Math.ceil(lost.length / TICKERS_PER_REQUEST)
  const asked = lost.filter((_, n) => n % step === 0)
  let [n_open, n_shown] = [0, 0]
  for await (const page of kalshiPages(get, '/markets', { field: 'markets', tickers: asked.join() })) {
    const markets = parseRows(page, kalshiMarket, { dataset: 'quotes', path: '/markets', rejected: [] })
    n_shown += markets.length
    n_open += markets.filter((market) => quoteOf(market, 0) !== null).length
  }
  const n_hidden = asked.length - n_shown
  return n_open + n_hidden > 0.05 * asked.length
    ? `${lost.length} of ${before.length} open markets are not listed; of ${asked.length} of them ${n_open} are open, and ${n_hidden} not shown`
    : null
}
