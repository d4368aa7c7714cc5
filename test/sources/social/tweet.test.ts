import { expect, test } from 'vitest'

import { shownIn, tweet } from '#sources/social/x/tweet.ts'

/** The text of a post of X that the API shows with a text. */
function textOf(shown: string, more: object = {}): string | undefined {
  const one = tweet.parse({
    id: '1',
    text: shown,
    ...more,
    author_id: '2',
    created_at: '2026-11-20T10:00:00.000Z',
    public_metrics: { retweet_count: 0, reply_count: 0, like_count: 0, quote_count: 0 },
  })
  return shownIn({ tweets: [one], users: [] }, 0, (_, account) => account).posts[0]?.text
}

test('a post of X has its text without the entities of the API', () => {
  expect(textOf('Q&amp;A: $BTC &gt; $ETH &lt;3')).toBe('Q&A: $BTC > $ETH <3')
  // The author wrote the entity itself.
  expect(textOf('write &amp;lt; for a sign')).toBe('write &lt; for a sign')
})

test('a long post of X has the whole text, with the addresses of its pages', () => {
  const urls = [
    { url: 'https://t.co/aaaaaaaaaa', expanded_url: 'https://www.coingecko.com/en/coins/chainlink?a=1&b=2' },
    { url: 'https://t.co/bbbbbbbbbb', expanded_url: 'https://x.com/someone/status/1/photo/1' },
    { url: 'https://t.co/cccccccccc' },
  ]
  const whole = 'A long text &amp; a page https://t.co/aaaaaaaaaa https://t.co/bbbbbbbbbb https://t.co/cccccccccc'
  const shown = 'A long text & a page https://www.coingecko.com/en/coins/chainlink?a=1&b=2'
  const rest = 'https://t.co/bbbbbbbbbb https://t.co/cccccccccc'
  expect(textOf('A long…', { note_tweet: { text: whole, entities: { urls } } })).toBe(`${shown} ${rest}`)
  expect(textOf(whole, { entities: { urls } })).toBe(`${shown} ${rest}`)
  expect(textOf('short', { entities: { urls: [{ url: '' }] } })).toBe('short')
})
