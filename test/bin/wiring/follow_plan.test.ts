import { describe, expect, test } from 'vitest'

import { followed, followedSince, followPlan, startFollowing, stopFollowing } from '#bin/wiring/follow_plan.ts'
import { parseConfig } from '#config.ts'
import { AlreadyRunning, NotRunning, type Engine } from '#engine/engine.ts'
import type { Part, PlannedSource, StreamSource } from '#ingest/source.ts'
import { outlets } from '#sources/social/news/outlets.ts'
import { tinyHost, tinySource } from '#test/ingest/tiny.ts'
import { machineClock } from '#time.ts'

const partOf = (name: string): Part => ({ name, upstreams: [tinyHost] })
const partsOf = (first: string, ...others: string[]): PlannedSource['parts'] => [partOf(first), ...others.map(partOf)]

const planned = [
  tinySource({ name: 'evm_tokens', parts: partsOf('base', 'gnosis'), follow: { group: 'swaps' } }),
  tinySource({ name: 'venue_list', follow: null }),
  tinySource({ name: 'evm_swaps', parts: partsOf('gnosis', 'base'), follow: { group: 'swaps' } }),
  tinySource({ name: 'evm_balances', parts: partsOf('base'), follow: { group: 'balances' } }),
]

test('a follow begins at the named instant, else 30 days ago, and not in the future', () => {
  const now = machineClock()
  expect(followedSince(now - 1)).toBe(now - 1)
  expect(now - followedSince(undefined)).toBeLessThanOrEqual(30 * 86_400_000_000)
  expect(() => followedSince(now + 3_600_000_000)).toThrow('--from: in the future; expected an earlier instant')
})

describe('the plan of what is followed', () => {
  test('has one follow for each part of each group, with its sources in the order of the list', () => {
    expect([...followPlan(planned)]).toEqual([
      ['follow-base-swaps', { group: 'swaps', part: 'base', sources: ['evm_tokens', 'evm_swaps'] }],
      ['follow-gnosis-swaps', { group: 'swaps', part: 'gnosis', sources: ['evm_tokens', 'evm_swaps'] }],
      ['follow-base-balances', { group: 'balances', part: 'base', sources: ['evm_balances'] }],
    ])
  })

  test('covers the sources of this version', () => {
    // Chains are read where the environment names them.
    const { sources } = parseConfig({})
    const plan = [...followPlan(sources)]
    expect(plan.map(([id]) => id)).toEqual([
      'follow-polymarket-histories',
      'follow-polymarket-feed',
      'follow-polymarket-push',
      'follow-polymarket-odds',
      'follow-polymarket-book',
      'follow-limitless-histories',
      'follow-limitless-odds',
      'follow-limitless-lifecycle',
      'follow-kalshi-histories',
      'follow-kalshi-feed',
      'follow-kalshi-odds',
      'follow-bluesky-jetstream',
      'follow-nostr-relays',
      ...outlets.map(({ name }) => `follow-${name}-news`),
      'follow-news-gdelt',
      'follow-biz-fourchan',
      'follow-farcaster-casts',
      'follow-farcaster-node',
      'follow-reddit-listings',
      'follow-stocktwits-messages',
      'follow-telegram-previews',
      'follow-x-search',
    ])
    const streams = ['bluesky_jetstream', 'limitless_lifecycle', 'nostr_relays', 'polymarket_book', 'polymarket_push']
    expect([...new Set(plan.flatMap(([, { sources: names }]) => names))].toSorted()).toEqual(
      [...followed, ...streams].toSorted(),
    )
  })

  test('has a run of its own for each part of a stream, which shares its group with no other source', () => {
    const stream: StreamSource = {
      name: 'feed_posts',
      kind: 'stream',
      doc: '',
      parts: partsOf('feed'),
      datasets: ['quotes'],
      unit: 'hour',
      precedence: 1,
      lag_s: 0,
      settle_s: 0,
      grid_s: 60,
      silence_s: 60,
      follow: { group: 'posts' },
      typical: { requests: 1, rows: 1, bytes: 1 },
      connect: () => ({ host: tinyHost.name, path: '/' }),
      parse: () => null,
    }
    expect([...followPlan([...planned, stream])].at(-1)).toEqual([
      'follow-feed-posts',
      { group: 'posts', part: 'feed', sources: ['feed_posts'], isStream: true },
    ])
    const mixed = tinySource({ name: 'feed_authors', parts: partsOf('feed'), follow: { group: 'posts' } })
    expect(() => followPlan([stream, mixed])).toThrow('feed_authors: its group posts has a stream')
    expect(() => followPlan([mixed, stream])).toThrow('feed_posts: its group posts has a stream')
  })

  test('is begun by one of two processes at once, and the other one begins no part of it', async () => {
    const begun: string[] = []
    const start = async (_: unknown, { id }: { id: string }) => {
      if (id === 'requested') throw new AlreadyRunning(id)
      begun.push(id)
      return { id }
    }
    const engine = { start } as unknown as Engine
    await expect(startFollowing(engine, 0, undefined, planned)).rejects.toThrow('requested: already running')
    expect(begun).toEqual([])
  })

  test('is started and ended whole', async () => {
    const running = new Set<string>()
    const scheduled = new Set<string>()
    const engine = {
      start: async (_: unknown, { id }: { id: string }) => {
        running.add(id)
        return { id }
      },
      schedule: async (_: unknown, { id }: { id: string }) => void scheduled.add(id),
      unschedule: async (id: string) => void scheduled.delete(id),
      find: async (id: string) => {
        if (!running.has(id)) throw new NotRunning(id, [])
        return { id, cancel: async () => void running.delete(id) }
      },
    } as unknown as Engine
    await startFollowing(engine, 0, undefined, planned)
    const ids = ['follow-base-swaps', 'follow-gnosis-swaps', 'follow-base-balances', 'requested']
    expect([...running].toSorted()).toEqual(ids.toSorted())
    expect([...scheduled]).toEqual(['maintain'])
    running.delete('follow-base-swaps')
    expect(await stopFollowing(engine, planned)).toEqual(ids.slice(1))
    expect([running.size, scheduled.size]).toEqual([0, 0])
  })
})
