import { hexText, mix } from '#sim/random.ts'
import type { SocialAnswer } from '#sim/server/reply.ts'
import { postsOf, type PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Micros } from '#time.ts'

/** A thread lasts so long, and is archived a day after its end. */
const THREAD = 2 * 3_600_000_000
const ARCHIVED = 24 * 3_600_000_000
const DELETED_AFTER = 1_800_000_000
const FIRST_NO = 60_000_000

/** The number of a post on the board. */
export const boardNo = (n: number): number => FIRST_NO + n

/** Whether a moderator deletes a post, half an hour after it was written. */
export const isDeleted = ({ n }: Pick<PlatformPost, 'n'>): boolean => mix(n, 21) % 12 === 0

/** The name of a poster in a thread. */
export const posterIn = (world: SocialWorld, thread: number, author: number): string =>
  hexText(world.seed, 43, mix(thread, author), 8)

/** A thread and its posts, as they are at an instant. */
export type Thread = { no: number; posts: readonly PlatformPost[] }

/** The threads of the board that have not been archived. The first post of two hours opens a thread. */
export function threadsAt(world: SocialWorld, now: Micros): Thread[] {
  const threads: Thread[] = []
  const first = Math.max(0, Math.floor((now - ARCHIVED - world.start) / THREAD))
  for (let start = world.start + first * THREAD; start < now; start += THREAD) {
    const all = postsOf(world, 'fourchan', start, Math.min(start + THREAD, now))
    const [opening] = all
    if (opening === undefined) continue
    const posts = all.filter((post) => post === opening || !isDeleted(post) || post.at + DELETED_AFTER > now)
    threads.push({ no: boardNo(opening.n), posts })
  }
  return threads
}

/** The routes of the board. */
export const boardOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path }, now) => {
    const threads = threadsAt(world, now)
    if (path === '/biz/catalog.json') return { status: 200, body: JSON.stringify(catalogOf(threads)) }
    const no = Number(/^\/biz\/thread\/(\d+)\.json$/.exec(path)?.[1])
    const thread = threads.find((candidate) => candidate.no === no)
    if (thread === undefined) return { status: 404, body: '' }
    return { status: 200, body: JSON.stringify({ posts: thread.posts.map((post) => wirePost(world, thread, post)) }) }
  }

const secondsOf = (at: Micros): number => Math.floor(at / 1_000_000)

const catalogOf = (threads: readonly Thread[]) =>
  [threads.slice(0, 15), threads.slice(15)].map((some, page) => ({
    page: page + 1,
    threads: some.map(({ no, posts }) => ({
      no,
      time: secondsOf(posts[0]?.at ?? 0),
      replies: posts.length - 1,
      last_modified: secondsOf(posts.at(-1)?.at ?? 0),
    })),
  }))

function wirePost(world: SocialWorld, { no: thread, posts }: Thread, { n, at, author, text }: PlatformPost) {
  const no = boardNo(n)
  const answered = posts[mix(n, 22) % posts.length]
  const link =
    answered === undefined || answered.n >= n || mix(n, 23) % 3 > 0
      ? ''
      : `<a href="#p${boardNo(answered.n)}" class="quotelink">&gt;&gt;${boardNo(answered.n)}</a><br>`
  const com = `${link}${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}<br><span class="quote">&gt;tfw</span>`
  const poster = posterIn(world, thread, author)
  return { no, resto: no === thread ? 0 : thread, time: secondsOf(at), name: 'Anonymous', id: poster, com }
}
