import type { Host } from '#ingest/http/host.ts'
import { limitless } from '#registry/venues/limitless.ts'

/** The venue, which is the part of every unit. */
export const VENUE = limitless.id

/**
 * Markets, fills and the histories of accounts. The limits are not published. Two requests a second are below the rate
 * of collectors that run without a 429. The venue rejects the default `User-Agent` of a library with 403 and
 * `error code: 1010`; `http.ts` always sends the pipeline's own.
 */
export const limitlessHost: Host = {
  name: 'limitless',
  doc: 'The URL of Limitless: markets, fills and the histories of accounts',
  url: 'https://api.limitless.exchange',
  requestsPer10s: 20,
  concurrency: 4,
}

/** The pushed creations and resolutions of the whole venue. */
export const limitlessPushHost: Host = {
  name: 'limitless_push',
  doc: 'The URL of the pushed creations and resolutions of markets',
  url: 'wss://ws.limitless.exchange',
  requestsPer10s: 10,
  concurrency: 2,
}

/** The source of the pushed rows, which do not count as read. */
export const PUSHED = 'limitless_lifecycle'

/**
 * Seconds until every route shows an instant: the pages of fills are cached 30 s and then 30 s stale, histories 60 s.
 */
export const LAG_S = 120
