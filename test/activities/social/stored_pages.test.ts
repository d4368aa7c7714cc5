import { describe, expect, test } from 'vitest'

import { storedPages } from '#activities/social/nostr/stored_pages.ts'

/** The pages of one subscription, and the subscriptions that were cut. */
function open() {
  const cut: string[] = []
  const pages = storedPages(new Map([['posts 0', { kinds: [1], since: 1 }]]), {
    isPaged: true,
    onCut: (of) => cut.push(of),
  })
  pages.hello()
  return { cut, ...pages }
}

const olderThan = (until: number): string[] => [
  JSON.stringify(['REQ', 'posts 0 older', { kinds: [1], since: 1, until, limit: 500 }]),
]

describe('the stored events of a subscription', () => {
  test('are asked for page by page, also of a relay that writes spaces between the values', () => {
    const { answer, cut } = open()
    expect(answer('[ "EVENT" , "posts 0", { "created_at": 7 } ]')).toBeNull()
    expect(answer('["EOSE", "posts 0"]')).toEqual(olderThan(7))
    expect(answer('["CLOSED", "posts 0 older", "blocked: no older events"]')).toBeNull()
    expect(cut).toEqual(['posts 0'])
  })
})
