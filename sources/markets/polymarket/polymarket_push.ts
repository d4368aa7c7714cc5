import { defineSource } from '#ingest/source.ts'

import { feed } from './feed_coverage.ts'
import { rtdsHost } from './hosts.ts'
import { HELLO, PING, pushedTrade, withRoles } from './wire/push_messages.ts'

/**
 * The longest gap of a healthy connection was measured as 4.8 seconds. Subscriptions lapse while the socket answers,
 * and only a new connection delivers again.
 */
const SILENCE_S = 15

export const polymarketPush = defineSource({
  kind: 'stream',
  name: 'polymarket_push',
  doc:
    'The venue’s trades within seconds, as they are pushed over a websocket (`activity`: `trades` and ' +
    '`orders_matched`). Its rows are provisional: they have no index in their transaction, so equal fills of one ' +
    'transaction are one row, and some trades are never pushed. They count only after the end of `polymarket_feed`, ' +
    'and are dropped as that source reads their time. Two connections are open. One without a trade for 15 seconds ' +
    'is replaced, although it answers. A time without a trade on any connection is a gap: the hour names it until ' +
    '`polymarket_feed` has read it. Whether the venue still pushes both types is unverified: `tapeline probe ' +
    'polymarket` tests it.',
  parts: [{ name: feed.part, upstreams: [rtdsHost] }],
  datasets: ['fills'],
  unit: 'hour',
  // Below the feed, which reads the same rows with a proof.
  precedence: 2,
  lag_s: 0,
  settle_s: 7_200,
  grid_s: 60,
  silence_s: SILENCE_S,
  store_s: 1,
  sockets: 2,
  sealedBy: feed,
  follow: { group: 'push' },
  typical: { requests: 1, rows: 40_000, bytes: 40_000_000 },
  connect: (part) => ({
    host: part.upstreams[0].name,
    path: '',
    hello: HELLO,
    ping: PING,
  }),
  parse: (text) => {
    const trade = pushedTrade(text)
    return trade === null ? null : { cursor: null, at: trade.at, rows: { fills: [trade.fill] } }
  },
  complete: withRoles,
})
