import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { quote } from '#test/lake/fixture.ts'
import type { Clock, Micros } from '#time.ts'

import { pause } from './live.ts'

const minute = 60_000_000

/** A market that nobody else knows. */
export const late = 'polymarket:0xlate'

/** Stores an observation that nobody made in time, inside an hour that is joined; whether it is seen. */
export async function storeLate(lake: Lake, clock: Clock, signal: AbortSignal): Promise<boolean[]> {
  while (!signal.aborted) {
    const free = freeInstant(await lake.storage.list('lake/quotes/v1/polymarket_odds'))
    if (free !== undefined) {
      await storeQuote(lake, instant(free), clock())
      return [await isThere(lake, late)]
    }
    await pause(500, signal)
  }
  return [false]
}

/** A minute of a joined hour at which nobody looked; undefined while no hour is joined. */
function freeInstant(files: readonly string[]): Micros | undefined {
  const [, stamp] = files.map((path) => /(\d{4}-\d\d-\d\dT\d\d)[^\d/][^/]*$/.exec(path)).find((found) => found) ?? []
  if (stamp === undefined) return undefined
  const minutes = Array.from({ length: 60 }, (_, n) => Date.parse(`${stamp}:00:00Z`) * 1000 + n * minute)
  return minutes.find((at) => !files.some((path) => path.includes(unitPath(instant(at)))))
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
