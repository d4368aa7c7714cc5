import { describe, expect, it } from 'vitest'

import { authorIds } from '#activities/social/author_ids.ts'
import { candidates, type DictionaryEntry } from '#activities/social/candidates.ts'
import { rowsOfPost } from '#activities/social/post_rows.ts'
import { noon } from '#test/lake/fixture.ts'

const entry = (symbol: string, name: string, more: Partial<DictionaryEntry> = {}): DictionaryEntry => ({
  symbol,
  name,
  is_tracked: true,
  is_never_bare: false,
  aliases: [],
  context_any: [],
  tokens: [],
  ...more,
})

const isCandidate = candidates([
  entry('SOL', 'Solana', { aliases: ['solana network'] }),
  entry('BTC', 'Bitcoin'),
  entry('NEAR', 'NEAR Protocol', { is_never_bare: true, context_any: ['rainbow'] }),
  entry('UNI', 'Uniswap', { tokens: ['ethereum:0x1F9840a85d5aF5bf1D1762F925BDADdC4201F984'] }),
])

describe('a candidate', () => {
  it.each([
    'buying $sol today',
    'SOL is up',
    'I like solana.',
    'the #bitcoin thing',
    'contract 0x1f9840a85d5af5bf1d1762f925bdaddc4201f984 !',
    'near the rainbow bridge',
    '$NEAR',
  ])('is "%s"', (text) => {
    expect(isCandidate(text)).toBe(true)
  })

  it.each(['the sun near the sea', 'el sol de la mañana', '$100 for $5k', 'nothing here', '$TSLA to the moon', ''])(
    'is not "%s"',
    (text) => {
      expect(isCandidate(text)).toBe(false)
    },
  )

  it('without a dictionary is any cashtag', () => {
    const isAny = candidates([])
    expect(['$TSLA', 'bitcoin', '$100'].map(isAny)).toEqual([true, false, false])
  })
})

describe('the hash of an author', () => {
  const secret = 'x'.repeat(32)
  it('follows from the secret, the platform and the account', () => {
    const hash = authorIds(secret)
    const all = [hash('a', 'bc'), hash('ab', 'c'), hash('a', 'bd'), authorIds('y'.repeat(32))('a', 'bc')]
    expect(new Set(all).size).toBe(4)
    expect(hash('a', 'bc')).toBe(all[0])
    expect(all[0]).toMatch(/^[\w-]{22}$/)
  })

  it('needs a secret', () => {
    expect(() => authorIds(undefined)).toThrow('TAPELINE_AUTHOR_SECRET: not set')
  })
})

describe('the rows of a post', () => {
  const read = { platform: 'a', post_id: '1', ts: noon, author: 'x', kind: 'post', text: 'hello' } as const

  it.each([
    [noon - 3_600_000_000, noon - 3_600_000_000],
    [noon - 86_400_000_000, null],
    [noon + 90_000_000_000, null],
    [null, null],
  ])('keep a claimed instant %s as %s', (claimed_at, kept) => {
    expect(rowsOfPost({ ...read, claimed_at }).post.claimed_at).toBe(kept)
  })

  it('have a text that can be stored', () => {
    expect(rowsOfPost({ ...read, text: 'a\ud800b\0c' }).text.text).toBe('a\ufffdb\ufffdc')
    expect(rowsOfPost({ ...read, text: '🚀'.repeat(10_001) }).text.text).toBe('🚀'.repeat(10_000))
  })
})
