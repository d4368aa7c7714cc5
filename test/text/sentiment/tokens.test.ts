import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { hashOf } from '#text/sentiment/hash.ts'
import { createTokenizer, MAX_TOKENS } from '#text/sentiment/tokens.ts'

const tokenize = createTokenizer()
const hashesOf = (text: string): number[] => {
  const { n, hashes } = tokenize(text)
  return [...hashes.subarray(0, n)]
}

test.each([
  ['Up +3.2% or -4%, not 5%', 'up risetag or falltag not sharetag'],
  ['@user_1 see https://example.org/a?b=1 and www.example.org', 'usertag see linktag and linktag'],
  ['$BTC.X, $eth and BTC at $30,000.50', 'cashtag and cashtag at numbertag'],
  ['Don&#39;t  DON’T', 'dont dont'],
  ['soooo goooood', 'soo good'],
  ['moon! 🚀🚀 👍🏽', 'moon ! 🚀 👍'],
])('%s becomes %s', (text, tokens) => {
  expect(hashesOf(text)).toEqual(tokens.split(' ').map(hashOf))
})

test('signs are counted', () => {
  tokenize('#BTC LOUD $SOL 5 and 6? Yes!! @a http://b.c')
  expect(tokenize('#BTC LOUD $SOL 5 and 6? Yes!! @a http://b.c').signs).toEqual({
    cashtags: 1,
    links: 1,
    users: 1,
    numbers: 2,
    shouted: 2,
    hashtags: 1,
    questions: 1,
    exclamations: 2,
  })
})

test('any text ends within the buffers, and white space changes nothing', () => {
  const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('http', "'", '$', '@', '%', '🚀'))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.constantFrom(1, 1, 30), (some, times) => {
      const words = Array.from({ length: times }, () => some).flat()
      const { n, starts, codes } = tokenize(words.join(' '))
      expect(n).toBeLessThanOrEqual(MAX_TOKENS)
      expect(starts[n]).toBeLessThanOrEqual(codes.length)
      expect(hashesOf(` ${words.join('  ')} `)).toEqual(hashesOf(words.join(' ')))
    }),
    { numRuns: sized(40, 500, 2_000) },
  )
})
