import { z } from 'zod'

import { conditionId } from '#ingest/parse/ids.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult, type RejectedRow } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, HOUR, type Micros } from '#time.ts'

import { followedFrom } from './feed_coverage.ts'
import { clobHost, dataHost } from './hosts.ts'
import { readClob, readV2, storedResolutions } from './wire/resolution_rows.ts'
import { idOf, nativeId, VENUE } from './wire/types.ts'

const SETTLE_S = 7 * 86_400

export const polymarketResolutions = defineSource({
  name: 'polymarket_resolutions',
  doc:
    'The resolutions of markets, by the hour in which they closed: the Data API’s `/v2/resolutions?condition=`, ' +
    'final payouts only. An hour stays open until each of its markets is resolved. With a market unresolved after ' +
    'a week it is *unverified*, and is read once a day. The CLOB’s `/markets/<id>` gives the winner in three ' +
    'cases: v2 is absent, v2 has a UMA price without payouts, or v2 reports no resolution a day later. The CLOB ' +
    'has no time of resolution, so the time is the time of the first observation.',
  parts: [{ name: VENUE, upstreams: [dataHost, clobHost] }],
  datasets: ['resolutions'],
  unit: 'hour',
  keyForm: conditionId,
  precedence: 20,
  lag_s: 300,
  settle_s: SETTLE_S,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 3, rows: 40, bytes: 20_000 },
  plan,
  read,
})

const source = { name: 'polymarket_resolutions', unit: 'hour', part: VENUE } as const

/**
 * The hours in which markets closed. Without a closing time it is the scheduled end, or the time when the market was
 * first seen closed if that was earlier. Later descriptions do not move it.
 */
const HOURS = `
  with latest as (
    from lake.markets where venue = '${VENUE}' and seen_at <= $at
    qualify row_number() over (partition by market_id order by source = 'polymarket_markets' desc, seen_at desc) = 1
  ), seen_closed as (
    select market_id, min(seen_at) as first_at from lake.markets
    where venue = '${VENUE}' and status in ('closed', 'resolved') and seen_at <= $at group by market_id
  ), closed as (
    select market_id, created_at,
      date_trunc('hour', coalesce(closed_at, if(ends_at > first_at, first_at, ends_at), created_at, first_at)) as hour
    from latest join seen_closed using (market_id) where status in ('closed', 'resolved')
  ), resolved as (
    select distinct market_id from lake.resolutions where source = '${source.name}'
  ), covered as (
    select from_at as hour, max(checked_at) as checked_at,
      bool_or(state in ('head', 'missing', 'quarantined')) as is_open
    from lake.coverage where source = '${source.name}' group by from_at
  ), left_open as (
    -- Markets of which fills are stored, and that cannot be closed until it is known how they were resolved.
    select '${VENUE}:' || key as market_id
    from lake.coverage where source = 'polymarket_trades' and state not in ('done', 'unavailable')
    union
    -- The feed has these; they are read themselves once they are resolved.
    select market_id from closed where created_at >= $feed_from::timestamp
  )
  select epoch_us(hour) as hour_us, list(closed.market_id order by closed.market_id) as market_ids,
    bool_or(resolved.market_id is null) and (hour > $recent or coalesce(any_value(checked_at) < $day_ago, true)) as is_stale
  from closed left join resolved using (market_id) left join covered using (hour) left join left_open using (market_id)
  where hour < $to
  group by hour
  having hour + interval 1 hour > $from
    or ($open_too and (bool_or(is_open) or bool_or(left_open.market_id is not null and resolved.market_id is null)))
  order by hour`

const hourShape = z.object({ hour_us: z.bigint(), market_ids: z.array(z.string()), is_stale: z.boolean() })

async function plan({ lake, at, from, to, keys, includeOpen }: PlanContext): Promise<Unit[]> {
  const feedFrom = includeOpen ? await followedFrom(lake, at) : null
  const values = {
    at: time.encode(at),
    from: time.encode(from),
    to: time.encode(to),
    open_too: includeOpen,
    recent: time.encode(at - SETTLE_S * 1_000_000),
    day_ago: time.encode(at - DAY),
    feed_from: feedFrom === null ? null : time.encode(feedFrom),
  }
  const hours = await lake.query(HOURS, hourShape, values, {
    coverage: [`${source.name}/`, 'polymarket_trades/'],
  })
  const asked = new Set(keys.map(nativeId))
  return hours
    .map(({ hour_us, market_ids, is_stale }) => ({ hour: Number(hour_us), params: market_ids.map(nativeId), is_stale }))
    .filter(({ params }) => asked.size === 0 || params.some((id) => asked.has(id)))
    .map(({ hour, params, is_stale }) =>
      unitOf(source, { from: hour, to: hour + HOUR, params, forceRefresh: is_stale }),
    )
}

async function read(unit: Unit, { get, at, until, lake, stored }: ReadContext): Promise<ReadResult> {
  const rejected: RejectedRow[] = []
  const v2 = await readV2(get, unit.params, rejected)
  const final = (v2?.resolutions ?? []).filter(({ ts }) => ts < until)
  const won = await readClob(get, forClob(unit, v2, at), { lake, at, rejected })
  const resolutions = new Map([...final, ...won].map((row) => [`${row.market_id} ${row.ts}`, row]))
  const resolved = new Set([...resolutions.values()].map(({ market_id }) => market_id))
  const open = unit.params.filter((id) => !resolved.has(idOf(id)))
  const kept = await storedResolutions(lake, open, at)
  // A closed hour opens again for a market that was found later.
  const wasDone = (await stored())?.state === 'done'
  const hasSettled = (unit.to ?? at) + SETTLE_S * 1_000_000 <= at && !wasDone
  return {
    rows: { resolutions: [...resolutions.values(), ...kept] },
    rejected,
    proof: `${v2 ? 'v2' : 'v2 is absent, the CLOB'}: ${resolved.size} of ${unit.params.length} markets are resolved`,
    ...(open.length === 0
      ? { state: 'complete' }
      : {
          state: hasSettled ? 'unverified' : 'growing',
          reason: `${open.length} not resolved: ${open.slice(0, 3).join()}`,
        }),
  }
}

/**
 * The markets to request from the CLOB, with the resolution time of v2 if it has one. These are markets that v2 calls
 * resolved without payouts, and after a day all markets that v2 does not call resolved.
 */
function forClob(unit: Unit, v2: Awaited<ReturnType<typeof readV2>>, at: Micros): Map<string, Micros | null> {
  const isLate = v2 === null || (unit.to ?? at) + DAY < at
  const paid = new Set(v2?.resolutions.map(({ market_id }) => nativeId(market_id)))
  const open = isLate ? unit.params.filter((id) => !paid.has(id)) : []
  return new Map<string, Micros | null>([...open.map((id) => [id, null] as const), ...(v2?.unpaid ?? [])])
}
