import { Parser } from 'htmlparser2'
import { z } from 'zod'

import { plainText } from '#sources/social/plain_text.ts'
import type { Micros } from '#time.ts'

/** An item of a feed, as its elements say. */
export type FeedItem = Readonly<Record<string, string>>

const roots = new Set(['rss', 'rdf:RDF', 'feed'])
const items = new Set(['item', 'entry'])

/**
 * The items of an RSS or Atom feed. The parser reads no document type, so it knows no entities but those of XML.
 * Throws for a text that is no feed, or that was cut off.
 */
export function readFeed(xml: string): FeedItem[] {
  const articles: Record<string, string>[] = []
  const path: string[] = []
  let [item, isWhole]: [Record<string, string> | null, boolean] = [null, false]
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (items.has(name) && item === null) item = {}
        else if (item !== null && name === 'link' && isPage(attributes)) item['link'] ??= attributes['href'] ?? ''
        path.push(name)
      },
      ontext: (text) => {
        const field = item === null ? undefined : path[path.findLastIndex((name) => items.has(name)) + 1]
        if (item !== null && field !== undefined) item[field] = (item[field] ?? '') + text
      },
      onclosetag: (name, isImplied) => {
        path.pop()
        if (item !== null && items.has(name)) {
          if (!isImplied) articles.push(item)
          item = null
        }
        if (path.length === 0) isWhole = roots.has(name) && !isImplied
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  if (!isWhole) throw new Error('feed: its root is missing or not closed; expected rss, rdf:RDF or feed')
  return articles
}

/** Whether a link of Atom is that of the page. */
const isPage = ({ rel, href }: Readonly<Record<string, string>>): boolean =>
  href !== undefined && (rel === undefined || rel === 'alternate')

/** An article. `claimed_at` is null if the feed gives no instant that can be read. */
export type Article = { id: string; url: string | null; text: string; claimed_at: Micros | null }

/** Elements that hold the same, in the order of preference. */
const names = {
  id: ['guid', 'id'],
  date: ['pubDate', 'published', 'dc:date', 'updated'],
  summary: ['description', 'summary', 'content', 'content:encoded'],
}

/** An item of a feed as an article: it has a title, and an id or a link. */
export const article = z.record(z.string(), z.string()).transform((item, context): Article => {
  const first = (elements: readonly string[]): string =>
    elements.map((name) => item[name]?.trim() ?? '').find(Boolean) ?? ''
  const [title, link] = [plainText(first(['title'])), pageOf(first(['link']))]
  const id = first(names.id) || (link ?? '')
  if (title === '' || id === '') {
    context.addIssue({ code: 'custom', message: `${title === '' ? 'title' : 'guid'}: empty; expected a text` })
    return z.NEVER
  }
  const at_ms = instantOf(first(names.date))
  const text = [title, plainText(first(names.summary))].filter((part) => part !== '').join('\n')
  return { id, url: link, text, claimed_at: Number.isNaN(at_ms) ? null : at_ms * 1000 }
})

/** The zones that are read: an offset after the time of day, which is no part of a date, or a name of RFC 822. */
const zone = /(?:\dZ|\b(?:Z|GMT|UTC?|[ECMP][SD]T)|:\d\d.*(?<!-\d\d|-[a-z]{3})[+-]\d\d(?::?\d\d)?)$/i

/** The instant of a date in milliseconds; NaN for another text. A date without a zone is in UTC. */
function instantOf(text: string): number {
  // A comment, such as `(CET)`, is no zone.
  const date = text.replace(/ ?\([^()]*\)$/, '')
  if (zone.test(date) || Number.isNaN(Date.parse(date))) return Date.parse(date)
  // Without a zone, the runtime would take that of the machine, but for a day of ISO 8601.
  return Date.parse(/\dT\d/.test(date) ? `${date}Z` : `${date} UTC`)
}

/** The address of a page without the parameters of campaigns; null for another text. */
function pageOf(link: string): string | null {
  if (!/^https?:\/\//.test(link) || !URL.canParse(link)) return null
  const url = new URL(link)
  const campaign = Array.from(url.searchParams.keys()).filter((name) => name.startsWith('utm_'))
  for (const name of campaign) url.searchParams.delete(name)
  url.hash = ''
  return url.href
}
