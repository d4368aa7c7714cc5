import type { SocialAnswer } from '#sim/server/reply.ts'
import { postsOf, type PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'

import { ok } from './paging.ts'

const HOUR = 3_600_000_000
const MOST = 250

/** The address of an article of the news, as the simulated GDELT names it. */
export const gdeltUrl = ({ n, author }: PlatformPost): string => `https://site${author % 40}.example/${n}`

/** The articles of an hour that match a query, the newest first. The simulated query matches all. */
export const gdeltOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path, query }, now) => {
    if (path !== '/api/v2/doc/doc' || query.get('mode') !== 'artlist') return { status: 404, body: '' }
    const most = Math.min(Number(query.get('maxrecords') ?? 75), MOST)
    const articles = postsOf(world, 'news', now - HOUR, now)
      .toReversed()
      .slice(0, most)
    return ok(articles.length === 0 ? {} : { articles: articles.map(wireArticle) })
  }

const wireArticle = (post: PlatformPost) => ({
  url: gdeltUrl(post),
  url_mobile: '',
  // GDELT puts spaces around signs.
  title: post.text.replaceAll(',', ' ,').replaceAll('$', '$ '),
  seendate: new Date(post.at / 1000).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
  socialimage: '',
  domain: `site${post.author % 40}.example`,
  language: 'English',
  sourcecountry: 'United States',
})
