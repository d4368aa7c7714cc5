import type { Host } from '#ingest/http/host.ts'
import type { HttpRequest } from '#ingest/http/request.ts'

/** All public data of the venue: markets, trades and settlements, live and historical. */
export const kalshiHost: Host = {
  name: 'kalshi',
  doc: 'The URL of Kalshi’s markets, trades and settlements',
  url: 'https://external-api.kalshi.com/trade-api/v2',
  // The basic tier has 20 reads a second.
  requestsPer10s: 180,
  concurrency: 6,
}

/** A request to the venue. It translates its texts for clients that prefer another language. */
export const kalshiRequest = (path: string, query: HttpRequest['query'] = {}): HttpRequest => ({
  host: kalshiHost.name,
  path,
  query,
  headers: { 'accept-language': 'en' },
})
