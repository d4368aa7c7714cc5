import { z } from 'zod'

import { zodReason } from '#ingest/http/response.ts'
import type { Micros } from '#time.ts'

import { postRecord, type PostRecord } from './post_record.ts'

/** The place of a record in the network. */
export type RecordPlace = { did: string; collection: string; rkey: string }

/** An event of the network, as far as it concerns posts. `at` is the clock of the relay. */
export type NetworkEvent = { at: Micros } & (
  | { is: 'post'; did: string; rkey: string; record: PostRecord }
  | { is: 'engagement'; did: string; kind: 'like' | 'repost'; subject: RecordPlace }
  | { is: 'broken engagement'; reason: string }
  | { is: 'post deleted'; did: string; rkey: string }
  | { is: 'author gone'; did: string }
  | { is: 'other' }
)

export const POSTS = 'app.bsky.feed.post'
export const LIKES = 'app.bsky.feed.like'
export const REPOSTS = 'app.bsky.feed.repost'

const did = z.string().regex(/^did:[a-z]+:[\w.:%-]+$/, 'expected a DID')
const envelope = z.object({ did, time_us: z.number().int().min(1e15).max(1e16), kind: z.string() })
const commitOf = z.object({
  commit: z.object({
    operation: z.string(),
    collection: z.string(),
    rkey: z.string().min(1),
    record: z.unknown().optional(),
  }),
})
const accountOf = z.object({ account: z.object({ active: z.boolean(), status: z.string().optional() }) })
const subjectOf = z.object({ subject: z.object({ uri: z.string() }) })

/** The states of an account that its network no longer shows. Others, such as `desynchronized`, are of a server. */
const gone = new Set(['deleted', 'takendown', 'suspended', 'deactivated'])

/** Reads a message of the stream. Throws if it is no event, or if a post or a deletion has another shape. */
export function readEvent(text: string): NetworkEvent {
  const body: unknown = JSON.parse(text)
  const { time_us: at, kind, did: account } = envelope.parse(body)
  if (kind === 'account') {
    const { active, status = '' } = accountOf.parse(body).account
    return !active && gone.has(status) ? { is: 'author gone', at, did: account } : { is: 'other', at }
  }
  if (kind !== 'commit') return { is: 'other', at }
  const { operation, collection, rkey, record } = commitOf.parse(body).commit
  if (operation === 'delete' && collection === POSTS) return { is: 'post deleted', at, did: account, rkey }
  // The network's app shows no edits, so the first text of a post counts.
  if (operation !== 'create') return { is: 'other', at }
  if (collection === POSTS) return { is: 'post', at, did: account, rkey, record: postRecord.parse(record) }
  if (collection !== LIKES && collection !== REPOSTS) return { is: 'other', at }
  const parsed = subjectOf.safeParse(record)
  if (!parsed.success) return { is: 'broken engagement', at, reason: zodReason(parsed.error) }
  const subject = placeOf(parsed.data.subject.uri)
  if (subject?.collection !== POSTS) return { is: 'other', at }
  return { is: 'engagement', at, did: account, kind: collection === LIKES ? 'like' : 'repost', subject }
}

/** The place that an address such as `at://did:plc:x/app.bsky.feed.post/y` names; null for other addresses. */
export function placeOf(uri: string): RecordPlace | null {
  const [, account, collection, rkey] = /^at:\/\/(did:[^/]+)\/([^/]+)\/([^/?#]+)$/.exec(uri) ?? []
  return account === undefined || collection === undefined || rkey === undefined
    ? null
    : { did: account, collection, rkey }
}
