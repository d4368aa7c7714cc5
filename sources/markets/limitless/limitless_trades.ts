import { z } from 'zod'

import { HttpError, unless404 } from '#ingest/http/http.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult, type RejectedRow } from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { numberedFills } from '#sources/markets/fills.ts'
import { DAY } from '#time.ts'

import { LAG_S, limitlessHost, PUSHED, VENUE } from './hosts.ts'
import { parseFills } from './wire/fill_rows.ts'
import { parseMakerFills } from './wire/maker_rows.ts'
import { parseListed } from './wire/market_rows.ts'
import { marketBody, marketEvents, marketFeed } from './wire/pages.ts'
import { marketSlug, nativeId } from './wire/types.ts'

const SETTLE_S = 3_600

export const limitlessTrades = defineSource({
  name: 'limitless_trades',
  doc:
    'The fills of a market, from its creation to its resolution: `/markets/<slug>/events` in pages of 100, newest ' +
    'first, up to a page that is not full, with the first page unchanged at the end. A first page that leaves out ' +
    'rows, and a market with a volume and no fills, are *unverified*. The venue shows settled fills, and the taker ' +
    'of each match only. Equal rows are numbered, never merged. A token is matched to its outcome by ' +
    '`/markets/<slug>`. An open market is read again after a tenth of the time since its last fill, at least ten ' +
    'minutes and at most 45. `/markets/<slug>/get-feed-events` has the trades with the automated maker, up ' +
    'to an empty page. No recording of that feed exists: that it has every trade, the address of a trader with a ' +
    'smart wallet, and whether its amounts include the fee are unverified. Ledgers take the cash of the histories of ' +
    'accounts.',
  parts: [{ name: VENUE, upstreams: [limitlessHost] }],
  datasets: ['fills'],
  unit: 'history',
  keyForm: marketSlug,
  precedence: 10,
  lag_s: LAG_S,
  settle_s: SETTLE_S,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 4, rows: 200, bytes: 200_000 },
  plan,
  read,
})

const source = { name: 'limitless_trades', unit: 'history', part: VENUE } as const

const lifeShape = z.object({ market_id: z.string(), from_us: z.bigint(), to_us: z.bigint().nullable() })

/**
 * A market is open from its creation (0 if unknown) to its resolution. A closed market without a resolution is read
 * once a day.
 */
const LIVES = `
  with described as (
    select market_id, max(created_at) as created_at, max(closed_at) as closed_at,
      arg_max(status, (seen_at, source)) in ('closed', 'resolved') as is_closed,
      min(seen_at) filter (status in ('closed', 'resolved')) as seen_closed_at
    from lake.markets where venue = '${VENUE}' and source <> '${PUSHED}' and seen_at <= $at group by market_id
  ), resolved as (
    select market_id, max(ts) as ts from lake.resolutions where venue = '${VENUE}' and source <> '${PUSHED}'
    group by market_id
  ), covered as (
    select '${VENUE}:' || key as market_id, max(checked_at) as checked_at,
      $open_too and bool_or(state not in ('done', 'unavailable')) as is_left
    from lake.coverage where source = '${source.name}' and state <> 'missing' group by key
  ), traded as (
    select market_id, max(ts) as last_at from lake.fills where source = '${source.name}' group by market_id
  ), lives as (
    select market_id, coalesce(epoch_us(created_at), 0) as from_us,
      case when ts is not null then epoch_us(greatest(closed_at, ts)) end as to_us,
      case when is_closed then epoch_us(coalesce(closed_at, seen_closed_at)) end as closed_us
    from described left join resolved using (market_id)
  )
  select market_id, from_us, to_us
  from lives left join covered using (market_id) left join traded using (market_id)
  where list_contains(string_split($ids, ','), market_id)
    or ($ids = '' and from_us < $to and (coalesce(coalesce(to_us, closed_us) > $from, true) or coalesce(is_left, false))
      and case
        when $refresh or checked_at is null or to_us is not null then true
        when closed_us <= $settled and epoch_us(checked_at) >= closed_us + ${SETTLE_S * 1_000_000} then checked_at < $day_ago
        else checked_at <= $at - least(interval 45 minutes,
          greatest(interval 10 minutes, coalesce(checked_at - last_at, interval 1 hour) / 10))
      end)`

async function plan({ lake, at, from, to, keys, includeOpen, refresh }: PlanContext): Promise<Unit[]> {
  const asked = keys.map((key) => marketSlug.parse(nativeId(key)))
  const values = {
    from: BigInt(from),
    to: BigInt(to),
    open_too: includeOpen,
    refresh,
    ids: asked.map((slug) => `${VENUE}:${slug}`).join(),
    at: time.encode(at),
    settled: BigInt(at - SETTLE_S * 1_000_000),
    day_ago: time.encode(at - DAY),
  }
  const lives = await lake.query(LIVES, lifeShape, values)
  const units = new Map(
    lives.map(({ market_id, from_us, to_us }) => {
      const key = nativeId(market_id)
      return [key, unitOf(source, { key, from: Number(from_us), to: to_us === null ? null : Number(to_us) })] as const
    }),
  )
  // A market requested by name may be unknown to the lake.
  for (const key of asked) if (!units.has(key)) units.set(key, unitOf(source, { key, from: 0 }))
  return inPathOrder([...units.values()])
}

async function read(unit: Unit, { get, until, keepRows, changeRows }: ReadContext): Promise<ReadResult> {
  const rejected: RejectedRow[] = []
  // The market gives the list of its fills, the outcomes of tokens and the decimals of amounts.
  const body = await unless404(marketBody(get, unit.key))
  if (body instanceof HttpError) return unavailable(body)
  const [listing] = parseListed([body], { dataset: 'fills', path: `/markets/${unit.key}`, rejected })
  if (listing === undefined) {
    return { rows: { fills: [] }, rejected, state: 'unverified', reason: 'the market does not parse' }
  }
  const isMaker = listing.market.tradeType === 'amm'
  const path = `/markets/${unit.key}/${isMaker ? 'get-feed-events' : 'events'}`
  const parse = isMaker ? parseMakerFills : parseFills
  let n_rows = 0
  const take = {
    add: async (rows: readonly unknown[]) => {
      n_rows += rows.length
      const fills = parse(rows, listing.market, { path, rejected })
      await keepRows(
        'fills',
        fills.filter(({ ts }) => ts < until),
      )
    },
    restart: async () => {
      rejected.length = 0
      n_rows = 0
      await changeRows('fills', () => [])
    },
  }
  const reading = await unless404((isMaker ? marketFeed : marketEvents)(get, unit.key, take))
  if (reading instanceof HttpError) {
    await take.restart()
    return unavailable(reading)
  }
  // Fills that are too new for this reading count too.
  const isUnseen = n_rows === 0 && (listing.market.volume?.units ?? 0n) > 0n
  const reason = reading.incompleteReason ?? (isUnseen ? 'no fills, although the market has a volume' : null)
  let n_fills = 0
  await changeRows('fills', (fills) => {
    n_fills += fills.length
    return numberedFills(fills)
  })
  return {
    rows: {},
    rejected,
    proof: `${reading.pages} pages, the first one unchanged at the end: ${n_fills} fills of takers`,
    ...(reason === null ? { state: 'complete' } : { state: 'unverified', reason }),
  }
}

const unavailable = ({ message }: HttpError): ReadResult => ({
  rows: { fills: [] },
  rejected: [],
  state: 'unavailable',
  reason: message,
})
