import { describe, expect, test } from 'vitest'

import { storedPages } from '#sources/social/nostr/stored_pages.ts'

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

const eose = (name: string): string => JSON.stringify(['EOSE', name])
const eventAt = (name: string, created_at: number): string => JSON.stringify(['EVENT', name, { created_at }])
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

  test.each([
    ['more than a page of one second are cut', 100, true],
    ['the rest of a page are not', 99, false],
    ['a single one is not', 1, false],
  ])('%s', (_, n_second, isCut) => {
    const { answer, cut } = open()
    if (n_second > 1) answer(eventAt('posts 0', 8))
    const n_first = n_second > 1 ? 99 : 1
    for (let n = 0; n < n_first; n += 1) answer(eventAt('posts 0', 7))
    expect(answer(eose('posts 0'))).toEqual(olderThan(7))
    for (let n = 0; n < n_second; n += 1) answer(eventAt('posts 0 older', 7))
    expect(answer(eose('posts 0 older'))).toBeNull()
    expect(cut).toEqual(isCut ? ['posts 0'] : [])
  })

  test('no longer wait for an older page after a notice, and a page that comes is read', () => {
    const { answer, cut } = open()
    answer(eventAt('posts 0', 7))
    expect(answer('["NOTICE", "welcome"]')).toEqual([])
    answer(eose('posts 0'))
    expect(answer('["NOTICE", "ERROR: too many REQs"]')).toEqual({ messages: [eose('posts 0 older')] })
    expect(answer('["NOTICE", "ERROR: too many REQs"]')).toEqual([])
    expect(cut).toEqual(['posts 0'])
    expect(answer(eventAt('posts 0 older', 5))).toBeNull()
    expect(answer(eose('posts 0 older'))).toEqual(olderThan(5))
  })

  test('no longer wait for an older page of which nothing comes', () => {
    const { answer, cut, onRefresh } = open()
    const pass = (n_refreshes: number): void => {
      for (let n = 0; n < n_refreshes; n += 1) onRefresh()
    }
    answer(eventAt('posts 0', 7))
    pass(6)
    expect(answer(eventAt('posts 0', 7))).toBeNull()
    answer(eose('posts 0'))
    pass(5)
    answer(eventAt('posts 0 older', 6))
    pass(5)
    expect(answer(eventAt('posts 0', 9))).toBeNull()
    expect(cut).toEqual([])
    pass(1)
    const live = eventAt('posts 0', 9)
    expect(answer(live)).toEqual({ messages: [eose('posts 0 older'), live] })
    expect(answer(live)).toBeNull()
    expect(cut).toEqual(['posts 0'])
  })
})
