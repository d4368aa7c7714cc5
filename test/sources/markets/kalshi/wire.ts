import type { Upstream } from '#test/sources/markets/polymarket/fake.ts'

type Body = Record<string, unknown>

/** A market of the venue; a test names the fields that matter to it. */
export const marketBody = (ticker: string, more: Body = {}): Body => ({
  ticker,
  event_ticker: ticker.split('-').slice(0, 2).join('-'),
  title: `Will ${ticker} happen?`,
  yes_sub_title: 'happen?',
  status: 'active',
  created_time: '2026-11-01T00:00:00Z',
  open_time: '2026-11-01T00:05:00Z',
  close_time: '2026-12-01T00:00:00Z',
  expected_expiration_time: '2026-12-01T00:00:00Z',
  result: '',
  yes_bid_dollars: '0.4000',
  yes_ask_dollars: '0.4200',
  last_price_dollars: '0.4100',
  volume_24h_fp: '12.50',
  ...more,
})

/** A market that was settled at an instant. */
export const settledBody = (ticker: string, settlement_ts: string, more: Body = {}): Body =>
  marketBody(ticker, { status: 'finalized', result: 'yes', settlement_value_dollars: '1.0000', settlement_ts, ...more })

export const tradeBody = (id: string, created_time: string, more: Body = {}): Body => ({
  trade_id: id,
  ticker: 'KXA-1-M',
  created_time,
  count_fp: '1.00',
  yes_price_dollars: '0.4000',
  no_price_dollars: '0.6000',
  taker_outcome_side: 'yes',
  is_block_trade: false,
  ...more,
})

const statuses: Record<string, string[]> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed'],
  settled: ['finalized'],
}

/** The venue in memory. `archive` has the moved rows; `cutoff` is an ISO instant. */
export type Kalshi = {
  markets?: Body[]
  trades?: Body[]
  series?: Body[]
  archive?: { markets?: Body[]; trades?: Body[] }
  cutoff?: string
  pageSize?: number
}

export const kalshi =
  ({
    markets = [],
    trades = [],
    series = [],
    archive = {},
    cutoff = '2026-08-20T00:00:00Z',
    pageSize = 2,
  }: Kalshi): Upstream =>
  (path, query) => {
    const pageOf = (field: string, rows: Body[]) => {
      const from = Number(query.get('cursor') ?? 0)
      const cursor = from + pageSize < rows.length ? String(from + pageSize) : ''
      return { body: { [field]: rows.slice(from, from + pageSize), cursor } }
    }
    const ofMarkets = (rows: Body[]) => {
      const wanted = statuses[query.get('status') ?? '']
      const tickers = query.get('tickers')?.split(',')
      const matching = rows.filter(
        (row) =>
          (wanted === undefined || wanted.includes(String(row['status']))) &&
          (tickers === undefined || tickers.includes(String(row['ticker']))),
      )
      return pageOf('markets', matching)
    }
    if (path === '/markets') return ofMarkets(markets)
    if (path === '/historical/markets') return ofMarkets(archive.markets ?? [])
    if (path === '/markets/trades') return pageOf('trades', trades)
    if (path === '/historical/trades') return pageOf('trades', archive.trades ?? [])
    if (path === '/series') return { body: { series } }
    if (path !== '/historical/cutoff') return { status: 404 }
    return { body: { market_settled_ts: cutoff, trades_created_ts: cutoff } }
  }
