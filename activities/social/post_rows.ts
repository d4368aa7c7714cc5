import type { NewRow } from '#activities/source.ts'
import { simhash } from '#text/clusters/simhash.ts'
import { DAY, type Micros } from '#time.ts'

/** A post as a platform shows it. `author` is already hashed. Fields that the platform lacks are left out. */
export type ReadPost = {
  platform: string
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
}

/** A text is cut after this many characters: the longest post of a platform is shorter, an article is not. */
const MOST_CHARS = 10_000

/** The rows of a post. A claimed instant that is a day or more away is not kept, since clients may claim any. */
export function rowsOfPost({ text, ...post }: ReadPost): { post: NewRow<'posts'>; text: NewRow<'post_text'> } {
  const { platform, post_id, ts, claimed_at = null } = post
  const kept = [...text].length > MOST_CHARS ? [...text].slice(0, MOST_CHARS).join('') : text
  return {
    post: {
      platform,
      post_id,
      ts,
      author: post.author,
      claimed_at: claimed_at !== null && Math.abs(claimed_at - ts) < DAY ? claimed_at : null,
      channel: post.channel ?? null,
      url: post.url ?? null,
      lang: post.lang ?? null,
      kind: post.kind,
      parent_id: post.parent_id ?? null,
      native_label: post.native_label ?? null,
      native_assets: post.native_assets ?? [],
      simhash: simhash(kept),
    },
    text: { platform, post_id, ts, text: wellFormed(kept) },
  }
}

/** Half of a surrogate pair has no UTF-8, and a NUL ends texts elsewhere. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}|\0/gu, '\ufffd')
