import { z } from 'zod'

import { HttpError, unless404 } from '#ingest/http/http.ts'
import { address } from '#ingest/parse/ids.ts'
import { wholeNumber, type Settings } from '#ingest/setting.ts'
import { defineSource, type PlanContext, type ReadContext, type ReadResult } from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { numbered, numberedFills } from '#sources/markets/fills.ts'
import { DAY } from '#time.ts'

import { checkedNotation, openFillChecks, type FillChecks } from './account_checks.ts'
import { LAG_S, limitlessHost, VENUE } from './hosts.ts'
import { idOfRow, parseHistory } from './wire/history.ts'
import { openEvidence } from './wire/history_evidence.ts'
import { accountHistory } from './wire/pages.ts'
import { nativeId } from './wire/types.ts'

const settings = {
  minFills: {
    name: 'TAPELINE_LIMITLESS_MIN_FILLS',
    shape: wholeNumber(1, 1_000_000).default(5),
    doc: 'Stored fills from which a Limitless account is read without a request; only fills as taker are known before',
  },
} satisfies Settings
const LATELY = 30 * DAY

export const limitlessActivity = defineSource({
  name: 'limitless_activity',
  doc:
    'Everything that an account did: `/portfolio/<account>/history`, with cursors followed to their end, or in older ' +
    'responses its pages up to `totalCount`. A history without transactions that the account has in ' +
    '`limitless_trades` is *unverified*. Only this source has the actual cash, fees included, the fills as maker, ' +
    'and splits, merges and conversions. A row counts once by its `tradeEventId`. Amounts are decimal numbers or, in ' +
    'older responses, raw integers; the price decides where both are possible, and the stored fills where a history ' +
    'has only whole numbers. An account is read once it has enough stored fills or is requested, again after it ' +
    'traded, and once a day if it traded within 30 days. The venue does not show redemptions: a resolution realizes ' +
    'the held shares. The size of a merge is stored as the venue writes it, which is not the number of sets; scoring ' +
    'uses its cash. Rows in other collateral than dollars are rejected.',
  parts: [{ name: VENUE, upstreams: [limitlessHost] }],
  datasets: ['activity', 'fills'],
  unit: 'history',
  keyForm: address,
  isEndless: true,
  addresses: 'evm',
  precedence: 20,
  lag_s: LAG_S,
  settle_s: 86_400,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 2, rows: 150, bytes: 150_000 },
  settings,
  plan,
  read,
})

const source = { name: 'limitless_activity', unit: 'history', part: VENUE } as const

/**
 * Unread accounts that traded enough in the interval, and read accounts that have traded since, or that are a day old
 * and traded lately or have few fills as taker (they were requested).
 */
const ACCOUNTS = `
  with traders as (
    select trader, count(*) as n_fills, max(ts) as last_at
    from lake.fills where source = 'limitless_trades' and ts < $until group by trader
  ), covered as (
    select key, max(to_at) as to_at, max(checked_at) as checked_at, bool_or(state = 'unavailable') as is_refused,
      bool_or(state = 'missing') as is_missing
    from lake.coverage where source = '${source.name}' and dataset = 'activity' group by key
  ), accounts as (
    select coalesce(key, trader) as account, * from traders full join covered on key = trader
  )
  select account from accounts
  where (coalesce(is_missing, true) and n_fills >= $min_fills and last_at >= $from)
    or ($open_too and is_missing)
    or ($refresh and key is not null)
    or (is_refused and last_at >= checked_at)
    or (not is_refused and not is_missing and (
      to_at is null or last_at >= to_at
      or (checked_at < $day_ago and (coalesce(n_fills, 0) < $min_fills or last_at >= $lately))
    ))`

async function plan(context: PlanContext<typeof settings>): Promise<Unit[]> {
  const { lake, at, from, to, keys, includeOpen, refresh } = context
  const asked = keys.map((key) => address.parse(nativeId(key)))
  if (asked.length > 0) return unitsOf(asked)
  const values = {
    from: time.encode(from),
    until: time.encode(to),
    day_ago: time.encode(at - DAY),
    lately: time.encode(at - LATELY),
    open_too: includeOpen,
    refresh,
    min_fills: context.settings.minFills,
  }
  const inputs = { fills: ['limitless_trades/'], coverage: [`${source.name}/`] }
  const accounts = await lake.query(ACCOUNTS, z.object({ account: z.string() }), values, inputs)
  return unitsOf(accounts.map(({ account }) => account))
}

const unitsOf = (accounts: readonly string[]): Unit[] =>
  inPathOrder([...new Set(accounts)].map((key) => unitOf(source, { key, from: 0 })))

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const { get, until, lake, bodies, keepRows } = context
  const { key: account } = unit
  let evidence = openEvidence()
  const take = {
    add: async (page: readonly unknown[]) => {
      evidence.add(page)
      await bodies.keep(page.map((body) => ({ key: idOfRow(body), body })))
    },
    restart: async () => {
      evidence = openEvidence()
      await bodies.drop()
    },
  }
  const listing = await unless404(accountHistory(get, account, take))
  if (listing instanceof HttpError) {
    return { rows: { activity: [], fills: [] }, rejected: [], state: 'unavailable', reason: listing.message }
  }
  const notation = await checkedNotation(lake, { account, until }, evidence)
  const reading = { account, notation, path: `/portfolio/${account}/history` }
  const rejected = await parseHistory(bodies.byKey(), reading, async ({ fills, activity }) => {
    await keepRows(
      'fills',
      fills.filter(({ ts }) => ts < until),
    )
    await keepRows(
      'activity',
      activity.filter(({ ts }) => ts < until),
    )
  })
  await bodies.drop()
  const checks = openFillChecks(lake, { account, until })
  const { n_fills, n_others } = await numberKept(context, checks)
  const absent = [...evidence.absent(), ...((await checks.lostMakers()) ? ['makerMatchId'] : [])]
  const contradiction = checks.contradiction()
  const reasons = [
    contradiction,
    listing.incompleteReason,
    absent.length === 0 ? null : `no row has ${absent.join(', ')}; expected values, as in recorded rows`,
  ].filter((reason) => reason !== null)
  return {
    rows: {},
    rejected,
    proof: `${listing.paging}: ${n_fills} fills, ${n_others} other rows`,
    ...(reasons.length === 0 ? { state: 'complete' } : { state: 'unverified', reason: reasons.join('; ') }),
    ...(contradiction === null ? {} : { reasonCode: 'contradicted' }),
  }
}

/** Numbers equal rows, counts all, and gives the fills to the checks. */
async function numberKept(
  { changeRows }: ReadContext,
  checks: FillChecks,
): Promise<{ n_fills: number; n_others: number }> {
  const counts = { n_fills: 0, n_others: 0 }
  await changeRows('activity', (rows) => {
    counts.n_others += rows.length
    return numbered(
      rows,
      (row) => [row.ts, row.tx, row.kind, row.market_id].join(),
      (row) => [row.size, row.cash_usd].join(),
    )
  })
  await changeRows('fills', async (rows) => {
    counts.n_fills += rows.length
    await checks.add(rows)
    return numberedFills(rows)
  })
  return counts
}
