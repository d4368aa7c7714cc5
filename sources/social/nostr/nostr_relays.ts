import type { Host } from '#ingest/http/host.ts'
import { nameList, type Settings } from '#ingest/setting.ts'
import { defineSource } from '#ingest/source.ts'
import { authorSettings } from '#sources/social/author_ids.ts'
import { withoutDeleted } from '#sources/social/post_rows.ts'

import { openRelays, PLATFORM } from './nostr_reader.ts'

const relay = (name: string, url: string): Host => ({
  name: `nostr_${name}`,
  doc: `The URL of the Nostr relay ${name}`,
  url,
  requestsPer10s: 10,
  concurrency: 1,
})

export const nostrHosts = [
  relay('damus', 'wss://relay.damus.io'),
  relay('nos', 'wss://nos.lol'),
  relay('primal', 'wss://relay.primal.net'),
] as const

const settings = {
  ...authorSettings,
  tags: {
    name: 'TAPELINE_NOSTR_TAGS',
    shape: nameList(/^[^\s,#]{1,50}$/u, 'bitcoin'),
    doc: 'The hashtags whose posts are read from Nostr, separated by commas; by default none',
  },
} satisfies Settings

export const nostrRelays = defineSource({
  kind: 'stream',
  name: 'nostr_relays',
  doc:
    'The posts of Nostr with a hashtag of `TAPELINE_NOSTR_TAGS`, within seconds, over a websocket to each of several ' +
    'relays (NIP-01), without an account. The relays have the same events, which are one row by their id. An id that ' +
    'is not the hash of its event is rejected; signatures are not checked. A deletion by the author is a tombstone. ' +
    'Reactions are not read. Hours follow the instants that authors claim, since relays show no other; an event more ' +
    'than an hour ahead is rejected. Each run reads the last two hours again, page by page, since a relay shows at ' +
    'most 500 events at once. After a pause with more than 20,000 posts, the hours in between are *unverified*.',
  parts: [{ name: PLATFORM, upstreams: nostrHosts }],
  datasets: ['posts', 'post_text', 'mentions', 'tombstones'],
  unit: 'hour',
  precedence: 10,
  lag_s: 0,
  settle_s: 3_600,
  grid_s: 60,
  silence_s: 300,
  follow: { group: 'relays' },
  typical: { requests: 3, rows: 300, bytes: 300_000 },
  settings,
  open: openRelays,
  complete: withoutDeleted,
})
