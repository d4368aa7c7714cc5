import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { holdStream } from '#lake/units/stream_cursor.ts'
import { didOf, rkeyOf, authorOf } from '#sim/social/bluesky_wire/frames.ts'
import { serveJetstream, type JetstreamFaults } from '#sim/social/bluesky_wire/jetstream.ts'
import { eventAt, postAt } from '#sim/social/network.ts'
import { trueNetwork } from '#sim/social/true_network.ts'
import { createSocialWorld, type SocialWorld } from '#sim/social/world.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'
import { HOUR, type Micros } from '#time.ts'

import { storeAssets } from './assets.ts'
import { secret, source } from './jetstream_run.ts'

const { n_events, kills, step } = sized(
  { n_events: 20_000, kills: 1, step: 500_000 },
  { n_events: 100_000, kills: 2, step: 100_000 },
  { n_events: 1_000_000, kills: 3, step: 50_000 },
)
const drops = 10

async function served(world: SocialWorld, now: Micros, faults: JetstreamFaults) {
  const server = createServer()
  const jetstream = serveJetstream(server, { world, clock: () => now, faults })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    jetstream.close()
    server.close()
  })
  return { ...jetstream, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/jetstream` }
}

async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...loader, 'test/pipeline/social/worker.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
}

const cursorOf = async ({ catalog }: Lake): Promise<number> => {
  const stored = catalog.db.selectFrom('tapeline_streams').select('cursor').where('source', '=', source.name)
  return Number((await stored.executeTakeFirst())?.cursor ?? 0)
}

const keyShape = z.object({ key: z.string() })

/** The rows of the lake, each as a text of its key. */
const rowsIn = (lake: Lake) =>
  lake.read(async ({ query }) => {
    const keys = async (sql: string): Promise<string[]> => (await query(sql, keyShape)).map(({ key }) => key)
    return {
      posts: await keys(`select post_id as key from lake.posts order by key`),
      dropped: await keys(`select concat_ws(' ', epoch_us(ts), n_posts) as key from lake.dropped_posts order by key`),
      texts: await keys(`select post_id as key from lake.post_text order by key`),
      mentions: await keys(`select concat_ws(' ', post_id, asset_id) as key from lake.mentions order by key`),
      engagement: await keys(
        `select concat_ws(' ', kind, post_id, engager, epoch_us(ts)) as key from lake.engagement order by key`,
      ),
      tombstones: await keys(
        `select concat_ws(' ', kind, target, epoch_us(ts)) as key from lake.tombstones order by key`,
      ),
    }
  })

/** The same by the truth of the world. */
function trueRows(world: SocialWorld) {
  const hash = authorIds(secret)
  const author = (n: number): string => hash('bluesky', didOf(world, n))
  const post = (n: number): string => `${author(authorOf(world, n))}/${rkeyOf(n)}`
  const { posts, engagement, tombstones } = trueNetwork(world, 0, n_events)
  const hourOf = (at: number): number => Math.floor(at / HOUR)
  // A text goes with the hour that has its deletion. Maintenance drops the others.
  const gone = new Set(
    tombstones
      .filter(({ kind, subject, at }) => kind === 'post' && hourOf(at) === hourOf(world.start + subject * world.step))
      .map(({ subject }) => subject),
  )
  return {
    posts: posts.map(post).sort(),
    dropped: droppedMinutes(world, new Set(posts)),
    texts: posts
      .filter((n) => !gone.has(n))
      .map(post)
      .sort(),
    mentions: posts
      .flatMap((n) => {
        const asset = world.assets[postAt(world, n).asset ?? -1]
        return asset === undefined ? [] : [`${post(n)} ${asset.id}`]
      })
      .sort(),
    engagement: engagement.map((one) => `${one.kind} ${post(one.subject)} ${author(one.author)} ${one.at}`).sort(),
    tombstones: tombstones
      .map(({ kind, subject, at }) => `${kind} ${kind === 'post' ? post(subject) : author(subject)} ${at}`)
      .sort(),
  }
}

/** The posts of each minute that are not kept. */
function droppedMinutes(world: SocialWorld, kept: ReadonlySet<number>): string[] {
  const counts = new Map<number, number>()
  for (let n = 0; n < n_events; n++) {
    const { at, is } = eventAt(world, n)
    if (is !== 'post' || kept.has(n)) continue
    const minute = at - (at % 60_000_000)
    counts.set(minute, (counts.get(minute) ?? 0) + 1)
  }
  return [...counts].map(([minute, n]) => `${minute} ${n}`).sort()
}

test('connections that break and processes that are killed neither lose nor double an event', async () => {
  const world = createSocialWorld({ seed: 5, start: noon, step })
  const end = world.start + (n_events - 1) * step
  const lake = await newLake()
  await storeAssets(lake, world)
  await (await holdStream(lake, source.name, 'bluesky')).store({ cursor: String(world.start), at: world.start })
  const jetstream = await served(world, end, { dropAfter: (n_events / drops) * 0.5, drops })
  const args = [lake.home, jetstream.url, String(end)]
  let child = await startWorker(args)
  for (let n = 1; n <= kills; n++) {
    const part = world.start + ((end - world.start) * n) / (kills + 1)
    await until(async () => (await cursorOf(lake)) >= part)
    await kill(child)
    child = await startWorker(args)
  }
  await until(async () => (await cursorOf(lake)) === end)
  await kill(child)
  expect(jetstream.n_connections()).toBeGreaterThan(drops)
  expect(await rowsIn(lake)).toEqual(trueRows(world))
  const states = await lake.read(({ query }) =>
    query(
      `select distinct state from lake.coverage where source = $source order by state`,
      z.object({ state: z.string() }),
      { source: source.name },
    ),
  )
  expect(states.map(({ state }) => state)).toEqual(['done', 'head'])
})
