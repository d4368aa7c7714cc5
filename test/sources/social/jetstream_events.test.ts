import { describe, expect, it } from 'vitest'

import { placeOf, readEvent } from '#sources/social/bluesky/wire/jetstream_events.ts'
import { claimedAt, fullText, postRecord, quotedUri } from '#sources/social/bluesky/wire/post_record.ts'

const did = 'did:plc:aaaabbbbccccddddeeeeffff'
const other = 'did:web:example.com'
const at = 1_795_179_900_000_000
const commit = (more: object): string =>
  JSON.stringify({
    did,
    time_us: at,
    kind: 'commit',
    commit: { rev: '3m', operation: 'create', rkey: '3mrkey', ...more },
  })
const post = (record: object): string => commit({ collection: 'app.bsky.feed.post', record })

describe('an event of Jetstream', () => {
  it('of a post has its record', () => {
    expect(readEvent(post({ text: 'hello', createdAt: '2026-11-20T13:05:00Z' }))).toEqual({
      is: 'post',
      at,
      did,
      rkey: '3mrkey',
      record: { text: 'hello', createdAt: '2026-11-20T13:05:00Z' },
    })
  })

  it.each([
    ['app.bsky.feed.like', 'like'],
    ['app.bsky.feed.repost', 'repost'],
  ])('of %s names the post', (collection, kind) => {
    const uri = `at://${other}/app.bsky.feed.post/3mother`
    expect(readEvent(commit({ collection, record: { subject: { uri, cid: 'bafy' } } }))).toEqual({
      is: 'engagement',
      at,
      did,
      kind,
      subject: { did: other, collection: 'app.bsky.feed.post', rkey: '3mother' },
    })
  })

  it('of a like of a feed, a follow or an edit is none of ours', () => {
    const uri = `at://${other}/app.bsky.feed.generator/x`
    for (const text of [
      commit({ collection: 'app.bsky.feed.like', record: { subject: { uri } } }),
      commit({ collection: 'app.bsky.graph.follow', record: { subject: other } }),
      commit({ collection: 'app.bsky.feed.post', operation: 'update', record: { text: 'edited' } }),
      JSON.stringify({ did, time_us: at, kind: 'identity', identity: {} }),
    ])
      expect(readEvent(text)).toEqual({ is: 'other', at })
  })

  it('of a deletion has no record', () => {
    const text = commit({ collection: 'app.bsky.feed.post', operation: 'delete' })
    expect(readEvent(text)).toEqual({ is: 'post deleted', at, did, rkey: '3mrkey' })
  })

  it.each([
    [{ active: false, status: 'deleted' }, 'author gone'],
    [{ active: false, status: 'takendown' }, 'author gone'],
    [{ active: false, status: 'deactivated' }, 'author gone'],
    [{ active: false, status: 'desynchronized' }, 'other'],
    [{ active: true }, 'other'],
  ])('of an account with %o is "%s"', (account, is) => {
    expect(readEvent(JSON.stringify({ did, time_us: at, kind: 'account', account }))).toMatchObject({ is })
  })

  it('with a like or repost of another shape names the reason, since it is no post', () => {
    for (const collection of ['app.bsky.feed.like', 'app.bsky.feed.repost'])
      expect(readEvent(commit({ collection, record: { subject: 7 } }))).toMatchObject({
        is: 'broken engagement',
        reason: expect.stringContaining('subject') as unknown,
      })
  })

  it.each([
    ['no JSON', 'hello'],
    ['no instant', JSON.stringify({ did, kind: 'commit' })],
    ['an instant in seconds', JSON.stringify({ did, kind: 'identity', time_us: 1_795_179_900 })],
    ['no account', JSON.stringify({ did: 'someone', kind: 'identity', time_us: at })],
    ['a post without text', post({ createdAt: '2026-11-20T13:05:00Z' })],
  ])('with %s is an error', (_what, text) => {
    expect(() => readEvent(text)).toThrow()
  })
})

describe('the record of a post', () => {
  const read = (record: object) => postRecord.parse(record)

  it('has a text with the links, tags and cards that it hides', () => {
    const record = read({
      text: 'read example.com/lo... #btc',
      facets: [
        { features: [{ uri: 'https://example.com/long' }], index: { byteStart: 5, byteEnd: 22 } },
        { features: [{ tag: 'btc' }] },
      ],
      tags: ['hidden'],
      embed: {
        $type: 'app.bsky.embed.external',
        external: { uri: 'https://c.example', title: 'Card', description: '' },
      },
    })
    expect(fullText(record)).toBe(
      'read example.com/lo... #btc\nhttps://example.com/long\n#hidden\nCard\nhttps://c.example',
    )
  })

  it('has at most 100 of the tags that it hides', () => {
    const facets = Array.from({ length: 300 }, (_, n) => ({ features: [{ tag: `a${n}.` }] }))
    const tags = Array.from({ length: 300 }, (_, n) => `b${n}.`)
    expect(fullText(read({ text: 'x', facets, tags })).split('\n')).toHaveLength(201)
  })

  it('quotes a post, also beside pictures', () => {
    const uri = `at://${did}/app.bsky.feed.post/3m`
    expect(quotedUri(read({ text: '', embed: { record: { uri } } }))).toBe(uri)
    expect(quotedUri(read({ text: '', embed: { record: { record: { uri } }, media: { images: [] } } }))).toBe(uri)
    expect(quotedUri(read({ text: '', embed: { images: [] } }))).toBeUndefined()
  })

  it('may have any other field in a wrong shape', () => {
    const record = read({ text: 'x', createdAt: 7, langs: 'en', reply: 'no', embed: [], facets: {}, tags: [1] })
    expect([fullText(record), claimedAt(record)]).toEqual(['x', null])
  })
})

it('an address names a record, or nothing', () => {
  expect(placeOf(`at://${did}/app.bsky.feed.post/3m`)).toEqual({ did, collection: 'app.bsky.feed.post', rkey: '3m' })
  for (const text of [`at://${did}`, 'https://bsky.app', `at://${did}/a/b/c`, 'at://handle.example/a/b'])
    expect(placeOf(text)).toBeNull()
})
