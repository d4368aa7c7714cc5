import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { marketBody, settledBody } from '#test/sources/markets/kalshi/wire.ts'

import { serveAnswers } from './serve_answers.ts'

/** An observation of Kalshi's markets. The first one reads the terms of series too. */
export const largeList = (at: number, isFirst: boolean): Unit =>
  unitOf(
    { name: 'kalshi_markets', unit: 'observation', part: 'kalshi' },
    { from: at, to: at, params: isFirst ? ['series'] : [] },
  )

/** All of Kalshi's archive of one series. */
export const largeArchive: Unit = unitOf(
  { name: 'kalshi_archive', unit: 'history', part: 'kalshi' },
  { key: 'KXLIST', from: 0 },
)

/**
 * Kalshi with so many settled markets of one series in its archive. The last tenth of the list has the first ones anew.
 */
export async function serveArchive(n_markets: number): Promise<{ url: string; close: () => Promise<void> }> {
  return serveAnswers(({ pathname, searchParams: query }) => {
    if (pathname === '/historical/cutoff')
      return JSON.stringify({ market_settled_ts: '2026-09-01T00:00:00Z', trades_created_ts: '2026-09-01T00:00:00Z' })
    const start = Number(query.get('cursor') ?? 0)
    const end = Math.min(start + Number(query.get('limit')), 1.1 * n_markets)
    const markets = Array.from({ length: end - start }, (_, n) => {
      const market = (start + n) % n_markets
      const isAnew = start + n >= n_markets
      const settled = new Date(Date.UTC(2026, 0, 1) + market * 1_000).toISOString()
      return settledBody(`KXLIST-26NOV22-M${market}`, settled, isAnew ? { title: 'Is the last one kept, again?' } : {})
    })
    return JSON.stringify({ markets, cursor: end < 1.1 * n_markets ? String(end) : '' })
  })
}

/** Kalshi with so many open markets. Every `every`th has the changed title, once it is set. */
export async function serveList(
  n_markets: number,
): Promise<{ url: string; change: (every: number) => void; close: () => Promise<void> }> {
  // A remainder by 0 is not 0.
  let changed = 0
  const server = await serveAnswers(({ pathname, searchParams: query }) => {
    if (pathname === '/series') return JSON.stringify({ series })
    const isListed = query.get('status') === 'open'
    const page = isListed
      ? pageOf(n_markets, Number(query.get('cursor') ?? 0), Number(query.get('limit')), changed)
      : {}
    return JSON.stringify({ markets: [], cursor: '', ...page })
  })
  return {
    ...server,
    change: (every) => {
      changed = every
    },
  }
}

const n_series = 1_000
const series = Array.from({ length: n_series }, (_, n) => ({
  ticker: `KXLIST${n}`,
  category: `Category ${n % 10}`,
  tags: ['large'],
  fee_type: 'quadratic',
  fee_multiplier: 1,
}))

/** Markets in an order of their own, of about 500 bytes each. */
function pageOf(n_markets: number, start: number, limit: number, changed: number) {
  const end = Math.min(start + limit, n_markets)
  const markets = Array.from({ length: end - start }, (_, n) => {
    const market = start + n
    const title = `Will the list be read whole${market % changed === 0 ? ', again' : ''}?`
    return marketBody(`KXLIST${market % n_series}-26NOV22-M${market}`, { title, yes_sub_title: `Market ${market}` })
  })
  return { markets, cursor: end < n_markets ? String(end) : '' }
}
