import { mix } from '#sim/random.ts'
import type { SocialAnswer } from '#sim/server/reply.ts'
import { postsOf, type PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import type { Micros } from '#time.ts'

/** The simulated outlets; the second one has an Atom feed. */
export const outletNames = ['coindesk', 'decrypt', 'theblock'] as const
export type OutletName = (typeof outletNames)[number]

/** A feed shows so many articles. */
const SHOWN = 30
const HOURS = 3_600_000_000

/** The articles of an outlet in `[from, to)`. */
export const articlesOf = (world: SocialWorld, outlet: OutletName, from: Micros, to: Micros): PlatformPost[] =>
  postsOf(world, 'news', from, to).filter(({ n }) => outletNames[mix(n, 3) % outletNames.length] === outlet)

export const guidOf = (outlet: OutletName, n: number): string => `https://${outlet}.example/?p=${n}`

/** The feed of an outlet, which is not sent again to a client that names its version. */
export const feedOf =
  (world: SocialWorld, outlet: OutletName): SocialAnswer =>
  (_ask, now, headers) => {
    const articles = articlesOf(world, outlet, now - 48 * HOURS, now).slice(-SHOWN)
    const newest = articles.at(-1)
    const etag = `"${outlet}-${newest?.n ?? 0}"`
    const modified = new Date((newest?.at ?? world.start) / 1000).toUTCString()
    const validators = { etag, 'last-modified': modified }
    if (headers['if-none-match'] === etag) return { status: 304, body: '', headers: validators }
    const body = outlet === 'decrypt' ? atom(outlet, articles) : rss(outlet, articles)
    return { status: 200, body, headers: { ...validators, 'content-type': 'application/xml; charset=utf-8' } }
  }

const rss = (outlet: OutletName, articles: readonly PlatformPost[]): string => {
  const item = ({ n, at, text }: PlatformPost): string =>
    `<item><title>${escaped(titleOf(text))}</title><link>https://${outlet}.example/a/${n}?utm_source=rss</link>` +
    `<guid isPermaLink="false">${escaped(guidOf(outlet, n))}</guid><pubDate>${new Date(at / 1000).toUTCString()}</pubDate>` +
    `<description><![CDATA[<p>${text} &amp; more</p><img src="x.png">]]></description></item>`
  const items = articles.toReversed().map(item)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>${outlet}</title>${items.join('')}</channel></rss>`
}

const atom = (outlet: OutletName, articles: readonly PlatformPost[]): string => {
  const entry = ({ n, at, text }: PlatformPost): string =>
    `<entry><id>${escaped(guidOf(outlet, n))}</id><title type="html">${escaped(escaped(titleOf(text)))}</title>` +
    `<link rel="alternate" href="https://${outlet}.example/a/${n}"/><updated>${new Date(at / 1000).toISOString()}</updated>` +
    `<summary type="html">${escaped(`<p>${text} &amp; more</p>`)}</summary></entry>`
  const entries = articles.toReversed().map(entry)
  return `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>${outlet}</title>${entries.join('')}</feed>`
}

const titleOf = (text: string): string => text.split(',')[0] ?? text

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
