import { z } from 'zod'

import { isChange, lastRows } from '#ingest/change_rows.ts'
import { HttpError, unless404 } from '#ingest/http/http.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
} from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, type Micros } from '#time.ts'

import { limitlessHost, PUSHED, VENUE } from './hosts.ts'
import { describeMarket, type LimitlessMarket, parseListed, resolutionOf } from './wire/market_rows.ts'
import { marketBody } from './wire/pages.ts'
import { idOf, marketSlug, nativeId } from './wire/types.ts'

export const limitlessResolutions = defineSource({
  name: 'limitless_resolutions',
  doc:
    'The markets that are not active any more, by `/markets/<slug>`: the venue has no list of them. The slugs ' +
    'come from markets that left the active list, fills and histories of accounts, and pushed creations and ' +
    'resolutions (`limitless_lifecycle`). A market is read again until it is `RESOLVED` with a winner, and from a ' +
    'week after its end on once a day. The time of a resolution is the last update of the market at the first ' +
    'reading that shows it. The payout of a void market is not shown: such a market stays unresolved, and its unit ' +
    '*unverified*, as is one without fields that each recorded market has.',
  parts: [{ name: VENUE, upstreams: [limitlessHost] }],
  datasets: ['markets', 'resolutions'],
  unit: 'history',
  keyForm: marketSlug,
  // As `limitless_markets`: the later of two descriptions counts.
  precedence: 20,
  lag_s: 0,
  settle_s: 0,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 1, rows: 2, bytes: 5_000 },
  plan,
  read,
})

const source = { name: 'limitless_resolutions', unit: 'history', part: VENUE } as const

/**
 * Markets without a resolution that are closed, known only by fills, histories of accounts or a pushed creation, or
 * that were pushed as resolved. The list has ten minutes to show a pushed creation.
 */
const SLUGS = `
  with described as (
    select market_id, arg_max(status, (seen_at, source)) as status, max(coalesce(closed_at, ends_at)) as ended_at
    from lake.markets where venue = '${VENUE}' and source <> '${PUSHED}' and seen_at <= $at group by market_id
  ), pushed as (
    select market_id, max(resolved_at) as pushed_at from (
      select market_id, null as resolved_at from lake.markets
      where source = '${PUSHED}' and seen_at <= $at - interval 10 minutes
      union all
      select market_id, ts from lake.resolutions where source = '${PUSHED}'
    ) group by market_id
  ), traded as (
    select market_id from lake.fills where venue = '${VENUE}'
    union
    select market_id from lake.activity where venue = '${VENUE}' and market_id <> ''
  ), resolved as (
    select distinct market_id from lake.resolutions where venue = '${VENUE}' and source <> '${PUSHED}'
  ), covered as (
    select '${VENUE}:' || key as market_id, max(checked_at) as checked_at
    from lake.coverage where source = '${source.name}' and state <> 'missing' group by key
  )
  select market_id
  from described full join traded using (market_id) full join pushed using (market_id)
    anti join resolved using (market_id)
    left join covered using (market_id)
  where (coalesce(status not in ('open', 'paused'), true) or pushed_at is not null)
    and (checked_at is null or checked_at < $day_ago or coalesce(greatest(ended_at, pushed_at) > $week_ago, false))
  union
  select market_id from covered where $refresh
  order by market_id`

async function plan({ lake, at, keys, refresh }: PlanContext): Promise<Unit[]> {
  const values = { at: time.encode(at), day_ago: time.encode(at - DAY), week_ago: time.encode(at - 7 * DAY), refresh }
  const slugs =
    keys.length > 0
      ? keys.map((key) => marketSlug.parse(nativeId(key)))
      : (await lake.query(SLUGS, z.object({ market_id: z.string() }), values)).map(({ market_id }) =>
          nativeId(market_id),
        )
  return inPathOrder([...new Set(slugs)].map((key) => unitOf(source, { key, from: 0 })))
}

async function read(unit: Unit, { get, at, lake, storedRows }: ReadContext): Promise<ReadResult> {
  const path = `/markets/${unit.key}`
  const body = await unless404(marketBody(get, unit.key))
  if (body instanceof HttpError) {
    return { rows: { markets: [], resolutions: [] }, rejected: [], state: 'unavailable', reason: body.message }
  }
  const rejected: RejectedRow[] = []
  // A slug of a group gives its markets; they have units of their own.
  const listings = parseListed([body], { dataset: 'markets', path, rejected }).filter(
    ({ market }) => market.slug === unit.key,
  )
  const markets = await storedRows('markets', at)
  const resolutions = await storedRows('resolutions', at)
  const first = await firstDescription(lake, unit.key, at)
  const reasons = listings.flatMap(({ market }) => reasonsOf(market))
  for (const listing of listings) {
    const row = { ...describeMarket(listing, at), ...first }
    const last = markets.at(-1)
    if (last === undefined || isChange('markets', row, last, 'seen_at')) markets.push(row)
    const resolution = resolutionOf(listing.market, at)
    const lastResolution = resolutions.at(-1)
    if (resolution === null) continue
    if (lastResolution === undefined || isChange('resolutions', resolution, lastResolution, 'ts'))
      resolutions.push(resolution)
  }
  const proof = `${path}: ${resolutions.length > 0 ? 'resolved' : 'not resolved'}`
  return {
    rows: { markets, resolutions },
    rejected,
    proof,
    ...(reasons.length > 0 ? { state: 'unverified', reason: reasons.join('; ') } : { state: 'complete' }),
  }
}

/** Why a description may not be whole: fields that each recorded market has, and a payout that is not shown. */
const reasonsOf = (market: LimitlessMarket): string[] => {
  const { status, expired, createdAt, updatedAt, expirationTimestamp, categories, tags, winningOutcomeIndex } = market
  const needed = { createdAt, updatedAt, expirationTimestamp, expired, categories, tags }
  const absent = Object.entries(needed).flatMap(([name, value]) => (value === null ? [name] : []))
  const isVoid = status === 'RESOLVED' && winningOutcomeIndex === null
  return [
    ...(absent.length === 0 ? [] : [`it has no ${absent.join(', ')}, which each recorded market has`]),
    ...(isVoid ? ['it is resolved without a winner, so that its payouts are not shown'] : []),
  ]
}

/** The columns that a market alone lacks, from the row of the list: those of its group. */
async function firstDescription(
  lake: LakeReader,
  slug: string,
  at: Micros,
): Promise<Partial<Pick<NewRow<'markets'>, 'event_id' | 'question' | 'category' | 'tags' | 'url' | 'neg_risk_id'>>> {
  const market_id = idOf(slug)
  const listed = { dataset: 'markets', source: 'limitless_markets', instant: 'seen_at', before: at + 1 } as const
  const row = (await lastRows(lake, { ...listed, market_ids: [market_id] })).get(market_id)
  return row === undefined ? {} : ofGroup.parse(row)
}

const ofGroup = z.object({
  event_id: z.string(),
  question: z.string(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  url: z.string().nullable(),
  neg_risk_id: z.string().nullable(),
})
