import type { Host } from '#ingest/http/host.ts'
import { defineSource } from '#ingest/source.ts'
import { authorSettings } from '#sources/social/author_ids.ts'
import { withoutDeleted } from '#sources/social/post_rows.ts'

import { openJetstream } from './jetstream_reader.ts'
import { PLATFORM } from './network_rows.ts'

/** The posts of the whole network, pushed without an account. */
export const jetstreamHost: Host = {
  name: 'bluesky_jetstream',
  doc: 'The URL of the posts of Bluesky, a Jetstream server',
  url: 'wss://jetstream2.us-east.bsky.network',
  requestsPer10s: 10,
  concurrency: 1,
}

/** The network has hundreds of events a second. */
const SILENCE_S = 15

export const blueskyJetstream = defineSource({
  kind: 'stream',
  name: 'bluesky_jetstream',
  doc:
    'The posts of Bluesky within seconds, over a websocket (`/subscribe`, the first version of the protocol, without ' +
    'an account). A post is kept if it mentions an asset, or if it replies to or quotes a kept post; likes and ' +
    'reposts are kept for kept posts. A deletion, and an account that the network no longer shows, is a tombstone. ' +
    'Edits are not read, since the network’s app does not show them. Hours follow the clock of the relay, since ' +
    'authors may claim any time. Other posts are counted by the minute. A new connection continues at the begin of ' +
    'the minute five seconds before the cursor, and repeated events are one row. The server keeps 36 hours: after a ' +
    'longer pause the hours in between are *unverified*, as they are after a minute without any event of the ' +
    'network. Ids of posts hold the hash of their author in place of the account.',
  parts: [{ name: PLATFORM, upstreams: [jetstreamHost] }],
  datasets: ['posts', 'post_text', 'dropped_posts', 'mentions', 'engagement', 'tombstones'],
  unit: 'hour',
  precedence: 10,
  lag_s: 0,
  settle_s: 120,
  grid_s: 60,
  silence_s: SILENCE_S,
  follow: { group: 'jetstream' },
  typical: { requests: 1, rows: 20_000, bytes: 3_000_000_000 },
  settings: authorSettings,
  open: openJetstream,
  complete: withoutDeleted,
})
