import type { Rows, StreamContext, StreamEvent, StreamReader } from '#ingest/source.ts'
import { hourOf } from '#ingest/stream/open_hours.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { countDropped, minuteOf, type CountDropped } from '#sources/social/dropped_posts.ts'
import { mentionsIn } from '#sources/social/mentions.ts'
import { rowsOfPosts, type MentionsOf, type ReadPost } from '#sources/social/post_rows.ts'
import { DAY, SECOND, type Micros } from '#time.ts'

import { knownPosts, type KnownPosts } from './known_posts.ts'
import { engagementOf, PLATFORM, rejectedOf, tombstone } from './network_rows.ts'
import {
  LIKES,
  placeOf,
  POSTS,
  readEvent,
  REPOSTS,
  type NetworkEvent,
  type RecordPlace,
} from './wire/jetstream_events.ts'
import { claimedAt, fullText, quotedUri } from './wire/post_record.ts'

const SOURCE = 'bluesky_jetstream'
/** Events of different accounts may come out of order, and servers differ in their clocks. */
const REWIND = 5 * SECOND
/** The network is never quiet for so long, so events are missing. */
const LONGEST_QUIET = 60 * SECOND
/** Texts are kept for so long: an older post has nothing to delete. */
const KNOWN_FOR = 30 * DAY

/** The begin of a minute, since posts are counted by the minute. */
const rewound = (cursor: Micros): Micros => minuteOf(cursor - REWIND)

type Settings = { authorSecret: string | undefined }
type Tools = { keptPosts: KnownPosts; mentionsOf: MentionsOf; idOf: (did: string) => string; drop: CountDropped }

/** Makes the reader of one run: it knows the dictionary and the kept posts from its begin on. */
export function openJetstream({ lake, part, settings, cursorOf }: StreamContext<Settings>): StreamReader {
  const hash = authorIds(settings.authorSecret)
  const idOf = (did: string): string => hash(PLATFORM, did)
  let tools: Tools | undefined
  return {
    next: () => {
      const cursor = cursorOf()
      return {
        host: part.upstreams[0].name,
        path: '/subscribe',
        query: {
          wantedCollections: [POSTS, LIKES, REPOSTS],
          cursor: cursor === null ? undefined : String(rewound(Number(cursor))),
        },
      }
    },
    refresh: async () => {
      if (tools !== undefined) return
      const at = Number(cursorOf() ?? KNOWN_FOR)
      tools = await lake.read(async (reader) => ({
        keptPosts: await knownPosts(reader, SOURCE, at - KNOWN_FOR),
        mentionsOf: await mentionsIn(reader, hourOf(rewound(at))),
        idOf,
        drop: countDropped(PLATFORM, rewound(at)),
      }))
    },
    parse: (text) => {
      if (tools === undefined) throw new Error(`${SOURCE}: a message before the first refresh; expected it after`)
      const event = readEvent(text)
      return [{ ...streamEvent(event, cursorOf(), tools), rejected: rejectedOf(event, text) }]
    },
  }
}

function streamEvent(event: NetworkEvent, after: string | null, tools: Tools): StreamEvent {
  const { at } = event
  const before = after === null ? at : Number(after)
  const isGap = at - before > LONGEST_QUIET
  return {
    cursor: String(Math.max(at, before)),
    at,
    rows: rowsOf(event, tools),
    ...(isGap ? { gap: 'the network was quiet for over a minute' } : {}),
  }
}

function rowsOf(event: NetworkEvent, tools: Tools): Rows {
  const { keptPosts, idOf } = tools
  if (event.is === 'post') return postRows(event, tools)
  if (event.is === 'engagement') {
    const post_id = postIdOf(event.subject, tools)
    return keptPosts.hasPost(post_id) ? { engagement: [engagementOf(event, post_id, event.kind, idOf(event.did))] } : {}
  }
  if (event.is === 'post deleted') {
    const target = postIdOf(event, tools)
    return keptPosts.hasPost(target) ? { tombstones: [tombstone('post', target, event.at)] } : {}
  }
  if (event.is === 'author gone') {
    const target = idOf(event.did)
    return keptPosts.hasAuthor(target) ? { tombstones: [tombstone('author', target, event.at)] } : {}
  }
  return {}
}

/** The account in an address would give the author away. */
const postIdOf = ({ did, rkey }: Pick<RecordPlace, 'did' | 'rkey'>, { idOf }: Tools): string => `${idOf(did)}/${rkey}`

function postRows(event: NetworkEvent & { is: 'post' }, tools: Tools): Rows {
  const { keptPosts, mentionsOf, idOf, drop } = tools
  const { at, did, record } = event
  const postAt = (uri: string | undefined): string | null => {
    const place = uri === undefined ? null : placeOf(uri)
    return place?.collection === POSTS ? postIdOf(place, tools) : null
  }
  const [repliedTo, quoted] = [postAt(record.reply?.parent.uri), postAt(quotedUri(record))]
  const author = idOf(did)
  const engaged = [
    ...(repliedTo !== null && keptPosts.hasPost(repliedTo) ? [engagementOf(event, repliedTo, 'reply', author)] : []),
    ...(quoted !== null && keptPosts.hasPost(quoted) ? [engagementOf(event, quoted, 'quote', author)] : []),
  ]
  const post_id = postIdOf(event, tools)
  const post: ReadPost = {
    platform: PLATFORM,
    post_id,
    ts: at,
    author,
    kind: record.reply !== undefined ? 'reply' : quoted !== null ? 'quote' : 'post',
    text: fullText(record),
    claimed_at: claimedAt(record),
    lang: record.langs?.[0] ?? null,
    parent_id: repliedTo ?? quoted,
  }
  const rows = rowsOfPosts([post], mentionsOf, hourOf(at))
  if (engaged.length === 0 && rows.mentions.length === 0) return { dropped_posts: drop(post_id, at) }
  keptPosts.add(post_id, author)
  return { ...rows, engagement: engaged }
}
