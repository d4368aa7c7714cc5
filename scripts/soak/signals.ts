import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { z } from 'zod'

import { now_s } from '#sim/markets/event_templates.ts'
import { createRandom } from '#sim/random.ts'
import { plantFill, signalWorldIn, type SignalWorld } from '#test/pipeline/signals/signal_world.ts'
import { plantedInformation, usdAt } from '#test/pipeline/signals/sizes.ts'
import { wilsonOf } from '#test/skill/hard_pool.ts'
import { HOUR, SECOND, type Micros } from '#time.ts'

/**
 * `npm run soak -- signals [--seeds N] [--from SEED] [--scale S] [--hours H] [--every MINUTES]`: looks for signals in H
 * hours of N hard simulated worlds, grades them and prints the hit rates by type beside their baselines, with n and 95 %
 * intervals. In these hours the first purchase of each proven trader is planted again in a size of information 6.1. A
 * surge of posts on Solana begins 3 hours before them and ends 1 to 24 hours after their begin. All else that is found
 * counts as false. The scores are computed every 4 hours. It throws at one false signal an hour for 1,000 entities.
 */
export async function signals(args: readonly string[]): Promise<void> {
  const options = {
    seeds: { type: 'string', default: '8' },
    from: { type: 'string', default: '1' },
    scale: { type: 'string', default: '0.1' },
    hours: { type: 'string', default: '4' },
    every: { type: 'string', default: '20' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const [hours, every, scale] = [Number(values.hours), Number(values.every), Number(values.scale)]
  const judged: Judged[] = []
  for (let seed = Number(values.from); seed < Number(values.from) + Number(values.seeds); seed++) {
    const home = await mkdtemp(join(tmpdir(), 'tapeline-signals-'))
    try {
      const one = await judge(home, { seed, scale, hours, every })
      console.log(JSON.stringify({ seed, ...one, graded: one.graded.length }))
      judged.push(one)
    } finally {
      await rm(home, { recursive: true })
    }
  }
  const graded = judged.flatMap((one) => one.graded)
  for (const type of new Set(graded.map((one) => one.type))) console.log(lineOf(type, graded))
  const n_false = judged.reduce((sum, one) => sum + one.n_false, 0)
  const exposure = judged.reduce((sum, { entity_hours }) => sum + entity_hours / 1_000, 0)
  console.log(`${n_false} false signals in ${exposure.toFixed(2)} hours of 1,000 entities`)
  if (n_false >= Math.max(1, exposure))
    throw new Error(`signals: ${n_false} are false; expected fewer than one an hour`)
}

type Graded = { type: string; is_hit: boolean; baseline: number }
type Judged = { entity_hours: number; n_planted: number; n_found: number; n_false: number; graded: Graded[] }

const lineOf = (type: string, graded: readonly Graded[]): string => {
  const own = graded.filter((one) => one.type === type)
  const share = { n: own.filter(({ is_hit }) => is_hit).length, of: own.length }
  const { lower, upper } = wilsonOf(share)
  const baseline = own.reduce((sum, one) => sum + one.baseline, 0) / own.length
  const [rate, low, high] = [share.n / share.of, lower, upper].map((one) => (100 * one).toFixed(1))
  return `${type}: ${share.n} of ${share.of} hits, ${rate} % (${low} to ${high}), baseline ${(100 * baseline).toFixed(1)} %`
}

const gradeShape = z.object({ id: z.string(), is_hit: z.boolean(), baseline_rate: z.coerce.number().nullable() })
const signalShape = z.object({ id: z.string(), type: z.string(), entity: z.string(), direction: z.string() })

/** Bursts are tested as the scores are computed, and are candidates for an hour. */
const scoreHours = 4

/** Finds and grades the signals of one world. The hours end 26 hours before its end, so that all are due for a grade. */
async function judge(
  home: string,
  { seed, scale, hours, every }: { seed: number; scale: number; hours: number; every: number },
): Promise<Judged> {
  const begin = now_s * SECOND - (hours + 26) * HOUR
  const surgeTime: [Micros, Micros] = [begin - 3 * HOUR, begin + Math.round(24 ** createRandom(seed, 16).next() * HOUR)]
  const world = await signalWorldIn(home, { seed, scale, surge: 0.6, surgeTime, hasExit: false })
  try {
    let [planted, entity_hours] = [new Set<string>(), 0]
    for (let after = 0; after < hours; after += scoreHours) {
      const [from, to] = [begin + after * HOUR, begin + Math.min(hours, after + scoreHours) * HOUR]
      await world.score(from)
      if (after === 0) planted = await plantPurchases(world, { from, to: begin + hours * HOUR })
      entity_hours += await entityHours(world, (to - from) / HOUR)
      for (let at = from; at < to; at += every * 60 * SECOND) await world.detect(at)
    }
    await world.detect(begin + hours * HOUR)
    await world.score(world.now)
    await world.grade(world.now)

    const found = z.array(signalShape).parse(await world.feed())
    const types = new Map(found.map(({ id, type }) => [id, type]))
    const grades = z.array(gradeShape).parse(await world.grades())
    const isPlanted = ({ type, entity, direction }: z.output<typeof signalShape>): boolean =>
      `${type} ${entity}` === 'social SOL' || type === 'signal' || (direction === 'entry' && planted.has(entity))
    const others = found.filter((one) => !isPlanted(one))
    for (const one of others) console.log(JSON.stringify({ seed, false: one }))
    return {
      entity_hours,
      n_planted: planted.size + 1,
      n_found: found.length,
      n_false: others.length,
      graded: grades.flatMap(({ id, is_hit, baseline_rate }) =>
        baseline_rate === null ? [] : [{ type: types.get(id) ?? '', is_hit, baseline: baseline_rate }],
      ),
    }
  } finally {
    await world.lake.close()
  }
}

/** The hours for which the entities of the current scores are tested. The whale is the one wallet on a chain. */
async function entityHours({ marts }: SignalWorld, hours: number): Promise<number> {
  const [row] = await marts(`select (select count(*) from marts.signal_markets) as n_markets,
    (select count(*) from marts.signal_traders) as n_traders, (select count(*) from marts.signal_bursts) as n_assets`)
  const [n_markets, n_traders, n_assets] = ['n_markets', 'n_traders', 'n_assets'].map((name) => Number(row?.[name]))
  return hours * ((n_markets ?? 0) + (n_traders ?? 0) + 1) + (n_assets ?? 0)
}

const most_usd = 1e9
const purchaseShape = z.object({
  trader: z.string(),
  market_id: z.string(),
  token_id: z.string(),
  at: z.coerce.number(),
})

/** Repeats the first purchase of each proven trader in a time, in the planted size. Returns the traders. */
async function plantPurchases(
  { lake, marts }: SignalWorld,
  { from, to }: { from: Micros; to: Micros },
): Promise<Set<string>> {
  const traders = new Map(
    (await marts('select trader, threshold_usd, tail_share, tail_shape, tail_scale from marts.signal_traders')).map(
      (row) => [String(row['trader']), row],
    ),
  )
  const firsts = await lake.read(({ query }) =>
    query(
      `select trader, arg_min(market_id, ts) as market_id, arg_min(token_id, ts) as token_id, epoch_us(min(ts)) as at
       from lake.fills where side = 'buy' and epoch_us(ts) > ${from} and epoch_us(ts) <= ${to} group by trader`,
      purchaseShape,
    ),
  )
  const [planted, markets] = [new Set<string>(), new Set<string>()]
  for (const { trader, market_id, token_id, at } of firsts) {
    const row = traders.get(trader)
    // The planted fills of a market replace each other.
    if (row === undefined || markets.has(market_id)) continue
    const usd = usdAt(plantedInformation, {
      threshold_usd: Number(row['threshold_usd']),
      share: Number(row['tail_share']),
      shape: Number(row['tail_shape']),
      scale: Number(row['tail_scale']),
    })
    // A trader with few large trades has no trade of this information.
    if (usd > most_usd) continue
    const size = BigInt(Math.ceil(2 * usd)) * 1_000_000n
    await plantFill(lake, market_id, { token_id, ts: at, tx: `0xagain${planted.size}`, trader, size })
    planted.add(trader)
    markets.add(market_id)
  }
  return planted
}
