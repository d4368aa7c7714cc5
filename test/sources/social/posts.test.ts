import { describe, expect, it } from 'vitest'

import { platforms } from '#registry/platforms/index.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { rowsOfPosts, type ReadPost } from '#sources/social/post_rows.ts'
import { noon } from '#test/lake/fixture.ts'

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
  it('name a platform of the registry, which has a weight', () => {
    const post: ReadPost = {
      // @ts-expect-error A platform without a weight would count nowhere.
      platform: 'unregistered',
      post_id: '1',
      ts: noon,
      author: 'a',
      kind: 'post',
      text: '',
    }
    expect(platforms.some(({ id }) => id === post.platform)).toBe(false)
  })

  const rowsOf = (post: ReadPost) => rowsOfPosts([post], () => [], noon)
  const read = { platform: 'x', post_id: '1', ts: noon, author: 'x', kind: 'post', text: 'hello' } as const

  it.each([
    [noon - 3_600_000_000, noon - 3_600_000_000],
    [noon - 86_400_000_000, null],
    [noon + 90_000_000_000, null],
    [null, null],
  ])('keep a claimed instant %s as %s', (claimed_at, kept) => {
    expect(rowsOf({ ...read, claimed_at }).posts.map((post) => post.claimed_at)).toEqual([kept])
  })

  it('have names that can be stored, and none that is longer than a real one', () => {
    const named = { lang: 'e\0n', channel: 'a\ud800', url: `https://${'a'.repeat(1e6)}`, parent_id: 'p'.repeat(1e6) }
    const [row] = rowsOf({ ...read, ...named, native_assets: ['bitcoin', 'a'.repeat(1e6)] }).posts
    expect(row).toMatchObject({ lang: 'e\ufffdn', channel: 'a\ufffd', url: null, parent_id: null })
    expect(row?.native_assets).toEqual(['bitcoin'])
  })

  it('have a text that can be stored', () => {
    const textOf = (text: string) => rowsOf({ ...read, text }).post_text.map((row) => row.text)
    expect(textOf('a\ud800b\0c')).toEqual(['a\ufffdb\ufffdc'])
    expect(textOf('🚀'.repeat(10_001))).toEqual(['🚀'.repeat(10_000)])
  })
})
