import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { isSocialRecorded, recordedPosts } from '#test/recordings/social/posts.ts'
import { sized } from '#test/run/sized.ts'
import { CLUSTER_SPAN, nearDuplicates } from '#text/clusters/near_duplicates.ts'
import { NEAR_BITS, NO_WORDS, simhash } from '#text/clusters/simhash.ts'

const distance = (a: bigint, b: bigint): number => (a ^ b).toString(2).replaceAll('0', '').length

describe('the hash of a text', () => {
  test('is the same for copies with other links, handles, numbers and emoji', () => {
    const copies = [
      'FREE signal for $BTC with 98% accuracy, join our channel today https://t.co/abc',
      'free signal for $ETH with 97% accuracy, join our channel today!!! @you 🚀 https://t.co/xyz x9',
    ]
    expect(new Set(copies.map(simhash)).size).toBe(1)
  })

  test('is the same for a template with another last word, and far for another text', () => {
    const text = 'we are giving away ten thousand tokens to early members of our new exchange, follow and repost to win'
    expect(simhash(`${text} qwzk`)).toBe(simhash(`${text} plonk`))
    const other = 'the merge is late again and the developers will not say why it slipped'
    expect(distance(simhash(text), simhash(other))).toBeGreaterThan(NEAR_BITS)
  })

  test('rests on the letters of scripts without spaces between words', () => {
    const posts = [
      'BTCが急騰しています。今すぐ買うべきでしょうか',
      '今日はBTCの話。市場はとても静かです',
      '비트코인 BTC 급등, 지금 사야 할까요',
      '比特币BTC暴涨，现在应该买入吗',
      'BTC',
    ]
    const hashes = posts.map(simhash)
    for (const [n, one] of hashes.entries())
      for (const other of hashes.slice(n + 1)) expect(distance(one, other)).toBeGreaterThan(NEAR_BITS)
    const copies = ['比特币暴涨，现在应该买入吗 https://a.example', '比特币暴涨！现在应该买入吗？🚀 @you']
    expect(new Set(copies.map(simhash)).size).toBe(1)
    expect(copies.map(simhash)).not.toContain(NO_WORDS)
  })

  test('has 64 bits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(BigInt.asUintN(64, simhash(text))).toBe(simhash(text))
      }),
    )
  })

  test('is none without words', () => {
    expect(simhash('$BTC 100 🚀 https://t.co/abc @user')).toBe(NO_WORDS)
  })
})

/** The definition, post by post over all earlier ones. */
function slowDuplicates(posts: readonly { ts: number; simhash: bigint }[]): number[] {
  const firsts: number[] = []
  for (const [post, { ts, simhash: hash }] of posts.entries()) {
    const earlier = posts.findIndex(
      (first, n) =>
        n < post &&
        firsts[n] === n &&
        hash !== NO_WORDS &&
        first.simhash !== NO_WORDS &&
        ts - first.ts < CLUSTER_SPAN &&
        distance(first.simhash, hash) <= NEAR_BITS,
    )
    firsts.push(earlier === -1 ? post : earlier)
  }
  return firsts
}

test('groups are those of the definition', () => {
  const base = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
  const flips = fc.array(fc.integer({ min: 0, max: 63 }), { maxLength: 5 })
  const post = fc.record({
    gap: fc.integer({ min: 0, max: CLUSTER_SPAN / 4 }),
    base: fc.integer({ min: 0, max: 3 }),
    flips,
  })
  fc.assert(
    fc.property(fc.array(base, { minLength: 4, maxLength: 4 }), fc.array(post, { maxLength: 40 }), (bases, rows) => {
      let ts = 0
      const posts = rows.map((row) => {
        ts += row.gap
        return { ts, simhash: row.flips.reduce((hash, bit) => hash ^ (1n << BigInt(bit)), bases[row.base] ?? 0n) }
      })
      expect([...nearDuplicates(posts)]).toEqual(slowDuplicates(posts))
    }),
    { numRuns: sized(200, 1_500, 5_000) },
  )
})

describe.runIf(isSocialRecorded)('the recorded tweets of a day', () => {
  test('hold large groups, whose texts differ in places and signs alone', async () => {
    const tweets = (await recordedPosts('tweets_2018')).slice(0, 20_000)
    const firsts = nearDuplicates(tweets.map(({ text }, n) => ({ ts: n, simhash: simhash(text) })))
    const sizes = new Map<number, number>()
    for (const first of firsts) sizes.set(first, (sizes.get(first) ?? 0) + 1)
    expect(Math.max(...sizes.values())).toBeGreaterThan(500)
    expect(sizes.size).toBeGreaterThan(5_000)
    const start = (n: number): string =>
      (tweets[n]?.text ?? '')
        .toLowerCase()
        .replaceAll(/[^a-z]/g, '')
        .slice(0, 12)
    const [largest = -1] = [...sizes].toSorted((a, b) => b[1] - a[1])[0] ?? []
    const members = [...firsts].flatMap((first, n) => (first === largest ? [start(n)] : []))
    expect(new Set(members).size).toBe(1)
  })
})
