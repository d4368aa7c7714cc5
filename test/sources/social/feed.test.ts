import fc from 'fast-check'
import { afterEach, describe, expect, it, test, vi } from 'vitest'

import { article, readFeed } from '#sources/social/news/feed.ts'
import { plainText } from '#sources/social/plain_text.ts'

afterEach(() => vi.unstubAllEnvs())

const articlesIn = (xml: string) => readFeed(xml).map((item) => article.parse(item))
const rss = (items: string): string => `<?xml version="1.0"?><rss version="2.0"><channel>${items}</channel></rss>`

describe('a feed', () => {
  it('in RSS gives articles with the id, the page without campaign parameters, and the text of title and summary', () => {
    const item =
      '<item><title><![CDATA[Bitcoin & friends]]></title><link>https://a.example/x?utm_source=rss&amp;id=7#top</link>' +
      '<guid isPermaLink="false">7</guid><pubDate>Fri, 20 Nov 2026 12:00:00 +0100</pubDate>' +
      '<description><![CDATA[<p>First <b>line</b></p><p>Second &#8220;line&#8221;</p>]]></description>' +
      '<media:content url="x"><media:title>not the title</media:title></media:content></item>'
    expect(articlesIn(rss(item))).toEqual([
      {
        id: '7',
        url: 'https://a.example/x?id=7',
        text: 'Bitcoin & friends\nFirst line\nSecond “line”',
        claimed_at: Date.UTC(2026, 10, 20, 11) * 1000,
      },
    ])
  })

  it('in Atom gives the page of the alternate link, and the first publication', () => {
    const feed =
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>Outlet</title><link href="https://a.example"/><entry>' +
      '<id>tag:a.example,2026:1</id><title type="html">Fees &amp;amp; gas</title><link rel="self" href="https://a.example/1.atom"/>' +
      '<link rel="alternate" href="https://a.example/1"/><published>2026-11-20T10:00:00Z</published>' +
      '<updated>2026-11-20T11:00:00Z</updated><summary>Short</summary></entry></feed>'
    expect(articlesIn(feed)).toEqual([
      {
        id: 'tag:a.example,2026:1',
        url: 'https://a.example/1',
        text: 'Fees & gas\nShort',
        claimed_at: Date.UTC(2026, 10, 20, 10) * 1000,
      },
    ])
  })

  it('in RDF gives its items, whose page is their id without a guid', () => {
    const feed =
      '<rdf:RDF><channel/><item><title>One</title><link>https://a.example/1</link><dc:date>2026-11-20T10:00:00Z</dc:date></item></rdf:RDF>'
    expect(articlesIn(feed)).toMatchObject([{ id: 'https://a.example/1', text: 'One' }])
  })

  it('without an instant that can be read has an article without one', () => {
    expect(articlesIn(rss('<item><title>One</title><guid>1</guid><pubDate>yesterday</pubDate></item>'))).toMatchObject([
      { claimed_at: null },
    ])
  })

  it.each([
    ['Fri, 20 Nov 2026 10:00:00', 10],
    ['20 Nov 2026 10:00', 10],
    ['2026-11-20T10:00:00', 10],
    ['2026-11-20 10:00:00', 10],
    ['2026-11-20', 0],
    ['20 Nov 2026', 0],
    ['Fri, 20 Nov 2026 10:00:00 GMT', 10],
    ['Fri, 20 Nov 2026 10:00:00 EST', 15],
    ['Fri, 20 Nov 2026 10:00:00 -0500', 15],
    ['Fri, 20 Nov 2026 10:00:00 +0200 (EET)', 8],
    ['Fri, 20 Nov 2026 10:00:00 (EET)', 10],
    ['10:00 20-Nov-2026', 10],
    ['10:00:00 2026-11-20', 10],
    ['10:00 20-Nov-2026 -0500', 15],
    ['2026-11-20T10:00:00.000', 10],
    ['2026-11-20T10:00:00.000Z', 10],
    ['2026-11-20T10:00:00+02:00', 8],
    ['2026-11-20T10:00:00z', 10],
  ])('reads the date %j in its own zone, or in UTC, on every machine', (date, hours) => {
    for (const machine of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
      vi.stubEnv('TZ', machine)
      const [one] = articlesIn(rss(`<item><title>One</title><guid>1</guid><pubDate>${date}</pubDate></item>`))
      expect(one?.claimed_at, machine).toBe(Date.UTC(2026, 10, 20) * 1_000 + hours * 3_600_000_000)
    }
  })

  it.each([
    ['is cut off', rss('<item><title>One</title><guid>1</guid></item>').slice(0, -20)],
    ['is a page', '<html><body>Just a moment...</body></html>'],
    ['is empty', ''],
  ])('that %s is an error', (_what, xml) => {
    expect(() => readFeed(xml)).toThrow('feed: its root is missing or not closed')
  })

  it.each([
    ['title', '<item><title> </title><guid>1</guid></item>'],
    ['guid', '<item><title>One</title></item>'],
  ])('rejects an item without a %s', (field, item) => {
    const [parsed] = readFeed(rss(item)).map((one) => article.safeParse(one))
    expect(parsed?.error?.issues[0]?.message).toBe(`${field}: empty; expected a text`)
  })

  it('expands no entity of its own: neither a file nor a bomb', () => {
    const types =
      '<!DOCTYPE rss [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    const [found] = articlesIn(`${types}${rss('<item><title>x &file; &b;</title><guid>1</guid></item>')}`)
    expect(found?.text).toBe('x &file; &b;')
  })
})

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const words = fc.stringMatching(/^[a-zA-Z0-9&<>"'$%£€ü]{1,12}( [a-zA-Z0-9&<>"'$%£€ü]{1,12}){0,5}$/)

test('any title and summary come back as they were, escaped or as CDATA', () => {
  fc.assert(
    fc.property(words, words, fc.boolean(), (title, summary, isCdata) => {
      const html = escaped(summary)
      const description = isCdata ? `<![CDATA[<p>${html}</p>]]>` : escaped(`<p>${html}</p>`)
      const item = `<item><title>${escaped(escaped(title))}</title><guid>1</guid><description>${description}</description></item>`
      expect(articlesIn(rss(item))[0]?.text).toBe(`${title}\n${summary}`)
    }),
  )
})

test('a fragment of HTML becomes its text, with links that the text does not show', () => {
  const html =
    'Buy <a href="https://a.example/page">this</a><br>and <a href="https://b.example">https://b.example</a>' +
    '<script>alert("x")</script><style>p {}</style> &gt; all'
  expect(plainText(html)).toBe('Buy this\nand https://b.example > all\nhttps://a.example/page')
})

test.each([
  ['<blockquote>Quote</blockquote>Bitcoin falls', 'Quote\nBitcoin falls'],
  ['<p>Buy</p>Bitcoin', 'Buy\nBitcoin'],
  ['<h5>Bitcoin</h5>falls', 'Bitcoin\nfalls'],
  ['<ul><li>BTC</li><li>ETH</li></ul>fall', 'BTC\nETH\nfall'],
  ['<table><tr><td>BTC</td><td>5</td></tr></table>', 'BTC\n5'],
  ['<figure><img src="x"><figcaption>Chart</figcaption></figure>Bitcoin', 'Chart\nBitcoin'],
  ['Bit<b>coin</b> and<wbr>more', 'Bitcoin andmore'],
])('elements on lines of their own join no words: %s', (html, text) => {
  expect(plainText(html)).toBe(text)
})
