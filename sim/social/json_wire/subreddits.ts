import type { SocialAnswer } from '#sim/server/reply.ts'
import type { PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Micros } from '#time.ts'

import { isRemoved, likesOf, newestOf, ok, REMOVED_AFTER } from './paging.ts'

/** The name of a post or comment of Reddit. */
export const thingName = ({ n, parent }: PlatformPost): string => `${parent === null ? 't3' : 't1'}_${n.toString(36)}`

/** A listing ends after so many. */
const MOST = 1_000

/** The listings of the simulated subreddits. A post that answers another one is a comment. */
export const listingsOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path, query }, now) => {
    const [, subreddits, kind] = /^\/r\/([^/]+)\/(new|comments)\.json$/.exec(path) ?? []
    if (subreddits === undefined) return { status: 404, body: '{}' }
    const all = newestOf({ world, platform: 'reddit', now })
      .filter(({ parent }) => (parent === null) === (kind === 'new'))
      .slice(0, MOST)
    const after = query.get('after')
    const first = after === null ? 0 : all.findIndex((post) => thingName(post) === after) + 1
    const page = all.slice(first, first + Number(query.get('limit') ?? 25))
    const isLast = first + page.length >= all.length
    const [last] = page.slice(-1)
    const children = page.map((post) => wireThing(post, subreddits.split('+')[0] ?? '', now))
    return ok({ kind: 'Listing', data: { after: isLast || last === undefined ? null : thingName(last), children } })
  }

function wireThing(post: PlatformPost, subreddit: string, now: Micros) {
  const isGone = isRemoved(post) && now >= post.at + REMOVED_AFTER
  const text = isGone ? '[removed]' : post.text
  const shared = {
    name: thingName(post),
    id: post.n.toString(36),
    author: isGone ? '[deleted]' : `user${post.author}`,
    created_utc: Math.floor(post.at / 1_000_000),
    score: likesOf(post, now),
    subreddit,
  }
  if (post.parent !== null) return { kind: 't1', data: { ...shared, body: text, parent_id: 't3_parent' } }
  const title = post.text.split(',')[0] ?? ''
  const removed_by_category = isGone ? 'moderator' : null
  return { kind: 't3', data: { ...shared, title, selftext: text, url: null, num_comments: 0, removed_by_category } }
}
