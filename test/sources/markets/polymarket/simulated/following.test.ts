import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { ingestUnits } from '#ingest/batch.ts'
import { createHttp, HttpError, type Http } from '#ingest/http/http.ts'
import { plan } from '#ingest/plan.ts'
import type { Lake } from '#lake/lake.ts'
import { createWorld } from '#sim/markets/world.ts'
import { createRandom } from '#sim/random.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { sources } from '#sources/index.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { fillColumns, staged, tradedAt_s, trueFills } from '#test/pipeline/tape.ts'
import { sized } from '#test/run/sized.ts'
import { temporaryLake } from '#test/sources/markets/polymarket/fake.ts'
import { gridInstant, type Micros } from '#time.ts'

const minute = 60_000_000
const hour = 60 * minute
const world = createWorld({ seed: 4, scale: sized(0.02, 0.02, 0.03) })
const ts_sOf = (fill: number): number => tradedAt_s(world, fill)

/** The three hours, from a full one on, in which most happens while the world is watched. */
const begin: Micros = (() => {
  const counts = new Map<number, number>()
  for (let fill = 0; fill < world.fills.length; fill++) {
    const at_s = ts_sOf(fill)
    for (const back of [0, 1, 2]) {
      const from_s = at_s - (at_s % 3600) - back * 3600
      counts.set(from_s, (counts.get(from_s) ?? 0) + 1)
    }
  }
  const watched = [...counts].filter(([from_s]) => from_s * 1e6 > world.opensAt + 60 * 24 * hour)
  return (watched.toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0) * 1e6
})()
/** No process follows for 40 minutes, and the feed answers with errors for 10. */
const pause = { from: begin + 95 * minute, to: begin + 135 * minute }
const trouble = { from: begin + 150 * minute, to: begin + 160 * minute }

/** The first instant, before the full hour. A follow reads the whole past at this instant. */
const first = begin - 20 * minute

/** From the first instant on, every one to five minutes, or so many times as long. */
function stepsTo(end: Micros, every: number, isFollowed: (at: Micros) => boolean = () => true): Micros[] {
  const random = createRandom(7)
  const steps: Micros[] = []
  for (let at = first; at < end; at += every * (60 + 30 * random.below(9)) * 1_000_000) {
    if (isFollowed(at)) steps.push(at)
  }
  return [...steps, end]
}

const groups = {
  live: ['polymarket_feed', 'polymarket_odds'],
  histories: ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity'],
}
type Order = 'live first' | 'histories first' | 'side by side'
/** A follow that is over: its lake, and how many units of each source were reading since the feed is complete. */
type Followed = { lake: Lake; n_pulled: Map<string, number>; close: () => Promise<void> }

/**
 * Follows through instants: at each the two groups, in some order; within a group one source after the other. The
 * follow continues from a copy of a lake, if there is one.
 */
async function follow(order: Order, instants: readonly Micros[], from?: Followed): Promise<Followed> {
  let now = begin
  const upstream = await serveWorld({ world, clock: () => now, lag_s: 50, cache: 'stale' })
  const http = troubled(upstream, () => now)
  const { lake, remove } = await temporaryLake(from && homeOf(from))
  const reached = new Map<string, Micros>()
  const n_pulled = new Map<string, number>()
  const read = async (name: string): Promise<void> => {
    const source = sources.find((one) => one.name === name)
    if (source === undefined) throw new Error(`no source is called ${name}`)
    const at = gridInstant(now, source.grid_s)
    if (reached.get(name) === at) return
    reached.set(name, at)
    const request = { source: name, at, from: 0, to: at, keys: [], includeOpen: true }
    const { units } = await lake.read((reader) => plan(source, request, { lake: reader, get: http }))
    await ingestUnits({ lake, http, keepRaw: false, concurrency: 4 }, () => source, units, at)
    if (at > begin + 6 * minute) n_pulled.set(name, (n_pulled.get(name) ?? 0) + units.length)
  }
  const run = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await read(name)
  }
  for (const at of instants) {
    now = at
    const [first, second] =
      order === 'histories first' ? [groups.histories, groups.live] : [groups.live, groups.histories]
    if (order === 'side by side') await Promise.all([run(first), run(second)])
    else for (const group of [first, second]) await run(group)
  }
  return {
    lake,
    n_pulled,
    close: async () => {
      await upstream.close()
      await remove()
    },
  }
}

const homeOf = ({ lake }: Pick<Followed, 'lake'>): string => lake.local.locate('')

/** The way to the venue, whose feed is in trouble for a while. */
function troubled(upstream: ServedWorld, now: () => Micros): Http {
  const http = createHttp({
    hosts: simulatedHosts(parseConfig({}).hosts, upstream),
    now_ms: () => 0,
    sleep: async () => {},
    random: () => 0,
  })
  return (request, ...rest) => {
    const { host: name = '', path, query } = request
    const isFeed = path === '/v2/trades' && query?.['condition'] === undefined
    if (!isFeed || now() < trouble.from || now() >= trouble.to) return http(request, ...rest)
    return Promise.reject(new HttpError({ host: name, path, status: 503, attempts: 5, body: '', what: 'answered 503' }))
  }
}

const texts = z.object({ text: z.string() })

/** The lake of every follow at the first instant. In the full form each follow reads the past itself. */
let begun: Followed | undefined
beforeAll(async () => {
  if (sized(true, true, false)) begun = await follow('live first', [first])
})
afterAll(() => begun?.close())

describe('three hours of following, with a pause and a feed in trouble', () => {
  const end = begin + 3 * hour + 20 * minute
  let followed: Followed
  beforeAll(async () => {
    followed = await follow(
      'side by side',
      stepsTo(end, sized(3, 3, 1), (at) => at < pause.from || at >= pause.to),
      begun,
    )
  })
  afterAll(() => followed.close())

  /** The instant up to which the feed shows fills at the end. */
  const known = end - 300_000_000
  const isKnown = (fill: number): boolean => ts_sOf(fill) * 1e6 < known

  test('every fill is on the tape once, with its true role', async () => {
    const isNew = (fill: number) => isKnown(fill) && ts_sOf(fill) * 1e6 >= begin
    expect(trueFills(world, isNew, true).length).toBeGreaterThan(50)
    expect(await staged(followed.lake, end, 'tape', { columns: `${fillColumns}, role` })).toEqual(
      trueFills(world, isKnown, true),
    )
  })

  test('every fill of a trader is in the ledgers once', async () => {
    const isPerson = (fill: number) => (world.fills.trader[fill] ?? -1) >= 0
    const rows = await staged(followed.lake, end, 'fills', { columns: fillColumns })
    // Accounts are shown sooner than the feed.
    const shown = rows.filter((row) => Number(row.split(' ')[3]) * 1e6 < known)
    expect(shown).toEqual(trueFills(world, (fill) => isKnown(fill) && isPerson(fill), false))
  })

  test('the feed has no gap, and the markets were left to it', async () => {
    const sql = `select state as text from lake.coverage where source = 'polymarket_feed' group by 1 order by 1`
    const states = await followed.lake.read(({ query }) => query(sql, texts))
    expect(states.map(({ text }) => text)).toEqual(['done', 'head'])
    const settled = world.markets.filter(({ resolvedAt_s }) => {
      const at = resolvedAt_s * 1e6 + 24 * hour
      return at > begin && at <= end
    })
    expect(followed.n_pulled.get('polymarket_trades') ?? 0).toBeLessThanOrEqual(settled.length)
    expect(followed.n_pulled.get('polymarket_feed')).toBeGreaterThan(sized(10, 10, 30))
  })
})

test('whichever group is ahead at an instant, the lake is the same, byte for byte', async () => {
  // Accounts are read again a reading later than the feed, so both orders agree where readings are close together.
  const instants = stepsTo(begin + sized(20, 20, 65) * minute, 1)
  const lakes = [await follow('live first', instants, begun), await follow('histories first', instants, begun)]
  const [one = {}, other = {}] = await Promise.all(lakes.map((lake) => parquetFiles(homeOf(lake))))
  for (const { close } of lakes) await close()
  expect(Object.keys(other)).toEqual(Object.keys(one))
  expect(Object.keys(one).filter((path) => one[path] !== other[path])).toEqual([])
})
