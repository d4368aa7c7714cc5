import { z } from 'zod'

import type { Rows, StreamContext, StreamEvent, StreamReader } from '#ingest/source.ts'
import { hourOf } from '#ingest/stream/open_hours.ts'
import { time } from '#lake/columns.ts'
import { nostr } from '#registry/platforms/nostr.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { mentionsIn } from '#sources/social/mentions.ts'
import { rowsOfPosts, type MentionsOf } from '#sources/social/post_rows.ts'
import { DAY, HOUR, SECOND } from '#time.ts'

import { deletedBy, kinds, parentOf, readMessage, type NostrEvent } from './relay_message.ts'
import { MOST_HELD, storedPages, subscriptionOf } from './stored_pages.ts'

const SOURCE = 'nostr_relays'
/** The platform, as rows name it. */
export const PLATFORM = nostr.id
/** Authors claim the instants of events, and relays get some later, so that each run reads the last hours again. */
const REWIND = 2 * HOUR
/** Texts are kept for so long: an older post has nothing to delete. */
const KNOWN_FOR = 30 * DAY

type Settings = { authorSecret: string | undefined; tags: readonly string[] }
/**
 * `authors` has the author of each kept post. `deleted` has the deletions of posts that another relay may show later.
 */
type Tools = { authors: Map<string, string>; deleted: Set<string>; mentionsOf: MentionsOf }

/** Makes the reader of one run. Each relay has a connection, and the events of all are one stream. */
export function openRelays({ lake, part, settings, cursorOf }: StreamContext<Settings>): StreamReader {
  const hash = authorIds(settings.authorSecret)
  const cursor = cursorOf()
  const since = cursor === null ? undefined : Math.floor((Number(cursor) - REWIND) / SECOND)
  const cut = new Set<string>()
  const relays = part.upstreams.map(({ name }, n) => {
    const asked = new Map([
      [`posts ${n}`, { kinds: [kinds.text], '#t': settings.tags, since }],
      [`deletions ${n}`, { kinds: [kinds.deletion], since }],
    ])
    // Without a cursor there is no instant back to which pages are read.
    return {
      name,
      pages: storedPages(asked, { isPaged: since !== undefined, onCut: (subscription) => cut.add(subscription) }),
    }
  })
  const requests = relays.map(({ name, pages }) => ({
    host: name,
    path: '/',
    /** Each connection asks for the first pages. */
    get hello() {
      return pages.hello()
    },
    answer: pages.answer,
  }))
  /** Relays send stored events the newest first. They wait for the last one, so that a cursor has all before it. */
  const waiting = new Map(
    requests
      .flatMap((_, n) => [`posts ${n}`, `deletions ${n}`])
      .map((subscription) => [subscription, new Array<NostrEvent>()]),
  )
  let tools: Tools | undefined
  const eventOf = (event: NostrEvent, gap?: string): StreamEvent => {
    if (tools === undefined) throw new Error(`${SOURCE}: a message before the first refresh; expected it after`)
    const at = event.created_at * SECOND
    const rows = rowsOf(event, hash(PLATFORM, event.pubkey), tools)
    return { cursor: String(Math.max(at, Number(cursorOf() ?? 0))), at, rows, ...(gap === undefined ? {} : { gap }) }
  }
  return {
    wanted: () => (settings.tags.length === 0 ? [] : requests),
    refresh: async () => {
      for (const { pages } of relays) pages.onRefresh()
      tools ??= await lake.read(async (reader) => ({
        authors: await keptAuthors(reader, Number(cursor ?? 0) - KNOWN_FOR),
        deleted: new Set<string>(),
        mentionsOf: await mentionsIn(reader, hourOf(Math.max(0, Number(cursor ?? 0) - REWIND))),
      }))
    },
    parse: (text) => {
      const { subscription: name, event } = readMessage(text)
      const subscription = subscriptionOf(name)
      const stored = waiting.get(subscription)
      if (event !== null && stored === undefined) return [eventOf(event)]
      if (event !== null) stored?.push(event)
      if (stored === undefined || (event !== null && stored.length < MOST_HELD)) return []
      waiting.delete(subscription)
      const inOrder = stored.toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
      const from = Number(cursor ?? Infinity)
      const isCut = subscription.startsWith('posts') && (cut.has(subscription) || stored.length >= MOST_HELD)
      const isGap = isCut && (inOrder[0]?.created_at ?? 0) * SECOND > from
      return inOrder.map((storedEvent, n) =>
        eventOf(storedEvent, isGap && n === 0 ? 'a relay did not show all posts' : undefined),
      )
    },
  }
}

/** The authors of the posts that the lake has from an instant on. */
async function keptAuthors(lake: Parameters<typeof mentionsIn>[0], since: number): Promise<Map<string, string>> {
  const stored = await lake.query(
    'select post_id, author from lake.posts where source = $source and ts >= $since',
    z.object({ post_id: z.string(), author: z.string() }),
    { source: SOURCE, since: time.encode(Math.max(0, since)) },
    { posts: [`${SOURCE}/`] },
  )
  return new Map(stored.map(({ post_id, author }) => [post_id, author]))
}

/** The rows of an event. Only the author of a post can delete it. */
function rowsOf(event: NostrEvent, author: string, { authors, deleted, mentionsOf }: Tools): Rows {
  const ts = event.created_at * SECOND
  if (event.kind === kinds.deletion) {
    const targets = deletedBy(event)
    for (const target of targets) deleted.add(`${author} ${target}`)
    return {
      tombstones: targets
        .filter((target) => authors.get(target) === author)
        .map((target) => ({ platform: PLATFORM, kind: 'post', target, ts })),
    }
  }
  if (event.kind !== kinds.text || (deleted.has(`${author} ${event.id}`) && !authors.has(event.id))) return {}
  authors.set(event.id, author)
  const parent = parentOf(event)
  const post = {
    platform: PLATFORM,
    post_id: event.id,
    ts,
    author,
    kind: parent?.kind ?? 'post',
    text: event.content,
    parent_id: parent?.id ?? null,
  } as const
  return rowsOfPosts([post], mentionsOf, hourOf(ts))
}
