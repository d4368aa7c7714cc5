import { expect, test } from 'vitest'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { ingestUnits } from '#ingest/batch.ts'
import { createHttp, type Http } from '#ingest/http/http.ts'
import { plan } from '#ingest/plan.ts'
import { steppedClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { polymarketFeed } from '#sources/markets/polymarket/polymarket_feed.ts'
import { fillColumns, staged, tradedAt_s, trueFills } from '#test/pipeline/tape.ts'
import { temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

const minute = 60_000_000
const world = createWorld({ seed: 4, scale: 0.6 })
/** The busiest hour of the world. */
const begin = (() => {
  const counts = new Map<number, number>()
  for (const ts_s of world.matches.ts_s) counts.set(ts_s - (ts_s % 3600), (counts.get(ts_s - (ts_s % 3600)) ?? 0) + 1)
  return ([...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0) * 1_000_000 + 5 * minute
})()
const end = begin + 30 * minute

/** Follows the feed once a minute through a cache that serves stale copies. */
async function lackingAfter(isPastCache: boolean): Promise<{ n_lacking: number; n_true: number }> {
  const clock = steppedClock(begin)
  const served = await serveWorld({ world, clock: clock.now, cache: 'stale' })
  const { lake, remove } = await temporaryLake()
  const hosts = simulatedHosts(parseConfig({}).hosts, served)
  const network = createHttp({ hosts, now_ms: () => 0, sleep: async () => {}, random: () => 0 })
  const http: Http = ({ isPastCache: asked, ...request }, ...rest) =>
    network({ ...request, ...(asked === true && isPastCache ? { isPastCache: true } : {}) } as typeof request, ...rest)
  for (; clock.now() <= end; clock.advance(minute)) {
    const at = clock.now()
    const request = { source: polymarketFeed.name, at, from: 0, to: at, keys: [], includeOpen: true }
    const { units } = await lake.read((reader) => plan(polymarketFeed, request, { lake: reader, get: http }))
    await ingestUnits({ lake, http, keepRaw: false, concurrency: 1 }, () => polymarketFeed, units, at)
  }
  const isKnown = (fill: number): boolean => {
    const ts = tradedAt_s(world, fill) * 1_000_000
    return ts >= begin && ts < end - 5 * minute
  }
  const true_ = trueFills(world, isKnown, true)
  const where = `epoch_us(ts) >= ${begin} and epoch_us(ts) < ${end - 5 * minute}`
  const rows = new Set(await staged(lake, end, 'tape', { columns: `${fillColumns}, role`, where }))
  await served.close()
  await remove()
  return { n_lacking: true_.filter((text) => !rows.has(text)).length, n_true: true_.length }
}

test('the feed has every fill before its hour settles, although the venue’s copies lack some', async () => {
  const { n_lacking, n_true } = await lackingAfter(true)
  expect(n_true).toBeGreaterThan(5)
  expect(n_lacking).toBe(0)
  expect((await lackingAfter(false)).n_lacking).toBeGreaterThan(0)
})
