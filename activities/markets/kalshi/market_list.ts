import { openFilled } from '#activities/ingest/lost_columns.ts'
import { parseRows } from '#activities/parse/rows.ts'
import type { NewRow, PullContext, RejectedRow, RowsRead } from '#activities/source.ts'
import type { Micros } from '#time.ts'

import { describeMarket, isCombo, isSettled, kalshiMarket, unknownTerms, usualFields } from './wire/market_rows.ts'
import { kalshiPages } from './wire/paging.ts'

/** Keeps the markets of lists, each once and without terms. Of all markets it holds the ticker alone. */
export function openList(at: Micros, { get, keepRows }: Pick<PullContext, 'get' | 'keepRows'>) {
  const rejected: RejectedRow[] = []
  const n_read: RowsRead = {}
  const filled = openFilled(usualFields)
  const isSettledOf = new Map<string, boolean>()
  // A market that moves from one list to another is in both, in its later state the second time.
  const repeated = new Map<string, NewRow<'markets'>>()
  let pages = 0
  return {
    rejected,
    n_read,
    /** Whether a market is settled, by its ticker. */
    isSettled: isSettledOf as ReadonlyMap<string, boolean>,
    pages: () => pages,
    absent: filled.absent,
    latest: (row: NewRow<'markets'>): NewRow<'markets'> => repeated.get(row.market_id) ?? row,
    read: async (path: string, query: Record<string, string>): Promise<void> => {
      for await (const page of kalshiPages(get, path, { field: 'markets', ...query })) {
        pages += 1
        const parsed = parseRows(page, kalshiMarket, { dataset: 'markets', path, rejected, n_read })
        const markets = parsed.filter((market) => !isCombo(market))
        filled.add(markets)
        const rows: NewRow<'markets'>[] = []
        for (const market of markets) {
          const row = describeMarket(market, unknownTerms, at)
          if (isSettledOf.has(market.ticker)) repeated.set(row.market_id, row)
          else rows.push(row)
          isSettledOf.set(market.ticker, isSettled(market))
        }
        await keepRows('markets', rows)
      }
    },
  }
}
