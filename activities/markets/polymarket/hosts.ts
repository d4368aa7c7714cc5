import type { Host } from '#activities/http/host.ts'

/** Markets and events, with their prices. */
export const gammaHost: Host = {
  name: 'polymarket_gamma',
  doc: 'The URL of markets and events',
  url: 'https://gamma-api.polymarket.com',
  requestsPer10s: 200,
  concurrency: 4,
}

/** Trades, activity and resolutions. */
export const dataHost: Host = {
  name: 'polymarket_data',
  doc: 'The URL of trades, activity and resolutions',
  url: 'https://data-api.polymarket.com',
  requestsPer10s: 150,
  concurrency: 8,
}

/** The order book, with all its past and present markets. */
export const clobHost: Host = {
  name: 'polymarket_clob',
  doc: 'The URL of the order book’s list of markets',
  url: 'https://clob.polymarket.com',
  requestsPer10s: 500,
  concurrency: 4,
}
