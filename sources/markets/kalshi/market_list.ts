import { openFilled } from '#ingest/lost_columns.ts'
import { parseRows } from '#ingest/parse/rows.ts'
import type { ReadContext, RejectedRow, RowsRead } from '#ingest/source.ts'

import { describeMarket, isCombo, isSettled, kalshiMarket, unknownTerms, usualFields } from './wire/market_rows.ts'
import { kalshiPages } from './wire/paging.ts'

/**
 * Keeps the markets of lists without terms, each with its place as its instant. Of all markets it holds the ticker
 * alone.
 */
export function openList({ get, keepRows }: Pick<ReadContext, 'get' | 'keepRows'>) {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const filled = openFilled(usualFields)
  const isSettledOf = new Map<string, boolean>()
  let [pages, n_rows] = [0, 0]
  return {
    rejected,
    n_read,
    /** Whether a market is settled, by its ticker. */
    isSettled: isSettledOf as ReadonlyMap<string, boolean>,
    pages: () => pages,
    absent: filled.absent,
    read: async (path: string, query: Record<string, string>): Promise<void> => {
      for await (const page of kalshiPages(get, path, { field: 'markets', ...query })) {
        pages += 1
        const parsed = parseRows(page, kalshiMarket, { dataset: 'markets', path, rejected, n_read })
        const markets = parsed.filter((market) => !isCombo(market))
        filled.add(markets)
        for (const market of markets) isSettledOf.set(market.ticker, isSettled(market))
        const rows = markets.map((market, n) => describeMarket(market, unknownTerms, n_rows + n))
        n_rows += rows.length
        await keepRows('markets', rows)
      }
    },
  }
}
