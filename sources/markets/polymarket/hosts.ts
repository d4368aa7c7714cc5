import type { Host } from '#ingest/http/host.ts'

/** Markets and events, with their prices. */
export const gammaHost: Host = {
  name: 'polymarket_gamma',
  doc: 'The URL of markets and events',
  url: 'https://gamma-api.polymarket.com',
  // Published: 4,000 in all, 300 of /markets, 500 of /events.
  requestsPer10s: 600,
  routes: { '/markets': 250, '/events': 400 },
  concurrency: 4,
}

/** Trades, activity and resolutions. */
export const dataHost: Host = {
  name: 'polymarket_data',
  doc: 'The URL of trades, activity and resolutions',
  url: 'https://data-api.polymarket.com',
  // Published for v2: 800 in all, 300 of trades, 200 of activity. Trades were throttled from 300 on, and not at 200.
  requestsPer10s: 600,
  routes: { '/v2/trades': 200, '/v2/activity': 160, '/trades': 160 },
  concurrency: 8,
}

/** The pushed trades of the whole venue. */
export const rtdsHost: Host = {
  name: 'polymarket_rtds',
  doc: 'The URL of the pushed trades',
  url: 'wss://ws-live-data.polymarket.com',
  requestsPer10s: 10,
  concurrency: 4,
}

/** The pushed order books of the markets that a connection names. */
export const clobPushHost: Host = {
  name: 'polymarket_clob_push',
  doc: 'The URL of the pushed order books',
  url: 'wss://ws-subscriptions-clob.polymarket.com/ws/market',
  requestsPer10s: 10,
  concurrency: 4,
}

/** The order book, with all its past and present markets. */
export const clobHost: Host = {
  name: 'polymarket_clob',
  doc: 'The URL of the order book’s list of markets',
  url: 'https://clob.polymarket.com',
  // Published: 9,000.
  requestsPer10s: 500,
  concurrency: 4,
}
