import type { Host } from '#activities/http/host.ts'

/** The posts of the whole network, pushed without an account. */
export const jetstreamHost: Host = {
  name: 'bluesky_jetstream',
  doc: 'The URL of the posts of Bluesky, a Jetstream server',
  url: 'wss://jetstream2.us-east.bsky.network',
  requestsPer10s: 10,
  concurrency: 1,
}

/** The platform, as rows name it. */
export const PLATFORM = 'bluesky'
