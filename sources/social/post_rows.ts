import type { NewRow, Rows } from '#ingest/source.ts'
import type { PlatformId } from '#registry/platforms/index.ts'
import { simhash } from '#text/clusters/simhash.ts'
import { DAY, type Micros } from '#time.ts'

/** A post as a platform shows it. `author` is already hashed. Fields that the platform lacks are left out. */
export type ReadPost = {
  platform: PlatformId
  post_id: string
  /** The clock of the platform. */
  ts: Micros
  author: string
  kind: 'post' | 'reply' | 'quote' | 'repost'
  text: string
  /** The instant that the author claims. */
  claimed_at?: Micros | null
  channel?: string | null
  url?: string | null
  lang?: string | null
  parent_id?: string | null
  native_label?: string | null
  native_assets?: string[]
  /** Whether each post of its channel is about crypto; by default not. */
  is_crypto?: true
}

/** The mentions of a post that the unit from `from` on stores. */
export type MentionsOf = (post: ReadPost, from: Micros) => NewRow<'mentions'>[]

/** The rows of posts. */
export type PostRows = Required<Pick<Rows, 'posts' | 'post_text' | 'mentions'>>

/** A text is cut after this many characters: the longest post of a platform is shorter, an article is not. */
const MOST_CHARS = 10_000
/** Clients of open networks write languages, addresses and ids of other posts as they like. */
const MOST_NAME = 2_048

/**
 * The rows of posts of the unit from `from` on: without their texts, the texts, and what these mention. A claimed
 * instant that is a day or more away is not kept, since clients may claim any.
 */
export function rowsOfPosts(posts: readonly ReadPost[], mentionsOf: MentionsOf, from: Micros): PostRows {
  const stored = posts.map((post) => ({ ...post, text: storable(post.text) }))
  return {
    posts: stored.map(postRow),
    post_text: stored.map(({ platform, post_id, ts, text }) => ({ platform, post_id, ts, text })),
    mentions: stored.flatMap((post) => mentionsOf(post, from)),
  }
}

function postRow({ platform, post_id, ts, claimed_at = null, text, ...post }: ReadPost): NewRow<'posts'> {
  return {
    platform,
    post_id,
    ts,
    author: post.author,
    claimed_at: claimed_at !== null && Math.abs(claimed_at - ts) < DAY ? claimed_at : null,
    channel: named(post.channel),
    url: named(post.url),
    lang: named(post.lang),
    kind: post.kind,
    parent_id: named(post.parent_id),
    native_label: post.native_label ?? null,
    native_assets: (post.native_assets ?? []).filter((asset) => asset.length <= MOST_NAME),
    simhash: simhash(text),
  }
}

/** A name or address that a platform or its clients give; null for one that is longer than any real one. */
const named = (name: string | null | undefined): string | null =>
  name === null || name === undefined || name.length > MOST_NAME ? null : storable(name)

/** Half of a surrogate pair has no UTF-8, and a NUL ends texts elsewhere. */
function storable(text: string): string {
  const kept = [...text].length > MOST_CHARS ? [...text].slice(0, MOST_CHARS).join('') : text
  return kept.replaceAll(/\p{Surrogate}|\0/gu, '\ufffd')
}

/** The rows of an hour without the texts of posts that were deleted in it. */
export function withoutDeleted(rows: Rows): Rows {
  const deleted = new Set((rows.tombstones ?? []).filter(({ kind }) => kind === 'post').map(({ target }) => target))
  if (deleted.size === 0) return rows
  return { ...rows, post_text: (rows.post_text ?? []).filter(({ post_id }) => !deleted.has(post_id)) }
}
