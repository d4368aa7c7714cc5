import { expect, test } from 'vitest'

import { isRemoved, shownIn, thing, tombstonesIn } from '#sources/social/reddit/thing.ts'
import { noon } from '#test/lake/fixture.ts'

const commentWith = (body: string) =>
  thing.parse({
    kind: 't1',
    data: {
      name: 't1_a',
      author: 'someone',
      created_utc: noon / 1_000_000,
      score: 1,
      subreddit: 'CryptoCurrency',
      body,
      parent_id: 't3_b',
    },
  })

test.each([
  '[deleted]',
  '[removed]',
  '[ Removed by Reddit ]',
  '[ Removed by Reddit on account of violating the [content policy](/help/contentpolicy). ]',
  '[ Removed by reddit in response to a copyright notice. ]',
  '[ Deleted By User ]',
])('a comment whose body is "%s" was removed, and is no post', (body) => {
  const one = commentWith(body)
  expect(isRemoved(one)).toBe(true)
  expect(shownIn([one], noon, (_, account) => account).posts).toEqual([])
  expect(tombstonesIn([one], noon)).toMatchObject([{ kind: 'post', target: 't1_a', ts: noon }])
})

test.each([
  'removed my bitcoin from [the exchange]',
  '[removed] was all that my answer said',
  '[Deleted by whom?](https://a.example)',
  '[ETH] and [BTC]',
])('a comment with the body "%s" is a post', (body) => {
  expect(isRemoved(commentWith(body))).toBe(false)
})
