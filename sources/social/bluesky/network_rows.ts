import type { NewRow, RejectedRow } from '#ingest/source.ts'
import { bluesky } from '#registry/platforms/bluesky.ts'
import type { Micros } from '#time.ts'

import type { NetworkEvent } from './wire/jetstream_events.ts'

/** The platform, as rows name it. */
export const PLATFORM = bluesky.id

/** The row of a like, repost, reply or quote. */
export const engagementOf = (
  { at }: NetworkEvent,
  post_id: string,
  kind: string,
  engager: string,
): NewRow<'engagement'> => ({
  platform: PLATFORM,
  post_id,
  kind,
  engager,
  ts: at,
  n_engaged: 1,
})

export const tombstone = (kind: string, target: string, ts: Micros): NewRow<'tombstones'> => ({
  platform: PLATFORM,
  kind,
  target,
  ts,
})

/** The rejected row of a like or repost, so that it is none of the posts that did not parse. */
export const rejectedOf = (event: NetworkEvent, body: string): RejectedRow[] =>
  event.is === 'broken engagement' ? [{ dataset: 'engagement', reason: event.reason, body }] : []
