import { setTimeout as sleep } from 'node:timers/promises'

import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { z } from 'zod'

import { buildMarts } from '#builder/build.ts'
import type { Lake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'
import { exposedWorld } from '#sim/markets/limitless_wire/exposed_world.ts'
import type { World } from '#sim/markets/types.ts'
import { createWorld } from '#sim/markets/world.ts'
import { limitlessLifecycle } from '#sources/markets/limitless/limitless_lifecycle.ts'
import { limitlessMarkets } from '#sources/markets/limitless/limitless_markets.ts'
import { limitlessResolutions } from '#sources/markets/limitless/limitless_resolutions.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { openPushed } from '#test/sources/markets/polymarket/simulated/pushed_world.ts'
import type { Micros } from '#time.ts'

const second = 1_000_000
const factor = 4_000

/** The same world, whose markets open, close and resolve soon after `now`. */
function hurried(world: World): World {
  const now_s = world.now / second
  const soon = (at_s: number): number => (at_s <= now_s ? at_s : Math.floor(now_s + (at_s - now_s) / factor))
  return {
    ...world,
    events: world.events.map((event) => ({ ...event, createdAt_s: soon(event.createdAt_s) })),
    markets: world.markets.map((market) => ({
      ...market,
      createdAt_s: soon(market.createdAt_s),
      closedAt_s: soon(market.closedAt_s),
      proposedAt_s: soon(market.proposedAt_s),
      disputedAt_s: market.disputedAt_s === null ? null : soon(market.disputedAt_s),
      resolvedAt_s: soon(market.resolvedAt_s),
      pausedAt_s: null,
      resumedAt_s: null,
    })),
  }
}

const world = hurried(exposedWorld(createWorld({ seed: 9, scale: sized(1, 1, 3) })))
const faults = { mute_ms: 4_000, closed_ms: 1_500, missed: 0.1, lost: 0.1, repeats: true, drift: 0.1 }
const markets = new Map(world.markets.map((market) => [`limitless:${market.slug}`, market]))
const payoutOf = { first: 1_000_000n, second: 0n } as Record<string, bigint>

const rowShape = z.object({ market_id: z.string(), at: z.bigint().transform(Number), payout: z.bigint().nullable() })
const rowsOf = (lake: Lake, dataset: 'markets' | 'resolutions', source: string) =>
  lake.read(({ query }) =>
    query(
      dataset === 'markets'
        ? `select market_id, epoch_us(created_at) as at, null::bigint as payout from lake.markets
           where source = '${source}' order by all`
        : `select market_id, epoch_us(ts) as at, (payouts[1] * 1000000)::bigint as payout from lake.resolutions
           where source = '${source}' order by all`,
      rowShape,
    ),
  )
const covered = z.object({ state: z.string(), reason: z.string().nullable(), n_rows: z.bigint() })
const coverage = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select state, reason, n_rows from lake.coverage where source = '${limitlessLifecycle.name}' order by unit`,
      covered,
    ),
  )

const oddsShape = z.object({
  id: z.string(),
  is_open: z.boolean(),
  yes_price: z.number(),
  yes_method: z.string(),
})

/** The markets of a pulse as of an instant. */
async function pulseOf(lake: Lake, asOf: Micros): Promise<Map<string, z.output<typeof oddsShape>>> {
  const settings = { models: await loadScoring(), asOf, threads: 1, memory: '1GB', now: () => asOf }
  const { file } = await buildMarts(lake, 'pulse', settings)
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const select = 'select id, is_open, yes_price::double as yes_price, yes_method from marts.pm_markets'
  const rows = z.array(oddsShape).parse((await connection.runAndReadAll(select)).getRowObjectsJson())
  connection.closeSync()
  instance.closeSync()
  return new Map(rows.map((row) => [row.id, row]))
}

test('pushed markets and resolutions are the venue’s within seconds, and are read and sealed later', async () => {
  const opened = await openPushed(createWorld({ seed: 8, scale: 0.01 }), {
    stream: limitlessLifecycle,
    faults,
    others: { limitless: world },
    startsAt: world.now,
    isStepped: true,
  })
  const { lake, clock, poll, follow, skip, step, close } = opened
  await poll(limitlessMarkets)
  follow()
  const pushed = { markets: new Set<string>(), resolutions: new Set<string>() }
  // The world waits for the follow, however slow the machine is.
  const isEnough = (): boolean => Math.min(pushed.markets.size, pushed.resolutions.size) > sized(5, 5, 20)
  for (let n = 0; n < 200 && !(isEnough() && opened.n_connections() > 4); n += 1) {
    step(20 * second)
    await sleep(500)
    const [made, resolved] = [
      await rowsOf(lake, 'markets', limitlessLifecycle.name),
      await rowsOf(lake, 'resolutions', limitlessLifecycle.name),
    ]
    for (const row of made) {
      pushed.markets.add(row.market_id)
      expect(row.at).toBe((markets.get(row.market_id)?.createdAt_s ?? 0) * second)
    }
    for (const row of resolved) {
      pushed.resolutions.add(row.market_id)
      const market = markets.get(row.market_id)
      expect([row.at, row.payout]).toEqual([(market?.resolvedAt_s ?? 0) * second, payoutOf[market?.result ?? '']])
    }
  }
  expect(opened.n_connections()).toBeGreaterThan(4)
  expect(isEnough()).toBe(true)
  expect((await coverage(lake)).map(({ reason }) => reason).join()).toContain(
    'provisional until limitless_markets has the hour',
  )
  const known = await rowsOf(lake, 'resolutions', limitlessLifecycle.name)
  const odds = await pulseOf(lake, clock())
  // A market that had closed before the first list is in no description yet.
  const listed = new Set((await rowsOf(lake, 'markets', limitlessMarkets.name)).map(({ market_id }) => market_id))
  const described = known.filter(({ market_id }) => listed.has(market_id))
  expect(described.length).toBeGreaterThan(0)
  for (const { market_id, payout } of described) {
    const served = { is_open: false, yes_price: Number(payout) / 1e6, yes_method: 'payout' }
    expect(odds.get(market_id) ?? { market_id }).toMatchObject(served)
  }

  const end = clock()
  // The list shows neither resolutions nor their markets; the markets that were pushed are read by their slugs.
  skip(700 * second)
  await poll(limitlessMarkets)
  await poll(limitlessResolutions)
  skip(300 * second)
  await poll(limitlessMarkets)
  const read = new Map((await rowsOf(lake, 'resolutions', 'limitless_resolutions')).map((row) => [row.market_id, row]))
  expect([...pushed.resolutions].filter((id) => !read.has(id))).toEqual([])
  // Some events are sent to nobody, or in another shape. The markets that were listed before are all read.
  const due = world.markets.filter(({ slug, result, resolvedAt_s }) => {
    return listed.has(`limitless:${slug}`) && payoutOf[result] !== undefined && resolvedAt_s * second <= end
  })
  expect(due.length).toBeGreaterThan(5)
  expect(due.filter(({ slug }) => !read.has(`limitless:${slug}`)).map(({ slug }) => slug)).toEqual([])
  for (const [id, { payout }] of read) expect(payout).toBe(payoutOf[markets.get(id)?.result ?? ''])
  // A row that comes after an observation is compared at the next one.
  await eventually(async () => {
    skip(280 * second)
    step(20 * second)
    await poll(limitlessMarkets)
    await poll(limitlessResolutions)
    const before = (await rowsOf(lake, 'resolutions', limitlessLifecycle.name)).filter(({ at }) => at <= end)
    const made = (await rowsOf(lake, 'markets', limitlessLifecycle.name)).filter(({ at }) => at <= end)
    expect([before, made]).toEqual([[], []])
  }, 500)
  expect(await close()).toContain('the test is over')
})
