import { defineSource } from '#ingest/source.ts'

import { limitlessPushHost, PUSHED, VENUE } from './hosts.ts'
import { CHANNEL, pushedLifecycle } from './wire/lifecycle_messages.ts'

/** Hours without an event are possible, and so is a subscription that has lapsed while the server pings. */
const SILENCE_S = 900

export const limitlessLifecycle = defineSource({
  kind: 'stream',
  name: PUSHED,
  doc:
    'The creations and resolutions of markets within seconds, as they are pushed over a websocket (Socket.IO, ' +
    'namespace `/markets`: `marketCreated` and `marketResolved`). The rows are provisional, since events may be ' +
    'missed: any description or resolution by `limitless_markets` or `limitless_resolutions` replaces them. A pushed ' +
    'market is read by `limitless_resolutions`, and its row dropped once that has it. A new market has its question ' +
    'and no collateral, tags or end. Two connections are open. One without an event for 15 minutes is replaced, ' +
    'although its server sends pings; that time is a gap until the next list of active markets. The channel is ' +
    'documented by the venue, and its fields only by a client library: that it delivers, the fields, and the form ' +
    'of a void market are unverified; `tapeline probe limitless` tests the first two.',
  parts: [{ name: VENUE, upstreams: [limitlessPushHost] }],
  datasets: ['markets', 'resolutions'],
  unit: 'hour',
  // Below every reading.
  precedence: 5,
  lag_s: 0,
  settle_s: 7_200,
  grid_s: 60,
  silence_s: SILENCE_S,
  store_s: 1,
  sockets: 2,
  sealedBy: {
    name: 'limitless_markets',
    unit: 'observation',
    byMarket: {
      markets: ['limitless_markets', 'limitless_resolutions'],
      resolutions: ['limitless_resolutions'],
    },
  },
  follow: { group: 'lifecycle' },
  typical: { requests: 1, rows: 20, bytes: 10_000 },
  connect: (part) => ({ host: part.upstreams[0].name, ...CHANNEL }),
  parse: (text) => {
    const event = pushedLifecycle(text)
    return event === null ? null : { cursor: null, ...event }
  },
})
