import { settling } from '#ingest/http/replay.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, HOUR, isoMicros } from '#time.ts'

import { kalshiHost } from './hosts.ts'
import { hoursLeft, lastHour, storedHours } from './hours.ts'
import { settledLately } from './wire/market_rows.ts'
import { anyRow, assertWithin, kalshiPages, readCutoffs, secondsAround } from './wire/paging.ts'
import { openSettled, settledAt } from './wire/settled_rows.ts'
import { VENUE } from './wire/types.ts'

/** The venue keeps settled markets in its live list for about three months. */
const LIVE_FOR = 100 * DAY
/** The longest time that a follow reads back. */
const FOLLOWED_BACK = 30 * DAY
/** The hours that an interval from 0 on selects. */
const MOST_BACK = 3 * DAY

const source = { name: 'kalshi_settlements', unit: 'hour', lag_s: 60, settle_s: 3_600 } as const

export const kalshiSettlements = defineSource({
  ...source,
  doc:
    'The settlements of markets, by the hour, with the markets as described then: `/markets?status=settled` with ' +
    '`min_settled_ts` and `max_settled_ts`, cursors followed to their end. `settlement_value_dollars` is what YES ' +
    'pays: 1 or 0, a part of it for a scalar market, or a fair price. `/historical/cutoff` is read afterwards. An ' +
    'hour of which markets have moved to the archive is *unavailable* or *unverified*, since the archive has no ' +
    'filter by time: `kalshi_archive` has these. An interval from 0 on selects the last three days. A follow reads ' +
    'at most 30 days back.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['resolutions', 'markets'],
  // Descriptions of `kalshi_markets` have terms of the series.
  precedence: 15,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 4, rows: 2_000, bytes: 5_000_000 },
  plan,
  read,
})

async function plan({ lake, at, from, to, includeOpen, refresh }: PlanContext): Promise<Unit[]> {
  const end = Math.min(to, lastHour(source, at) + HOUR)
  const back = includeOpen ? FOLLOWED_BACK : LIVE_FOR
  const hours = await storedHours(lake, source)
  const newest = lastHour(source, at) - MOST_BACK
  const [begun = newest] = refresh ? hours.keys() : []
  const first = Math.max(from > 0 ? from : Math.min(begun, newest), at - back)
  return hoursLeft(source, hours, { first, end, at, refresh })
}

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const { get, until } = context
  const path = '/markets'
  const to = Math.min(until, unit.to ?? until)
  const seconds = secondsAround({ from: unit.from, to })
  const settled = openSettled(context, { path, shape: settledLately })
  let [pages, n_listed] = [0, 0]
  const query = { status: 'settled', mve_filter: 'exclude', min_settled_ts: seconds.min, max_settled_ts: seconds.max }
  for await (const page of kalshiPages(get, path, { field: 'markets', ...query })) {
    pages += 1
    n_listed += page.length
    assertWithin(path, page.map(settledAt), seconds)
    await settled.add(page)
  }
  const { market_settled_ts: cutoff } = await readCutoffs(get)
  const moved = `markets settled before ${isoMicros(cutoff)} have moved to the archive`
  const absent = settled.absent()
  const lists = { field: 'markets', status: 'settled', mve_filter: 'exclude' } as const
  // An outage looks like an empty list. A failure leaves the hour due, and what is stored as it is.
  if (n_listed === 0 && cutoff <= unit.from && (await settling(() => anyRow(get, path, lists))()) === false)
    throw new Error('the list of settled markets: empty at all times; expected one market')
  const reasons = [
    ...(cutoff > unit.from ? [moved] : []),
    ...(absent.length > 0 ? [`no row has ${absent.join(', ')}, which each recorded row has`] : []),
  ]
  if (cutoff >= to) return { rows: {}, rejected: [], state: 'unavailable', reason: moved }
  const n_settled = await settled.end((ts) => ts >= unit.from && ts < to)
  return {
    rows: { resolutions: [], markets: [] },
    rejected: settled.rejected,
    to,
    proof: `cursors followed to their end, ${pages} pages: ${n_settled} settlements`,
    ...(reasons.length > 0 ? { state: 'unverified', reason: reasons.join('; ') } : { state: 'complete' }),
  }
}
