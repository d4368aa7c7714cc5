import type { Host } from '#ingest/http/host.ts'
import type { Part } from '#ingest/source.ts'

/** The feeds of outlets: the name, the address, and the path of the feed. A new outlet is a line here. */
const feeds: readonly (readonly [name: string, url: string, path: string])[] = [
  ['coindesk', 'https://www.coindesk.com', '/arc/outboundfeeds/rss/'],
  ['cointelegraph', 'https://cointelegraph.com', '/rss'],
  ['decrypt', 'https://decrypt.co', '/feed'],
  ['theblock', 'https://www.theblock.co', '/rss.xml'],
  ['blockworks', 'https://blockworks.co', '/feed'],
  ['thedefiant', 'https://thedefiant.io', '/feed'],
  ['bitcoinmagazine', 'https://bitcoinmagazine.com', '/feed'],
  ['cryptoslate', 'https://cryptoslate.com', '/feed/'],
  ['beincrypto', 'https://beincrypto.com', '/feed/'],
  ['utoday', 'https://u.today', '/rss'],
  ['newsbtc', 'https://www.newsbtc.com', '/feed/'],
  ['bitcoinist', 'https://bitcoinist.com', '/feed/'],
  ['cryptopotato', 'https://cryptopotato.com', '/feed'],
  ['cryptonews', 'https://cryptonews.com', '/news/feed'],
  ['ambcrypto', 'https://ambcrypto.com', '/feed/'],
  ['dailyhodl', 'https://dailyhodl.com', '/feed/'],
]

const hostOf = (name: string, url: string): Host => ({
  name: `news_${name}`,
  doc: `The URL of the news of ${name}`,
  url,
  requestsPer10s: 2,
  concurrency: 1,
})

const [first, ...others] = feeds.map(([name, url]): Part => ({ name, upstreams: [hostOf(name, url)] }))
if (first === undefined) throw new Error('outlets: none; expected at least one')

/** A part for each outlet, so that a feed that fails leaves the others alone. */
export const outlets: readonly [Part, ...Part[]] = [first, ...others]

/** The path of the feed of an outlet. */
export function feedPath(outlet: string): string {
  const path = feeds.find(([name]) => name === outlet)?.[2]
  if (path === undefined)
    throw new Error(`outlet ${outlet}: unknown; expected one of ${feeds.map(([name]) => name).join(', ')}`)
  return path
}
