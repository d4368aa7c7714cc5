import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { createHttp } from '#activities/http/http.ts'
import { createStreams } from '#activities/http/stream.ts'
import { connectWebSocket } from '#activities/http/websocket.ts'
import { detachedContext } from '#activities/ingest/heartbeat.ts'
import { planUnits } from '#activities/ingest/plan.ts'
import { pullAll } from '#activities/ingest/pull.ts'
import { polymarketFeed } from '#activities/markets/polymarket/polymarket_feed.ts'
import { polymarketPush } from '#activities/markets/polymarket/polymarket_push.ts'
import { followStream } from '#activities/stream/follow_stream.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { fastClock } from '#sim/clock.ts'
import { createWorld, squeezed } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { temporaryLake } from '#test/activities/markets/polymarket/fake.ts'
import { fillColumns, staged, tradedAt_s, trueFills } from '#test/pipeline/tape.ts'
import { sized } from '#test/run/sized.ts'
import { machineClock, type Micros } from '#time.ts'

const minute = 60_000_000
/** Seconds of the world, and of the timers of connections, in one of the machine. */
const speed = 40
const world = squeezed(createWorld({ seed: 4, scale: 0.3 }), 40)
const faults = { mute_ms: 2_000, missed: 0.02, lost: 0.05, repeats: true, drift: 0.1 }

const covered = z.object({ source: z.string(), state: z.string(), reason: z.string().nullable(), n_rows: z.bigint() })

/** What the tape has too much and too little in a time, against the true one. */
async function compare(rows: readonly string[], from: Micros, to: Micros) {
  const left = new Map<string, number>()
  for (const text of trueFills(world, (fill) => isIn(fill, from, to), true)) left.set(text, (left.get(text) ?? 0) + 1)
  const doubled = rows.filter((text) => {
    const n = left.get(text) ?? 0
    left.set(text, n - 1)
    return n <= 0
  })
  return { doubled, lacking: [...left].filter(([, n]) => n > 0), n_true: left.size }
}

const isIn = (fill: number, from: Micros, to: Micros): boolean => {
  const at = tradedAt_s(world, fill) * 1_000_000
  return at >= from && at < to
}

test('pushed fills count once and at once, and an hour later none is missing', async () => {
  let ahead = 0
  const fast = fastClock({ start: world.now, speed, machine: machineClock })
  const clock = (): Micros => fast() + ahead
  const served = await serveWorld({ world, clock, cache: 'stale', push: faults })
  const { lake, remove } = await temporaryLake()
  const hosts = simulatedHosts(parseConfig({}).hosts, served)
  const timers = {
    now_ms: () => performance.now() * speed,
    sleep: (ms: number, signal?: AbortSignal) => sleep(ms / speed, undefined, signal ? { signal } : {}),
  }
  const http = createHttp({ hosts, random: Math.random, ...timers })
  const streams = createStreams({ hosts, connect: connectWebSocket, random: Math.random, ...timers })
  const ending = new AbortController()
  const context = { ...detachedContext, cancelled: ending.signal }
  const following = (async (): Promise<never> => {
    for (;;) await followStream({ lake, hosts, streams, timers, clock }, polymarketPush, 'polymarket', context)
  })().catch(String)
  const poll = async (): Promise<void> => {
    const at = clock()
    const request = { source: polymarketFeed.name, at, from: 0, to: at, keys: [], includeOpen: true }
    const { units } = await lake.read((reader) => planUnits(polymarketFeed, request, { lake: reader, get: http }))
    await pullAll({ lake, http, keepRaw: false, concurrency: 1 }, () => polymarketFeed, units, at)
  }
  const tape = (from: Micros, to: Micros) =>
    staged(lake, clock(), 'tape', {
      columns: `${fillColumns}, role`,
      where: `epoch_us(ts) >= ${from} and epoch_us(ts) < ${to}`,
    })

  const begun = clock()
  const shares: number[] = []
  for (let round = 0; round < sized(8, 30); round += 1) {
    await poll()
    await sleep(1_500)
    const to = clock()
    const { doubled, lacking, n_true } = await compare(await tape(begun, to), begun, to)
    expect(doubled).toEqual([])
    shares.push(1 - lacking.length / Math.max(1, n_true))
  }
  // Most fills were there before the feed could show them, in spite of the faults.
  expect(Math.max(...shares)).toBeGreaterThan(0.7)
  const states = await lake.read(({ query }) =>
    query("select source, state, reason, n_rows from lake.coverage where source = 'polymarket_push'", covered),
  )
  expect(states.map(({ state }) => state)).toEqual(states.map(() => expect.stringMatching(/unverified|quarantined/)))
  expect(states.at(-1)?.reason).toContain('provisional until polymarket_feed')

  const end = clock()
  ahead += 80 * minute
  await poll()
  const later = await compare(await tape(begun, end), begun, end)
  expect([later.doubled, later.lacking]).toEqual([[], []])
  expect(later.n_true).toBeGreaterThan(50)
  ending.abort(new Error('the test is over'))
  expect(await following).toContain('the test is over')
  await served.close()
  await remove()
})
