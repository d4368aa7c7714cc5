import { z } from 'zod'

import type { Get, HttpRequest } from '#ingest/http/request.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import { areAll, followPages } from '#sources/markets/follow_pages.ts'
import { kalshiRequest } from '#sources/markets/kalshi/hosts.ts'
import { SECOND, type Micros } from '#time.ts'

/** The largest page of markets and trades. A larger limit is an error. */
const LIMIT = 1000
/** Tickers of one request. A URL may have 8 KB, and a ticker some 40 characters. */
export const TICKERS_PER_REQUEST = 100

const rows = z.array(z.unknown()).nullish()
const pages = z.object({ markets: rows, trades: rows, series: rows, cursor: z.string().nullish() })

/** A list without a limit gives pages of so many rows. */
const DEFAULT_LIMIT = 100

/**
 * The pages of a list, with cursors followed to the empty one. Cursors do not contain the filters. A filter of
 * markets may shorten a page.
 */
export function kalshiPages(
  get: Get,
  path: string,
  { field, ...query }: HttpRequest['query'] & { field: 'markets' | 'trades' },
): AsyncGenerator<unknown[]> {
  const ask = async (cursor: string | undefined, limit: number) => {
    const page = await get(kalshiRequest(path, { ...query, limit, cursor }), pages)
    const listed = page[field]
    if (!listed) throw new Error(`${path}: no list of ${field}; expected one on each page`)
    return { rows: listed, next: page.cursor || null }
  }
  // Of markets by name, those that are missing are read from the archive.
  const isNamed = query['tickers'] !== undefined
  return followPages(ask, { limit: LIMIT, full: DEFAULT_LIMIT, ...(isNamed ? {} : { idOf: ids[field] }) })
}

/** Whether a list shows a row at all. An empty list may be one that answers nothing. */
export async function anyRow(
  get: Get,
  path: string,
  { field, ...query }: HttpRequest['query'] & { field: 'markets' | 'trades' },
): Promise<boolean> {
  const page = await get(kalshiRequest(path, { ...query, limit: 1 }), pages)
  return (page[field] ?? []).length > 0
}

const trade = z.object({ trade_id: z.string() })
const market = z.object({ ticker: z.string() })
const ids = {
  trades: (row: unknown): string => trade.safeParse(row).data?.trade_id ?? JSON.stringify(row),
  markets: (row: unknown): string => market.safeParse(row).data?.ticker ?? JSON.stringify(row),
}

const cutoffs = z.object({ market_settled_ts: isoInstant, trades_created_ts: isoInstant })
export type Cutoffs = z.output<typeof cutoffs>

/**
 * The instants before which markets, by their settlement, and trades are in the archive alone. Rows move from the live
 * lists to the archive. A reading of the archive after that of the live list therefore misses no row.
 */
export const readCutoffs = (get: Get): Promise<Cutoffs> => get(kalshiRequest('/historical/cutoff'), cutoffs)

/** The seconds around a span. Whether the venue includes its bounds is not documented, so they are one second wider. */
export const secondsAround = ({ from, to }: { from: Micros; to: Micros }): { min: number; max: number } => ({
  min: Math.floor(from / 1_000_000) - 1,
  max: Math.ceil(to / 1_000_000),
})

type Seconds = ReturnType<typeof secondsAround>

/**
 * Throws if no row of a page is of the requested seconds: the venue ignores the filter, and shows all that it has. A
 * null instant is unknown.
 */
export function assertWithin(path: string, instants: readonly (Micros | null)[], { min, max }: Seconds): void {
  const isOutside = (at: Micros | null): boolean => at !== null && (at < min * SECOND || at >= (max + 1) * SECOND)
  if (areAll(instants, isOutside))
    throw new Error(`${path}: no row of a page is of the seconds ${min} to ${max}; expected only rows of these seconds`)
}
