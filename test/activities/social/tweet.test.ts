import { expect, test } from 'vitest'

import { shownIn, tweet } from '#activities/social/x/tweet.ts'

/** The text of a post of X that the API shows with a text. */
function textOf(shown: string): string | undefined {
  const one = tweet.parse({
    id: '1',
    text: shown,
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
