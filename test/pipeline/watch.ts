import { setMaxListeners } from 'node:events'

import { z } from 'zod'

import { unitPath, type Unit } from '#lake/unit.ts'
import type { Clock } from '#lake/clock.ts'
import type { Micros } from '#lake/columns.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/store.ts'
import { serveWorld } from '#sim/server.ts'
import { systemAddresses, type World } from '#sim/types.ts'
import { createWorld, txHash } from '#sim/world.ts'
import { modelOf } from '#test/scoring/model.ts'

import { openLive, pause, readLake, readMarkets, type Live, type LiveSettings, type Seen } from './live.ts'

export type WatchSettings = LiveSettings & {
  /** Seconds of the machine to watch for. */
  watch_s: number
  readers: number
}

/** What an observer of a followed world has to say. Everything but `behind_s` and the counts must be empty. */
export type Watched = {
  /** Fills that the lake lacks, and that it has too much, against the true tape. */
  lacking: string[]
  doubled: string[]
  n_fills: number
  /** Odds that were not the venue's at their instant. */
  wrongOdds: string[]
  n_odds: number
  faults: string[]
  n_answers: number
  n_looks: number
  n_snapshots: number
  /** World seconds that the odds were behind, each answer, in order of size. */
  behind_s: number[]
  /** Whether a unit that was stored inside a joined range was seen, at once and at the end. */
  isLateSeen: boolean[]
  joined: number
  deleted: number
}

const minute = 60_000_000
const hour = 60 * minute

/** Follows a simulated world while readers read, the lake is tended, and a unit comes late; then looks at all of it. */
export async function watchLive(settings: WatchSettings): Promise<Watched> {
  const live = await openLive(settings)
  const { upstream, house } = live
  const ending = new AbortController()
  setMaxListeners(settings.readers + 10, ending.signal)
  const begun = upstream.clock()
  try {
    const reading = readMarkets(live, settings.readers, ending.signal)
    const looking = readLake(house.lake, ending.signal)
    const tended = countTended(house.activities, ending.signal)
    const over = pause(settings.watch_s * 1_000, ending.signal)
    const isLateSeen = await storeLate(house.lake, upstream.clock, ending.signal)
    await over
    ending.abort()
    const [seen, looks, counts] = await Promise.all([reading, looking, tended])
    await live.engine.close()
    isLateSeen.push(await isThere(house.lake, late))
    const world = createWorld(settings)
    const tape = await compareTape(house.lake, world, { from: begun - hour, to: upstream.clock() })
    const odds = await compareOdds(seen, world)
    return {
      ...tape,
      ...odds,
      faults: [...seen.faults, ...looks.faults, ...counts.damaged],
      n_answers: seen.behind_s.length,
      n_looks: looks.n_looks,
      n_snapshots: seen.snapshots.size,
      behind_s: seen.behind_s.toSorted((a, b) => a - b),
      isLateSeen,
      joined: counts.joined,
      deleted: counts.deleted,
    }
  } finally {
    ending.abort()
    await live.close()
  }
}

/** Tends the lake beside the schedule that does so too, and counts what that came to. */
async function countTended({ tend }: Live['house']['activities'], signal: AbortSignal) {
  const sum = { joined: 0, deleted: 0, damaged: [] as string[] }
  while (!signal.aborted) {
    const { joined, deleted, damaged } = await tend()
    sum.joined += joined
    sum.deleted += deleted
    sum.damaged.push(...damaged)
    await pause(1_500, signal)
  }
  return sum
}

const late = 'polymarket:0xlate'

/** Stores an observation that nobody made in time, inside an hour that is joined; whether it is seen. */
async function storeLate(lake: Lake, clock: Clock, signal: AbortSignal): Promise<boolean[]> {
  for (;;) {
    const files = await lake.storage.list('lake/quotes/v1/polymarket_odds')
    const [, stamp] = files.map((path) => /(\d{4}-\d\d-\d\dT\d\d)[^\d/][^/]*$/.exec(path)).find((found) => found) ?? []
    const from = Date.parse(`${stamp}:00:00Z`) * 1000
    const free = Array.from({ length: 60 }, (_, n) => from + n * minute).find(
      (at) => !files.some((path) => path.includes(unitPath(instant(at)))),
    )
    if (stamp !== undefined && free !== undefined) {
      await storeQuote(lake, instant(free), clock())
      return [await isThere(lake, late)]
    }
    if (signal.aborted) return [false]
    await pause(500, signal)
  }
}

const instant = (at: Micros): Unit => ({
  ...{ source: 'polymarket_odds', kind: 'instant', part: 'polymarket', key: '', from: at, to: at, ask: [] },
})

async function storeQuote(lake: Lake, unit: Unit, now: Micros): Promise<void> {
  const quote = {
    ...{ market_id: late, ts: unit.from, period_s: 0n, venue: 'polymarket', bid: 400_000n, ask: 420_000n },
    ...{ last: null, size: null, volume_24h_usd: null, size_24h: null },
  }
  await storeUnit(lake, unit, {
    ...{ rows: { quotes: [quote] }, refused: [], precedence: 30, state: 'done', to: unit.to, asked: [] },
    ...{ proof: 'it came late', checkedAt: now },
  })
}

const isThere = (lake: Lake, market_id: string): Promise<boolean> =>
  lake.read(
    async ({ query }) =>
      (await query(`select 1 as n from lake.quotes where market_id = '${market_id}'`, z.object({ n: z.number() })))
        .length === 1,
  )

/** The staged tape beside the true one, from an instant on up to where the feed has been read. */
async function compareTape(lake: Lake, world: World, { from, to }: { from: Micros; to: Micros }) {
  const reached = await lake.read(async ({ query }) => {
    const shape = z.object({ to: z.bigint() })
    const sql =
      "select epoch_us(max(to_at)) as to from lake.coverage where source = 'polymarket_feed' and state <> 'missing'"
    return Number((await query(sql, shape))[0]?.to ?? 0)
  })
  const staged = await lake.read(async ({ query }) => {
    await query('create schema staging; create schema core', z.unknown())
    await query(`create table core.clock as select make_timestamp(${to}) as as_of`, z.unknown())
    for (const name of ['system_addresses', 'stretches', 'tape']) {
      await query(`create table staging.${name} as ${modelOf(`staging.${name}`).sql}`, z.unknown())
    }
    const sql = `select concat_ws(' ', tx, trader, side, epoch_us(ts), (size * 1000000)::bigint, role) as text
      from staging.tape where epoch_us(ts) >= ${from} and epoch_us(ts) < ${reached}`
    return (await query(sql, z.object({ text: z.string() }))).map(({ text }) => text)
  })
  const { fills, matches } = world
  const counts = new Map<string, number>()
  let n_fills = 0
  for (let fill = 0; fill < fills.length; fill++) {
    const match = fills.match[fill] ?? 0
    const ts = (matches.ts_s[match] ?? 0) * 1_000_000
    if (ts < from || ts >= reached || (matches.market[match] ?? -1) < 0) continue
    const trader = fills.trader[fill] ?? 0
    const wallet = world.traders[trader]?.wallet ?? systemAddresses[-1 - trader]
    const side = fills.side[fill] === 0 ? 'buy' : 'sell'
    const role = fills.isTaker[fill] === 1 ? 'taker' : 'maker'
    const text = [txHash(world, matches.tx[match] ?? 0), wallet, side, ts, fills.size[fill], role].join(' ')
    counts.set(text, (counts.get(text) ?? 0) + 1)
    n_fills += 1
  }
  const doubled: string[] = []
  for (const text of staged) {
    const left = counts.get(text) ?? 0
    if (left === 0) doubled.push(text)
    else counts.set(text, left - 1)
  }
  return { lacking: [...counts].filter(([, left]) => left > 0).map(([text]) => text), doubled, n_fills }
}

const listingShape = z.object({
  markets: z.array(
    z.object({ conditionId: z.string(), bestBid: z.number().optional(), bestAsk: z.number().optional() }),
  ),
  next_cursor: z.string().nullish(),
})

/** The odds of each snapshot that was served beside what the venue says of the same instant. */
async function compareOdds({ snapshots }: Seen, world: World): Promise<{ wrongOdds: string[]; n_odds: number }> {
  let at = world.now
  const venue = await serveWorld({ world, clock: () => at })
  const wrongOdds: string[] = []
  let n_odds = 0
  try {
    for (const [asOf, odds] of snapshots) {
      at = asOf
      let cursor: string | undefined
      do {
        const query = new URLSearchParams({ closed: 'false', limit: '500', ...(cursor && { after_cursor: cursor }) })
        const body: unknown = await (await fetch(`${venue.gammaUrl}/markets/keyset?${query}`)).json()
        const { markets, next_cursor } = listingShape.parse(body)
        for (const { conditionId, bestBid, bestAsk } of markets) {
          const served = odds.get(`polymarket:${conditionId}`)
          // A market that opened or closed a moment ago is described by a source of its own, at instants of its own.
          if (served === undefined || bestBid === undefined || bestAsk === undefined || bestAsk - bestBid > 0.1)
            continue
          n_odds += 1
          const mid = (bestBid + bestAsk) / 2
          if (Math.abs(served - mid) > 1e-6) wrongOdds.push(`${conditionId} as of ${asOf}: ${served}, not ${mid}`)
        }
        cursor = next_cursor ?? undefined
      } while (cursor !== undefined)
    }
  } finally {
    await venue.close()
  }
  return { wrongOdds, n_odds }
}
