import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { quote } from '#test/lake/fixture.ts'
import type { Clock, Micros } from '#time.ts'

import { pause } from './live.ts'

const minute = 60_000_000

/** A market that no other source has. */
export const late = 'polymarket:0xlate'

/** Stores an observation of a minute inside a merged file; whether it is seen. */
export async function storeLate(lake: Lake, clock: Clock, signal: AbortSignal): Promise<boolean[]> {
  while (!signal.aborted) {
    const free = await freeInstant(lake)
    if (free !== undefined) {
      await storeQuote(lake, instant(free), clock())
      return [await isThere(lake, late)]
    }
    await pause(500, signal)
  }
  return [false]
}

/** A minute between the units of a merged file that no unit has; undefined while no file is merged. */
async function freeInstant({ catalog }: Lake): Promise<Micros | undefined> {
  const merged = await catalog.db
    .selectFrom('tapeline_files')
    .select(['first_unit', 'last_unit'])
    .where('source', '=', 'polymarket_odds')
    .where('n_units', '>', 1)
    .executeTakeFirst()
  if (merged === undefined) return undefined
  const stored = await catalog.db.selectFrom('tapeline_coverage').select('unit').distinct().execute()
  const units = new Set(stored.map(({ unit }) => unit))
  const [, stamp = ''] = /(\d{4}-\d\d-\d\dT\d\d)\d\d$/.exec(merged.first_unit) ?? []
  const from = Date.parse(`${stamp}:00:00Z`) * 1000
  const minutes = Array.from({ length: 600 }, (_, n) => from + n * minute)
  const free = (at: Micros): boolean => !units.has(unitPath(instant(at))) && unitPath(instant(at)) < merged.last_unit
  return minutes.find(free)
}

const instant = (at: Micros): Unit => ({
  source: 'polymarket_odds',
  kind: 'observation',
  part: 'polymarket',
  key: '',
  from: at,
  to: at,
  params: [],
})

const storeQuote = (lake: Lake, unit: Unit, now: Micros): Promise<unknown> =>
  storeUnit(lake, unit, {
    rows: { quotes: [{ ...quote(late, unit.from), market_id: late }] },
    rejected: [],
    precedence: 30,
    state: 'done',
    to: unit.to,
    asked: [],
    proof: 'it came late',
    checkedAt: now,
  })

/** Whether a market's quote is read, once. */
export const isThere = (lake: Lake, market_id: string): Promise<boolean> =>
  lake.read(
    async ({ query }) =>
      (await query(`select 1 as n from lake.quotes where market_id = '${market_id}'`, z.object({ n: z.number() })))
        .length === 1,
  )
