import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { detachedContext } from '#ingest/heartbeat.ts'
import type { Source } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { steppedClock } from '#sim/clock.ts'
import { isRemoved, REMOVED_AFTER } from '#sim/social/json_wire/paging.ts'
import { hashtags, pubkeyOf, serveRelay, textEvent, type RelayFaults } from '#sim/social/nostr_wire/relay.ts'
import { postsOf } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { openRelays } from '#sources/social/nostr/nostr_reader.ts'
import { nostrHosts, nostrRelays } from '#sources/social/nostr/nostr_relays.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { HOUR, type Micros } from '#time.ts'

import { storeAssets } from './assets.ts'
import { followEndlessly, secret } from './jetstream_run.ts'

const start = noon - (noon % HOUR)
const end = start + sized(6, 6, 9) * HOUR
const world = createSocialWorld({ seed: 14, start })
const sourceWith = (tags: readonly string[]): Source => ({ ...nostrRelays, values: { authorSecret: secret, tags } })
const hash = authorIds(secret)

/** Three relays with the same events, and a follow of them. The clock is moved by the test. */
async function follow(lake: Lake, tags: readonly string[], faults: readonly RelayFaults[], from = start) {
  const clock = steppedClock(from)
  const server = createServer()
  const relays = faults.map((of, n) => serveRelay(server, { path: `/relay${n}`, world, clock: clock.now, faults: of }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cancel = new AbortController()
  const { port } = server.address() as AddressInfo
  const hosts = Object.fromEntries(
    nostrHosts.map((host, n) => [host.name, { ...host, url: `ws://127.0.0.1:${port}/relay${n}`, world: 'social' }]),
  )
  const context = { ...detachedContext, cancelled: cancel.signal }
  const run = followEndlessly(lake, sourceWith(tags), { hosts, clock: clock.now, context }).catch(String)
  const stop = async (): Promise<string> => {
    cancel.abort(new Error('the test is over'))
    return run
  }
  onTestFinished(async () => {
    await stop()
    for (const relay of relays) relay.close()
    server.close()
  })
  return { clock, stop }
}

const values = async (lake: Lake, sql: string): Promise<string[]> =>
  (await lake.read(({ query }) => query(sql, z.object({ value: z.string() })))).map(({ value }) => value)

const postsBy = (at: Micros) =>
  postsOf(world, 'nostr', start, at).filter(({ asset, at: ts }) => asset !== null && Math.floor(ts / 1e6) * 1e6 <= at)
const idsBy = (at: Micros): string[] =>
  postsBy(at)
    .map((post) => textEvent(world, post).id)
    .sort()

test('every post with the hashtag is stored once, whichever relay breaks, forges or repeats it', async () => {
  const lake = await newLake()
  await storeAssets(lake, world)
  const { clock, stop } = await follow(lake, [hashtags[0]], [{ dropAfter: 25 }, { forges: true }, {}])
  for (let at = start + HOUR / 2; at <= end; at += HOUR / 2) {
    clock.set(at)
    await eventually(async () =>
      expect(await values(lake, 'select post_id as value from lake.posts order by 1')).toEqual(idsBy(at)),
    )
  }
  const posts = postsBy(end)
  const deleted = posts.filter((post) => isRemoved(post) && post.at + REMOVED_AFTER <= end)
  expect(deleted.length).toBeGreaterThan(0)
  await eventually(async () =>
    expect(await values(lake, 'select distinct target as value from lake.tombstones order by 1')).toEqual(
      deleted.map((post) => textEvent(world, post).id).sort(),
    ),
  )
  expect(await stop()).toContain('cancelled')
  expect(posts.length).toBeGreaterThan(20)
  expect(await values(lake, 'select distinct author as value from lake.posts order by 1')).toEqual(
    [...new Set(posts.map(({ author }) => hash('nostr', pubkeyOf(world, author))))].sort(),
  )
  const wrong = await values(lake, 'select distinct reason as value from lake.quarantine')
  expect(wrong).toEqual([expect.stringContaining('not that of the event')])
  const mentions = await values(lake, `select concat(post_id, ' ', asset_id) as value from lake.mentions order by 1`)
  expect(mentions).toEqual(
    posts.map((post) => `${textEvent(world, post).id} ${world.assets[post.asset ?? -1]?.id}`).sort(),
  )
})

/** A lake with the posts of the first hour, of a follow that has ended. */
async function readFirstHour() {
  const lake = await newLake()
  await storeAssets(lake, world)
  const stored = () => values(lake, 'select post_id as value from lake.posts order by 1')
  const first = await follow(lake, [hashtags[0]], [{}, {}, {}])
  first.clock.set(start + HOUR)
  await eventually(async () => expect(await stored()).toEqual(idsBy(start + HOUR)))
  await first.stop()
  return { lake, stored }
}

test('a follow continues where the one before it ended', async () => {
  const { lake, stored } = await readFirstHour()
  const second = await follow(lake, [hashtags[0]], [{}, {}, {}])
  second.clock.set(end)
  await eventually(async () => expect(await stored()).toEqual(idsBy(end)))
})

test('a pause loses no post and no deletion, however few stored events a relay shows at once', async () => {
  const { lake, stored } = await readFirstHour()
  const second = await follow(lake, [hashtags[0]], [{ mostShown: 10 }, { mostShown: 3 }, { mostShown: 10 }], end)
  await eventually(async () => expect(await stored()).toEqual(idsBy(end)))
  const deleted = postsBy(end).filter((post) => isRemoved(post) && post.at + REMOVED_AFTER <= end)
  expect(deleted.length).toBeGreaterThan(2)
  await eventually(async () =>
    expect(await values(lake, 'select distinct target as value from lake.tombstones order by 1')).toEqual(
      deleted.map((post) => textEvent(world, post).id).sort(),
    ),
  )
  await second.stop()
  expect(await values(lake, `select reason as value from lake.coverage where reason is not null`)).toEqual([])
})

test.each(['CLOSED', 'NOTICE'] as const)(
  'relays that refuse older events by %s leave a gap, and new posts are read',
  async (refusesOlder) => {
    const lake = await newLake()
    await storeAssets(lake, world)
    const stored = () => values(lake, 'select post_id as value from lake.posts order by 1')
    const first = await follow(lake, [hashtags[0]], [{}, {}, {}])
    first.clock.set(start + HOUR / 2)
    await eventually(async () => expect(await stored()).toEqual(idsBy(start + HOUR / 2)))
    await first.stop()
    const refuses = { mostShown: 5, refusesOlder }
    const second = await follow(lake, [hashtags[0]], [refuses, refuses, refuses], end - HOUR)
    const newest = idsBy(end).filter((id) => !idsBy(end - HOUR).includes(id))
    await eventually(async () => expect((await stored()).length).toBe(idsBy(start + HOUR / 2).length + 5))
    second.clock.set(end)
    await eventually(async () => expect(await stored()).toEqual(expect.arrayContaining(newest)))
    const reasons = await values(lake, `select distinct reason as value from lake.coverage where reason is not null`)
    for (const reason of reasons) expect(reason).toContain('a relay did not show all posts')
    expect(reasons.length).toBeGreaterThan(0)
  },
)

test('without hashtags no relay is asked', async () => {
  const [part] = nostrRelays.parts
  const wantedBy = (tags: readonly string[]) => {
    const settings = { authorSecret: secret, tags }
    const reader = openRelays({ lake, clock: () => 0, part, settings, cursorOf: () => null })
    return 'wanted' in reader ? reader.wanted() : []
  }
  const lake = await newLake()
  expect(wantedBy([])).toEqual([])
  expect(wantedBy([hashtags[0]])).toHaveLength(nostrHosts.length)
})
