import { eventAt } from './network.ts'
import type { SocialWorld } from './world.ts'

/** The rows that a reader of the network must have after some events, by the numbers of events and authors. */
export type TrueNetwork = {
  posts: number[]
  engagement: { subject: number; kind: string; author: number; at: number }[]
  tombstones: { kind: 'post' | 'author'; subject: number; at: number }[]
}

/**
 * The truth about the events `[from, to)` of a world: posts about assets, replies and reactions to them, and deletions
 * of both.
 */
export function trueNetwork(world: SocialWorld, from: number, to: number): TrueNetwork {
  const truth: TrueNetwork = { posts: [], engagement: [], tombstones: [] }
  const [kept, authors] = [new Set<number>(), new Set<number>()]
  for (let n = from; n < to; n++) {
    const event = eventAt(world, n)
    const { at } = event
    if (event.is === 'post') {
      const { author, asset, parent, quoted } = event.post
      const answered = (
        [
          ['reply', parent],
          ['quote', quoted],
        ] as const
      ).flatMap(([kind, subject]) => (subject !== null && kept.has(subject) ? [{ subject, kind, author, at }] : []))
      if (asset === null && answered.length === 0) continue
      kept.add(n)
      authors.add(author)
      truth.posts.push(n)
      truth.engagement.push(...answered)
    } else if (event.is === 'like' || event.is === 'repost') {
      if (kept.has(event.subject))
        truth.engagement.push({ subject: event.subject, kind: event.is, author: event.author, at })
    } else if (event.is === 'deletion') {
      if (kept.has(event.subject)) truth.tombstones.push({ kind: 'post', subject: event.subject, at })
    } else if (event.is === 'author gone' && authors.has(event.author)) {
      truth.tombstones.push({ kind: 'author', subject: event.author, at })
    }
  }
  return truth
}
