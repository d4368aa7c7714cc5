import { z } from 'zod'

import { HttpError } from '#ingest/http/http.ts'
import { openFilled } from '#ingest/lost_columns.ts'
import { address } from '#ingest/parse/ids.ts'
import { wholeNumber, type Settings } from '#ingest/setting.ts'
import {
  defineSource,
  type PlanContext,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
  type StoredUnit,
} from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { numbered, numberedFills, type NewActivity, type NewFill } from '#sources/markets/fills.ts'
import { DAY, type Micros } from '#time.ts'

import { compareFills } from './compare_fills.ts'
import { feed, followedFrom } from './feed_coverage.ts'
import { dataHost } from './hosts.ts'
import { parseLedger, toActivity, toLedgerFill } from './wire/activity_rows.ts'
import { isNoAccount } from './wire/error_body.ts'
import { dataPages, offsetListing, wholeFrom } from './wire/paging.ts'
import { nativeId, VENUE } from './wire/types.ts'

const settings = {
  minFills: {
    name: 'TAPELINE_POLYMARKET_MIN_FILLS',
    shape: wholeNumber(1, 1_000_000).default(20),
    doc: 'Stored fills from which an account is read without a request',
  },
} satisfies Settings
const LATELY = 30 * DAY
/**
 * The least time between two readings of an account while the feed is followed, and the age of the trades that plans
 * use.
 */
const REST = 600_000_000
const OVERLAP = 3_600_000_000

export const polymarketActivity = defineSource({
  name: 'polymarket_activity',
  doc:
    'Everything that an account did, from its first day: the Data API’s `/v2/activity?user=`, oldest first, with ' +
    'cursors followed to their end. Only this source has the actual cash, fees included, and splits, merges, ' +
    'conversions and redemptions. An account is read once it has enough stored fills or is requested. It is ' +
    'read again after it traded, and once a day if it traded within 30 days or was requested. An account with ' +
    'fewer fills that was read before counts as requested. A later reading ' +
    'starts an hour before the end of the previous one and carries the older rows over. An account that is ' +
    'requested by name is read whole. While `polymarket_feed` is followed, an account is read at most every ten ' +
    'minutes, for trades that are ten minutes old. Without v2, v1’s `/activity` is read by offset, newest first, ' +
    'to at most 10,000 rows. The unit is then *unverified* and covers the time from its oldest row on. The feed ' +
    'does not show the shares of a redemption: its size is cash. Tips are shown only on request, and are not read.',
  parts: [{ name: VENUE, upstreams: [dataHost] }],
  datasets: ['activity', 'fills'],
  unit: 'history',
  keyForm: address,
  isEndless: true,
  addresses: 'evm',
  precedence: 20,
  lag_s: 60,
  settle_s: 86_400,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 2, rows: 600, bytes: 500_000 },
  settings,
  plan,
  read,
  crossCheck: ({ lake }) => compareFills(lake),
})

const source = { name: 'polymarket_activity', unit: 'history', part: VENUE } as const

/**
 * Two kinds of accounts: unread accounts that traded enough in the interval, and read accounts that have traded since.
 * Cash also moves without a trade. Therefore accounts that traded lately, or were requested by name (they have few
 * trades), are read once a day. A trade of both the feed and its market counts once, as in its market.
 */
const ACCOUNTS = `
  with own as (
    select '${VENUE}:' || key as market_id, min(from_at) as from_at, max(coalesce(to_at, timestamp '9999-01-01')) as to_at
    from lake.coverage
    where source = 'polymarket_trades' and state not in ('missing', 'unavailable') group by key
  ), counted as (
    select trader, ts from lake.fills where source = 'polymarket_trades' and ts < $until
    union all
    select trader, ts from lake.fills f
    where source = '${feed.name}' and ts < $until and not exists (
      from own where own.market_id = f.market_id and f.ts >= own.from_at and f.ts < own.to_at)
  ), traders as (
    select trader, count(*) as n_fills, max(ts) as last_at from counted group by trader
  ), covered as (
    select key, max(to_at) as to_at, max(checked_at) as checked_at, bool_or(state = 'unavailable') as is_refused,
      bool_or(state = 'missing') as is_missing, bool_and(state = 'head') as is_proved
    from lake.coverage where source = '${source.name}' and dataset = 'activity' group by key
  ), accounts as (
    select coalesce(key, trader) as account, * from traders full join covered on key = trader
  )
  select account, case when is_proved then epoch_us(to_at) end as to_us from accounts
  where (coalesce(is_missing, true) and n_fills >= $min_fills and last_at >= $from)
    or ($open_too and is_missing)
    or ($refresh and key is not null)
    or (is_refused and (last_at >= checked_at or checked_at < $day_ago))
    or (not is_proved and checked_at < $day_ago)
    or (not is_refused and not is_missing and (
      to_at is null or (last_at >= to_at and checked_at <= $rested)
      or (checked_at < $day_ago and (coalesce(n_fills, 0) < $min_fills or last_at >= $lately))
    ))`

/** The inputs of these plans: of each dataset the sources that they read. */
const PLANNED_BY = {
  fills: ['polymarket_trades/', `${feed.name}/`],
  coverage: ['polymarket_trades/', `${source.name}/`],
}

async function plan(context: PlanContext<typeof settings>): Promise<Unit[]> {
  const { lake, at, from, to, keys, includeOpen, refresh } = context
  const asked = keys.map((key) => address.parse(nativeId(key)))
  if (asked.length > 0) return unitsOf(asked.map((account) => ({ account, to_us: null })))
  // The result must not depend on the progress of the feed within this instant.
  const isFollowed = includeOpen && (await followedFrom(lake, at)) !== null
  const values = {
    from: time.encode(from),
    until: time.encode(isFollowed ? Math.min(to, at - REST) : to),
    rested: time.encode(isFollowed ? at - REST : at),
    day_ago: time.encode(at - DAY),
    lately: time.encode(at - LATELY),
    open_too: includeOpen,
    refresh,
    min_fills: context.settings.minFills,
  }
  const accounts = await lake.query(ACCOUNTS, accountShape, values, PLANNED_BY)
  return unitsOf(refresh ? accounts.map(({ account }) => ({ account, to_us: null })) : accounts)
}

const accountShape = z.object({ account: z.string(), to_us: z.bigint().transform(Number).nullable() })

/** An account is read from an overlap before the end of the last reading, which is part of the unit. */
const unitsOf = (accounts: readonly z.output<typeof accountShape>[]): Unit[] =>
  inPathOrder(
    [...new Map(accounts.map((row) => [row.account, row.to_us]))].map(([key, to_us]) =>
      unitOf(source, { key, from: 0, params: to_us === null ? [] : [String(startOf(to_us))] }),
    ),
  )

const startOf = (to: Micros): number => Math.floor((to - OVERLAP) / 1_000_000)

/** The reading of an account, whose rows are kept, and the reason why it may be incomplete. */
type Listing = {
  rejected: RejectedRow[]
  proof: string
  incompleteReason: string | null
  from?: Micros
}

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const listing = await readAccount(unit, context)
  if (listing instanceof HttpError) {
    return { rows: { activity: [], fills: [] }, rejected: [], state: 'unavailable', reason: listing.message }
  }
  const { rejected, proof, incompleteReason, from } = listing
  const { n_fills, n_others } = await numberKept(context)
  return {
    rows: {},
    rejected,
    ...(from === undefined ? {} : { from }),
    proof: `${proof}: ${n_fills} fills, ${n_others} other rows`,
    ...(incompleteReason === null ? { state: 'complete' } : { state: 'unverified', reason: incompleteReason }),
  }
}

/** Numbers equal rows, and counts all. */
async function numberKept({ changeRows }: ReadContext): Promise<{ n_fills: number; n_others: number }> {
  const counts = { n_fills: 0, n_others: 0 }
  await changeRows('activity', (rows) => {
    counts.n_others += rows.length
    return numbered(
      rows,
      (row) => [row.ts, row.tx, row.kind, row.market_id, row.token_id].join(),
      (row) => [row.size, row.cash_usd].join(),
    )
  })
  await changeRows('fills', (rows) => {
    counts.n_fills += rows.length
    return numberedFills(rows)
  })
  return counts
}

/** All rows of an account, or the error that the venue has none and never will. */
async function readAccount(unit: Unit, context: ReadContext): Promise<Listing | HttpError> {
  const { get, until, stored, storedRows, keepRows } = context
  const rejected: RejectedRow[] = []
  const { key: user } = unit
  const start_s = sinceOf(unit, await stored())
  const query = { user, start: start_s, exclude_deposits_withdrawals: false, sort_direction: 'ASC' }
  const fields = openFields()
  let pages = 0
  try {
    for await (const page of dataPages(get, '/v2/activity', query)) {
      pages += 1
      const { trades, others } = parseLedger(page, user, { path: '/v2/activity', rejected })
      const fills = trades.filter(({ timestamp }) => timestamp < until).map(toLedgerFill)
      const activity = others.filter(({ timestamp }) => timestamp < until).map(toActivity)
      fields.add(fills, activity)
      await keepRows('fills', fills)
      await keepRows('activity', activity)
    }
  } catch (error) {
    if (!(error instanceof HttpError) || pages > 0) throw error
    if (isNoAccount(error)) return error
    if (error.status !== 404) throw error
    return readV1(context, user)
  }
  if (start_s > FIRST_S) {
    await keepRows('fills', await storedRows('fills', start_s * 1_000_000))
    await keepRows('activity', await storedRows('activity', start_s * 1_000_000))
  }
  return { rejected, proof: 'v2, cursors followed to their end', incompleteReason: fields.absentReason() }
}

const ofMarkets = new Set(['split', 'merge', 'redeem', 'convert'])

/** Notes the fields that the venue fills in practice. One that is in no row may have changed its name. */
function openFields() {
  const trades = openFilled(['fee_usd'])
  const moved = openFilled(['market_id', 'tx', 'cash_usd'], 3)
  const inShares = openFilled(['size'], 3)
  return {
    add: (fills: readonly NewFill[], activity: readonly NewActivity[]): void => {
      const marketActivity = activity.filter(({ kind }) => ofMarkets.has(kind))
      trades.add(fills)
      moved.add(marketActivity)
      inShares.add(marketActivity.filter(({ kind }) => kind !== 'redeem'))
    },
    absentReason: (): string | null => {
      const absent = [...trades.absent().map(() => 'usdc_size of trades'), ...moved.absent(), ...inShares.absent()]
      return absent.length === 0 ? null : `no row has ${absent.join(', ')}, which the venue fills in practice`
    },
  }
}

/** 0 would mean the last three years. */
const FIRST_S = 1

/** The second from which an account is read: its first, unless the stored rows reach that far. */
function sinceOf({ params: [start] }: Unit, before: StoredUnit | undefined): number {
  if (start === undefined || before === undefined) return FIRST_S
  const start_s = Number(start)
  return before.to === null || before.to >= start_s * 1_000_000 ? start_s : FIRST_S
}

async function readV1({ get, until, keepRows }: ReadContext, user: string): Promise<Listing | HttpError> {
  const path = '/activity'
  const query = { user, excludeDepositsWithdrawals: false, limit: 500 }
  const listed = await offsetListing(get, path, query).catch((error: unknown) => {
    if (error instanceof HttpError && (error.status === 404 || isNoAccount(error))) return error
    throw error
  })
  if (listed instanceof HttpError) return listed
  const rejected: RejectedRow[] = []
  const { trades, others } = parseLedger(listed.rows, user, { path, rejected })
  const cut = listed.isCutOff && trades.length + others.length > 0 ? { from: wholeFrom([...trades, ...others]) } : {}
  const isDue = ({ timestamp }: { timestamp: Micros }) => timestamp >= (cut.from ?? 0) && timestamp < until
  await keepRows('fills', trades.filter(isDue).map(toLedgerFill))
  await keepRows('activity', others.filter(isDue).map(toActivity))
  return {
    rejected,
    proof: 'v1, offsets followed to an empty page, the first page unchanged at the end',
    incompleteReason: listed.incompleteReason,
    ...cut,
  }
}
