import { ingestUnits } from '#ingest/batch.ts'
import type { Http } from '#ingest/http/http.ts'
import { plan } from '#ingest/plan.ts'
import type { Lake } from '#lake/lake.ts'
import { unitPath } from '#lake/units/unit.ts'
import { polymarketFeed } from '#sources/markets/polymarket/polymarket_feed.ts'
import type { Micros } from '#time.ts'

import { fakeGet, type Upstream } from './fake.ts'
import { hex, inV1, tradeBody, v2Page, wallet } from './wire.ts'

export const second = 1_000_000
export const minute = 60 * second
export const hour = 60 * minute
/** 2026-11-20T13:00Z */
export const one = Date.UTC(2026, 10, 20, 13) * 1000

/** A row of the feed. The first wallets are takers. */
export type Trade = { ts: Micros; taker?: boolean; tx?: number; n?: number; body?: Record<string, unknown> }

const bodyOf = ({ ts, taker = true, tx = ts / second, n = 0, body = {} }: Trade): Record<string, unknown> =>
  tradeBody({
    timestamp: ts / second,
    transaction_hash: hex(tx),
    proxy_wallet: wallet(taker ? 1 : 2),
    side: taker ? 'BUY' : 'SELL',
    size: 10 + n,
    ...body,
  })

/** Older than every test: where a walk that goes on to the end of the feed ends. */
export const longAgo: Trade = { ts: one - 20 * hour }

/** One trade every ten minutes from noon to four, a maker beside each taker. */
export const everyTen: Trade[] = [
  longAgo,
  ...Array.from({ length: 24 }, (_, n) => one - hour + n * 10 * minute).flatMap((ts) => [{ ts }, { ts, taker: false }]),
]

type FeedOptions = { version?: 'v1' | 'v2'; pageSize?: number; shown?: number }

/** The bare feed of trades by a clock: newest first, takers alone by default; v1 shows so many rows and no more. */
export const bareFeed =
  (
    trades: readonly Trade[],
    now: () => Micros,
    { version = 'v2', pageSize = 3, shown = Infinity }: FeedOptions = {},
  ): Upstream =>
  (path, query) => {
    const takerOnly = query.get(version === 'v2' ? 'taker_only' : 'takerOnly') !== 'false'
    const at = now()
    const rows = trades
      .filter(({ ts, taker = true }) => ts <= at && (taker || !takerOnly))
      .toSorted((a, b) => b.ts - a.ts)
    if (version === 'v2') {
      return path === '/v2/trades'
        ? { body: v2Page(rows.slice(0, shown).map(bodyOf), query, pageSize) }
        : { status: 404 }
    }
    const offset = Number(query.get('offset'))
    const page = rows.slice(offset, Math.min(offset + pageSize, shown))
    return path === '/trades' ? { body: page.map((row) => inV1(bodyOf(row))) } : { status: 404 }
  }

/** Plans and pulls the feed at an instant, as a follow does; gives back what was asked, by unit. */
export async function follow(
  lake: Lake,
  upstream: Upstream,
  at: Micros,
  { includeOpen = true, from = 0, to = at }: { includeOpen?: boolean; from?: Micros; to?: Micros } = {},
): Promise<{ units: string[]; asked: string[]; failures: string[] }> {
  const { get, asked } = fakeGet(upstream)
  const http: Http = (request, shape) => get(request, shape)
  const request = { source: polymarketFeed.name, at, from, to, keys: [], includeOpen }
  const { units } = await lake.read((reader) => plan(polymarketFeed, request, { lake: reader, get }))
  const tools = { lake, http, keepRaw: false, concurrency: 1 }
  const { failures } = await ingestUnits(tools, () => polymarketFeed, units, at)
  return { units: units.map((unit) => unitPath(unit).slice(-2)), asked, failures: failures.map(({ reason }) => reason) }
}
