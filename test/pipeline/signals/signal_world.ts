import { createHash } from 'node:crypto'

import { onTestFinished } from 'vitest'
import { z } from 'zod'

import { storePastPosts } from '#bin/demo/past_posts.ts'
import type { Model } from '#builder/model.ts'
import { publish, type PublishSettings } from '#builder/publish.ts'
import type { Fill, Quote } from '#lake/datasets/index.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { loadScoring } from '#scoring/index.ts'
import { gradeSignals } from '#signals/grade_signals.ts'
import { publishSignals } from '#signals/publish_signals.ts'
import { createWorld } from '#sim/markets/world.ts'
import { createSocialWorld, type SocialWorld } from '#sim/social/world.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { newHome, storeRows } from '#test/lake/fixture.ts'
import { assetsOf } from '#test/pipeline/social/assets.ts'
import { storeWorld } from '#test/skill/stored.ts'
import { DAY, HOUR, SECOND, type Micros } from '#time.ts'

import { withTraders } from './planted_chain.ts'

/**
 * A share of posts about Solana in a time, by default the last three hours of a world, and the exit of a whale on a
 * chain in its last minutes.
 */
export type Planted = { surge: number; surgeTime?: [from: Micros, to: Micros]; hasExit: boolean }

/** A simulated world up to `now`, stored in a lake whose signals are found, published and graded. */
export type SignalWorld = Awaited<ReturnType<typeof openSignalWorld>>

const secret = Buffer.alloc(32, 7)
const row = z.record(z.string(), z.unknown())

type SignalWorldSettings = Planted & { seed: number; scale: number }

/** A world that ends with its test. */
export async function openSignalWorld(of: SignalWorldSettings) {
  const world = await signalWorldIn(await newHome(), of)
  onTestFinished(world.lake.close)
  return world
}

/** Ten days of posts and more; the markets and traders of a hard world, which has books; and a chain with a whale. */
export async function signalWorldIn(home: string, of: SignalWorldSettings) {
  const { seed, scale, hasExit } = of
  const world = createWorld({ seed, scale, isHard: true })
  const { now } = world
  await storeWorld(world, now, home)
  const lake = await openLake(home, { threads: 2, memory: '2GB' })
  const social = postsWith({ ...of, now })
  const hash = (platform: string, account: string): string =>
    createHash('sha256').update(`${platform} ${account}`).digest('base64url').slice(0, 22)
  await storePastPosts(lake, social, { to: now, hash, assets: assetsOf(social) })
  const models = withTraders(await loadScoring(), now, hasExit)
  return { now, home, lake, world, ...toolsOf(lake, models) }
}

type SurgingPosts = Pick<Planted, 'surge' | 'surgeTime'> & { seed: number; now: Micros }

/** The asset of a surge: Solana. */
export const surging = 2

/** The posts from ten days before the end of the surge on, of which a share is about Solana beside the usual ones. */
export function postsWith({ seed, now, surge, surgeTime = [now - 3 * HOUR, now] }: SurgingPosts): SocialWorld {
  const [from, to] = surgeTime
  return createSocialWorld({
    seed,
    start: to - 10 * DAY,
    step: 30 * SECOND,
    n_authors: 2_000,
    ...(surge > 0 ? { surge: { asset: surging, from, to, share: surge } } : {}),
  })
}

/** The steps of a follow, each as of an instant of the world. */
export function toolsOf(lake: Lake, models: readonly Model[]) {
  const settingsAt = (asOf: Micros): PublishSettings => ({
    models,
    macros: [],
    columns: {},
    asOf,
    threads: 2,
    memory: '2GB',
    now: () => asOf,
  })
  return {
    score: (at: Micros) => publish(lake, 'scores', settingsAt(at)),
    pulse: (at: Micros) => publish(lake, 'pulse', settingsAt(at)),
    detect: (at: Micros) => publishSignals(lake, settingsAt(at), { secret, clock: () => at }),
    grade: (at: Micros) => gradeSignals(lake, settingsAt(at), () => at),
    feed: () => lake.read(({ query }) => query('select * from lake.feed order by published_at', row)),
    grades: () => lake.read(({ query }) => query('select * from lake.grades order by graded_at', row)),
    /** Rows of the current scores. */
    marts: async (sql: string): Promise<Record<string, unknown>[]> => {
      const id = await currentSnapshot(lake.local, 'scores')
      const instance = await openDuckDB({ threads: 1, memory: '256MB', scratch: lake.scratch })
      try {
        return await withConnection(instance, async (connection) => {
          await connection.run(`attach '${lake.local.locate(snapshotPath(id ?? ''))}' as s (read_only); use s`)
          return (await connection.runAndReadAll(sql)).getRowObjectsJson()
        })
      } finally {
        instance.closeSync()
      }
    },
  }
}

/** The history of a market. */
const unitOf = (source: string, market_id: string): Unit => ({
  source,
  kind: 'history',
  part: 'polymarket',
  key: market_id.replace('polymarket:', ''),
  from: 0,
  to: null,
  params: [],
})

/** Stores a book of a market that is centred on a price, in millionths. */
export async function plantQuote(lake: Lake, market_id: string, ts: Micros, mid: bigint): Promise<void> {
  const quote: Omit<Quote, 'source'> = {
    market_id,
    ts,
    period_s: 0,
    venue: 'polymarket',
    bid: mid - 5_000n,
    ask: mid + 5_000n,
    last: null,
    size: null,
    volume_24h_usd: null,
    size_24h: null,
    venue_price: null,
    liquidity_usd: null,
  }
  await storeRows(lake, unitOf('planted_quotes', market_id), { quotes: [quote] }, { to: ts + HOUR, precedence: 20 })
}

/** Stores a fill of a market beside those of the world. */
export async function plantFill(
  lake: Lake,
  market_id: string,
  fill: Pick<Fill, 'token_id' | 'ts' | 'tx' | 'trader' | 'size'>,
): Promise<void> {
  const rows = [
    {
      venue: 'polymarket',
      side: 'buy',
      price: 500_000n,
      seq: 0,
      role: 'taker',
      cash_usd: null,
      fee_usd: null,
      ...fill,
    },
  ].map((one): Omit<Fill, 'source'> => ({ ...one, market_id }))
  const unit = { ...unitOf('planted_fills', market_id), from: fill.ts, to: fill.ts + SECOND }
  await storeRows(lake, unit, { fills: rows }, { to: fill.ts + SECOND, precedence: 20 })
}
