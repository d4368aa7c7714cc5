import { z } from 'zod'

import { now_s } from '#sim/markets/event_templates.ts'
import { createRandom } from '#sim/random.ts'
import { storeBooks } from '#test/pipeline/signals/books.ts'
import { signalWorldIn, type SignalWorld } from '#test/pipeline/signals/signal_world.ts'
import { HOUR, SECOND, type Micros } from '#time.ts'

import { plantPurchases } from './purchases.ts'

/** A graded signal with its type. */
export type Graded = { type: string; is_hit: boolean; baseline: number }

/**
 * The signals of one world. `n_right`: those of planted events; `n_decided`: moves of markets whose event is being
 * decided. All others are false. `entity_hours` are those of entities without such an event.
 */
export type Judged = {
  entity_hours: number
  n_planted: number
  n_right: number
  n_decided: number
  n_false: number
  graded: Graded[]
}

const gradeShape = z.object({ id: z.string(), is_hit: z.boolean(), baseline_rate: z.coerce.number().nullable() })
const signalShape = z.object({
  id: z.string(),
  type: z.string(),
  entity: z.string(),
  direction: z.string(),
  evidence: z.string(),
  information: z.number(),
  tick_at: z.date().transform((at) => at.getTime() * 1_000),
})
type Found = z.output<typeof signalShape>

/** Bursts are tested as the scores are computed, and are candidates for an hour. */
const scoreHours = 4

/**
 * Finds and grades the signals of some hours of a world, of a look each `every` minutes. Planted are the purchases of
 * `plantPurchases`, and a surge of posts on Solana, which begins 3 hours before these hours and ends 1 to 24 hours
 * after their begin. The hours end 26 hours before the end of the world, so that all signals are due for a grade.
 */
export async function judgeSignals(
  home: string,
  { seed, scale, hours, every }: { seed: number; scale: number; hours: number; every: number },
): Promise<Judged> {
  const begin = now_s * SECOND - (hours + 26) * HOUR
  const end = begin + hours * HOUR
  const surgeTime: [Micros, Micros] = [begin - 3 * HOUR, begin + Math.round(24 ** createRandom(seed, 16).next() * HOUR)]
  const world = await signalWorldIn(home, { seed, scale, surge: 0.6, surgeTime, hasExit: false })
  try {
    await storeBooks(world.lake, world.world, { from: begin - HOUR, to: end })
    const decided = decidedOf(world)
    let [purchases, entity_hours] = [new Set<string>(), 0]
    for (let from = begin; from < end; from += scoreHours * HOUR) {
      const to = Math.min(end, from + scoreHours * HOUR)
      await world.score(from)
      if (from === begin) purchases = await plantPurchases(world, { from, to: end })
      entity_hours += await entityHours(world, { from, to, decided })
      for (let at = from; at < to; at += every * 60 * SECOND) await world.detect(at)
    }
    await world.detect(end)
    await world.score(world.now)
    await world.grade(world.now)

    const found = z.array(signalShape).parse(await world.feed())
    const isDecided = ({ type, entity, tick_at }: Found): boolean =>
      type === 'market' && (decided.get(entity) ?? Infinity) <= tick_at
    const isPlanted = ({ type, entity, evidence }: Found): boolean =>
      (type === 'social' && entity === 'SOL') || purchases.has(firstRef(evidence))
    // A conjunction is as right as its parts, which are judged themselves.
    const others = found.filter((one) => one.type !== 'signal' && !isPlanted(one) && !isDecided(one))
    for (const one of others) console.log(JSON.stringify({ seed, false: one }))
    return {
      entity_hours,
      n_planted: purchases.size + 1,
      n_right: found.filter(isPlanted).length,
      n_decided: found.filter(isDecided).length,
      n_false: others.length,
      graded: await gradesOf(world, found),
    }
  } finally {
    await world.lake.close()
  }
}

async function gradesOf(world: SignalWorld, found: readonly Found[]): Promise<Graded[]> {
  const types = new Map(found.map(({ id, type }) => [id, type]))
  return z
    .array(gradeShape)
    .parse(await world.grades())
    .flatMap(({ id, is_hit, baseline_rate }) =>
      baseline_rate === null ? [] : [{ type: types.get(id) ?? '', is_hit, baseline: baseline_rate }],
    )
}

const firstRef = (evidence: string): string =>
  z.array(z.object({ ref: z.string() })).parse(JSON.parse(evidence))[0]?.ref ?? ''

/** The instant by market from which on its event is decided. */
const decidedOf = ({ world }: SignalWorld): Map<string, Micros> =>
  new Map(world.markets.map(({ conditionId, decidedFrom_s }) => [`polymarket:${conditionId}`, decidedFrom_s * SECOND]))

/**
 * The hours of the entities for which a false signal could be published: each market whose moves are tested until its
 * event is decided, each proven trader, the whale, and each asset for the hour that a burst of the scores counts. The
 * other traders, markets and wallets of the world are in no test, so they would only dilute the rate.
 */
async function entityHours(
  { marts }: SignalWorld,
  { from, to, decided }: { from: Micros; to: Micros; decided: ReadonlyMap<string, Micros> },
): Promise<number> {
  const markets = await marts('select market_id from marts.signal_markets')
  const marketHours = markets
    .map(({ market_id }) => Math.min(to, decided.get(String(market_id)) ?? to) - from)
    .reduce((sum, time) => sum + Math.max(0, time) / HOUR, 0)
  const [row] = await marts(`select (select count(*) from marts.signal_traders)::integer as n_traders,
    (select count(*) from marts.signal_bursts)::integer as n_assets`)
  return marketHours + ((to - from) / HOUR) * (Number(row?.['n_traders']) + 1) + Number(row?.['n_assets'])
}
