import { z } from 'zod'

import { HttpError, unless404 } from '#ingest/http/http.ts'
import { conditionId } from '#ingest/parse/ids.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult, type RejectedRow } from '#ingest/source.ts'
import { inPathOrder, NotListed, unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { numberedFills } from '#sources/markets/fills.ts'
import { DAY, type Micros } from '#time.ts'

import { followedFrom } from './feed_coverage.ts'
import { dataHost } from './hosts.ts'
import { paramOf } from './wire/ids.ts'
import { listedFills, matchListed } from './wire/match_takers.ts'
import { offsetListing, tradePages, wholeFrom } from './wire/paging.ts'
import { tradeRow, type Trade } from './wire/trade_rows.ts'
import { idOf, nativeId, parseRows, VENUE } from './wire/types.ts'

const SETTLE_S = 86_400
/** v2 shows the last three years of a market. One day is subtracted, since the exact start is not documented. */
const WINDOW = (3 * 365 - 1) * DAY

export const polymarketTrades = defineSource({
  name: 'polymarket_trades',
  doc:
    'All fills of a market, from its creation to its resolution: the Data API’s `/v2/trades?condition=`, read ' +
    'twice, with takers only and with all, so that each fill is marked as a taker’s or a maker’s. Cursors are ' +
    'followed to their end. Without v2, v1’s `/trades?market=` is read by offset and shows at most the newest ' +
    '10,000 rows. The unit is then *unverified* and covers the time from its oldest row on. Two more kinds of ' +
    'markets are *unverified*: those older than the three years that v2 shows, and those without a list of ' +
    'takers, so that roles are unknown. The venue has no fill id: equal rows are numbered, never merged. Fills of ' +
    'less than 0.01 shares are requested with the least filter; it is unverified that the venue then shows them all ' +
    '(`tapeline probe polymarket`). The venue answers for an unknown market as for one without trades: a market that ' +
    'gamma gives a volume, and that shows no trade, is *missing*. While ' +
    '`polymarket_feed` is followed, a market is read if it was created before that or was open in a gap of the ' +
    'feed, and once more after it has resolved and settled.',
  parts: [{ name: VENUE, upstreams: [dataHost] }],
  datasets: ['fills'],
  unit: 'history',
  keyForm: conditionId,
  precedence: 10,
  // The venue caches a page of trades for five minutes.
  lag_s: 300,
  settle_s: SETTLE_S,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 4, rows: 1_500, bytes: 2_000_000 },
  plan,
  read,
})

const source = { name: 'polymarket_trades', unit: 'history', part: VENUE } as const

const lifeShape = z.object({
  market_id: z.string(),
  from_us: z.bigint(),
  to_us: z.bigint().nullable(),
  is_in: z.boolean(),
  is_traded: z.boolean(),
})

/** The parameter of the unit of a market with a volume. */
const TRADED = 'traded'

/**
 * A market is open from its creation (0 if unknown) to its resolution. Without a known resolution its history has no
 * end, although trading ends at the close. It is then read once a day. While the feed is followed (`$feed_from`) it has
 * the new trades. Then only two kinds of markets are due: markets older than the feed and not read up to it, and
 * markets to be closed.
 */
const LIVES = `
  with described as (
    select market_id, max(created_at) as created_at, max(closed_at) as closed_at,
      arg_max(status, (seen_at, source)) in ('closed', 'resolved') as is_closed,
      min(seen_at) filter (status in ('closed', 'resolved')) as seen_closed_at, bool_or(volume_usd > 0) as is_traded
    from lake.markets where venue = '${VENUE}' and seen_at <= $at group by market_id
  ), resolved as (
    select market_id, max(ts) as ts from lake.resolutions where venue = '${VENUE}' group by market_id
  ), covered as (
    select key, max(checked_at) filter (state <> 'missing') as checked_at, max(to_at) filter (state <> 'missing') as to_at,
      $open_too and bool_or(state not in ('done', 'unavailable')) as is_left, bool_or(state = 'unavailable') as is_unavailable,
      bool_or(state = 'done') as is_done
    from lake.coverage where source = '${source.name}' group by key
  ), lives as (
    select market_id, coalesce(is_traded, false) as is_traded, coalesce(epoch_us(created_at), 0) as from_us,
      case when ts is not null then epoch_us(greatest(closed_at, ts)) end as to_us,
      case when is_closed then epoch_us(coalesce(closed_at, seen_closed_at)) end as closed_us
    from described left join resolved using (market_id)
  )
  select market_id, from_us, to_us, is_traded,
    from_us < $to and (coalesce(coalesce(to_us, closed_us) > $from, true) or coalesce(is_left, false)) as is_in
  from lives left join covered on market_id = '${VENUE}:' || key
  where market_id in (select unnest(string_split($ids, ',')))
    or (is_in and ($refresh or case when $feed_from::timestamp is null
      then not coalesce(to_us is null and closed_us <= $settled and checked_at > $day_ago, false)
      else not coalesce(is_done, false) and (coalesce(to_us <= $settled, false) or coalesce(is_unavailable, false)
        or coalesce(to_at, make_timestamp(from_us)) < $feed_from::timestamp)
      end))`

async function plan({ lake, at, from, to, keys, includeOpen, refresh }: PlanContext): Promise<Unit[]> {
  const asked = keys.map((key) => conditionId.parse(nativeId(key)))
  // An interval plans all units due in it; a follow leaves to the feed the trades that it has.
  const feedFrom = includeOpen ? await followedFrom(lake, at) : null
  const values = {
    from: BigInt(from),
    to: BigInt(to),
    open_too: includeOpen,
    refresh,
    ids: asked.map(idOf).join(),
    at: time.encode(at),
    settled: BigInt(at - SETTLE_S * 1_000_000),
    day_ago: time.encode(at - DAY),
    feed_from: feedFrom === null ? null : time.encode(feedFrom),
  }
  const lives = await lake.query(LIVES, lifeShape, values, { coverage: [`${source.name}/`] })
  const units = new Map(
    lives.map(({ market_id, from_us, to_us, is_in, is_traded }) => {
      const key = nativeId(market_id)
      const end = to_us === null ? null : Number(to_us)
      const params = is_traded ? [TRADED] : []
      return [key, { is_in, unit: unitOf(source, { key, from: Number(from_us), to: end, params }) }]
    }),
  )
  if (keys.length === 0) return inPathOrder([...units.values()].map(({ unit }) => unit))
  // A market requested by name may be unknown to the lake.
  const named = asked.map((key) => units.get(key) ?? { is_in: true, unit: unitOf(source, { key, from: 0 }) })
  return inPathOrder(named.filter(({ is_in }) => is_in).map(({ unit }) => unit))
}

/**
 * The reading of a market, whose rows are kept, and the reason why it may be incomplete. A reading that was cut off has
 * the start of its complete part.
 */
type Listing = {
  n_fills: number
  n_takers: number
  n_unmatched_takers: number
  areTakersKnown: boolean
  rejected: RejectedRow[]
  proof: string
  incompleteReason: string | null
  from?: Micros
}

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const listing = await readEither(unit, context)
  const isTraded = unit.params.includes(TRADED)
  if (listing instanceof HttpError) {
    if (isTraded) throw new NotListed(listing.message, { cause: listing })
    return { rows: { fills: [] }, rejected: [], state: 'unavailable', reason: listing.message }
  }
  const { n_fills, n_takers, n_unmatched_takers, rejected, from } = listing
  // Trades of the last minutes are left for the next reading. The oldest markets have trades that v2 does not show.
  if (isTraded && n_fills + rejected.length === 0 && unit.from >= context.at - WINDOW)
    throw new NotListed('no trade is listed; expected some, since gamma states a volume')
  const reasons = [
    listing.incompleteReason,
    listing.areTakersKnown ? null : 'the venue does not list its takers, so that roles are unknown',
    n_unmatched_takers > 0 ? `${n_unmatched_takers} takers are missing from the listing of all` : null,
  ].filter((incompleteReason) => incompleteReason !== null)
  return {
    rows: {},
    rejected,
    ...(from === undefined ? {} : { from }),
    proof: `${listing.proof}: ${n_fills - n_unmatched_takers} fills, ${n_takers} of takers`,
    ...(reasons.length > 0 ? { state: 'unverified', reason: reasons.join('; ') } : { state: 'complete' }),
  }
}

/** Reads by v2, or by v1 if v2 is absent. Throws the last error if neither has the market. */
async function readEither(unit: Unit, context: ReadContext): Promise<Listing | HttpError> {
  const v2 = await unless404(readV2(unit, context))
  if (!(v2 instanceof HttpError)) return v2
  await context.changeRows('fills', () => [])
  return unless404(readV1(unit, context))
}

async function readV2(unit: Unit, context: ReadContext): Promise<Listing> {
  const { get, at, until, keepRows } = context
  const path = '/v2/trades'
  const rejected: RejectedRow[] = []
  const condition = paramOf(unit.key)
  for await (const page of tradePages(get, { condition, taker_only: false })) {
    await keepRows('fills', listedFills(ofMarket(page, unit, path, rejected), 'maker', { until }))
  }
  const keepTakers = async (): Promise<void> => {
    for await (const page of tradePages(get, { condition, taker_only: true })) {
      await keepRows('fills', listedFills(ofMarket(page, unit, path, []), 'taker', { until }))
    }
  }
  const areTakersKnown = !((await unless404(keepTakers())) instanceof HttpError)
  const incompleteReason = unit.from < at - WINDOW ? 'v2 shows three years, and the market may be older' : null
  return {
    ...(await matchKept(context, areTakersKnown)),
    areTakersKnown,
    rejected,
    proof: 'v2, cursors followed to their end',
    incompleteReason,
  }
}

async function readV1(unit: Unit, context: ReadContext): Promise<Listing> {
  const { get, until, keepRows } = context
  const path = '/trades'
  const rejected: RejectedRow[] = []
  const list = (takerOnly: boolean) => offsetListing(get, path, { market: unit.key, takerOnly, limit: 1000 })
  const all = await list(false)
  const takers = await unless404(list(true))
  const trades = ofMarket(all.rows, unit, path, rejected)
  // There are fewer takers, so their list reaches at least as far back.
  const cut = all.isCutOff && trades.length > 0 ? { from: wholeFrom(trades) } : {}
  await keepRows('fills', listedFills(trades, 'maker', { ...cut, until }))
  const areTakersKnown = !(takers instanceof HttpError)
  if (areTakersKnown)
    await keepRows('fills', listedFills(ofMarket(takers.rows, unit, path, []), 'taker', { ...cut, until }))
  const incompleteReason = all.incompleteReason ?? (areTakersKnown ? takers.incompleteReason : null)
  const proof = 'v1, offsets followed to an empty page, the first page unchanged at the end'
  return { ...(await matchKept(context, areTakersKnown)), areTakersKnown, rejected, proof, incompleteReason, ...cut }
}

/** Marks the takers of the kept rows of both lists, and numbers equal rows. Returns their counts. */
async function matchKept(
  { changeRows }: ReadContext,
  areTakersKnown: boolean,
): Promise<Pick<Listing, 'n_fills' | 'n_takers' | 'n_unmatched_takers'>> {
  const counts = { n_fills: 0, n_takers: 0, n_unmatched_takers: 0 }
  await changeRows('fills', (listed) => {
    const { fills, n_takers, n_unmatched_takers } = matchListed(listed, areTakersKnown)
    counts.n_fills += fills.length
    counts.n_takers += n_takers
    counts.n_unmatched_takers += n_unmatched_takers
    return numberedFills(fills)
  })
  return counts
}

/** The trades of this market. Rows of other markets, which an ignored filter returns, are rejected. */
function ofMarket(bodies: readonly unknown[], unit: Unit, path: string, rejected: RejectedRow[]): Trade[] {
  const isOurs = { path: ['condition_id'], message: `expected a trade of ${unit.key}` }
  const shape = tradeRow.refine((trade) => trade.condition_id === unit.key, isOurs)
  return parseRows(bodies, shape, { dataset: 'fills', path, rejected })
}
