import { hexText } from '#sim/random.ts'
import { eventAt, type NetworkEvent, type NetworkPost } from '#sim/social/network.ts'
import type { SocialWorld } from '#sim/social/world.ts'

const POSTS = 'app.bsky.feed.post'

/** The account of an author. */
export const didOf = ({ seed }: SocialWorld, author: number): string => `did:plc:${hexText(seed, 41, author, 24)}`

/** The key of the record of an event. */
export const rkeyOf = (n: number): string => `3m${n.toString(36).padStart(11, '0')}`

const uriOf = (world: SocialWorld, n: number): string =>
  `at://${didOf(world, authorOf(world, n))}/${POSTS}/${rkeyOf(n)}`

/** The author of the post of an event. */
export function authorOf(world: SocialWorld, n: number): number {
  const event = eventAt(world, n)
  if (event.is !== 'post') throw new Error(`event ${n}: ${event.is}; expected a post`)
  return event.post.author
}

/** An event of the network as Jetstream sends it, and its collection; undefined: of an account. */
export function frameOf(world: SocialWorld, event: NetworkEvent): { collection?: string; text: string } {
  const time_us = event.at
  const createdAt = new Date(event.at / 1000 - 400).toISOString()
  const commit = (author: number, collection: string, record: object | null) => ({
    collection,
    text: JSON.stringify({
      did: didOf(world, author),
      time_us,
      kind: 'commit',
      commit: {
        rev: rkeyOf(event.n),
        operation: record === null ? 'delete' : 'create',
        collection,
        rkey: rkeyOf(event.is === 'deletion' ? event.subject : event.n),
        ...(record === null ? {} : { record: { $type: collection, createdAt, ...record }, cid: cidOf(event.n) }),
      },
    }),
  })
  const subject = (target: number) => ({ subject: { cid: cidOf(target), uri: uriOf(world, target) } })
  if (event.is === 'post') return commit(event.post.author, POSTS, recordOf(world, event.post))
  if (event.is === 'like') return commit(event.author, 'app.bsky.feed.like', subject(event.subject))
  if (event.is === 'repost') return commit(event.author, 'app.bsky.feed.repost', subject(event.subject))
  if (event.is === 'deletion') return commit(authorOf(world, event.subject), POSTS, null)
  const did = didOf(world, event.author)
  if (event.is === 'follow')
    return commit(event.author, 'app.bsky.graph.follow', { subject: didOf(world, event.n % 99) })
  const body = { did, seq: event.n, time: createdAt }
  const state =
    event.is === 'identity' ? { identity: body } : { account: { active: false, status: 'deleted', ...body } }
  return { text: JSON.stringify({ did, time_us, kind: event.is === 'identity' ? 'identity' : 'account', ...state }) }
}

const cidOf = (n: number): string => `bafyrei${n.toString(36).padStart(12, 'a')}`

function recordOf(world: SocialWorld, { text, parent, quoted }: NetworkPost): object {
  const reply = parent === null ? {} : { reply: { parent: { uri: uriOf(world, parent), cid: cidOf(parent) } } }
  const embed =
    quoted === null
      ? {}
      : { embed: { $type: 'app.bsky.embed.record', record: { uri: uriOf(world, quoted), cid: cidOf(quoted) } } }
  return { langs: ['en'], text, ...reply, ...embed }
}
