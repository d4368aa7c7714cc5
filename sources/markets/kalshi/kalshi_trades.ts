import { settling } from '#ingest/http/replay.ts'
import { zodReason } from '#ingest/http/response.ts'
import { mostRejected } from '#ingest/parse/rows.ts'
import { parseInstant } from '#ingest/parse/timestamps.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type ReadContext,
  type ReadResult,
  type RejectedRow,
} from '#ingest/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, HOUR, isoMicros, type Micros } from '#time.ts'

import { kalshiHost } from './hosts.ts'
import { hoursLeft, lastHour, storedHours } from './hours.ts'
import { anyRow, assertWithin, kalshiPages, readCutoffs, secondsAround } from './wire/paging.ts'
import { kalshiTrade, toFill } from './wire/trade_rows.ts'
import { VENUE } from './wire/types.ts'

/** The day of the venue's first trades. */
const FIRST_TRADE = Date.UTC(2021, 5, 28) * 1000
/** A first follow reads the day of the 24-hour volumes; after a pause up to three days are read. */
const FIRST_BACK = DAY
const MOST_BACK = 3 * DAY

const source = { name: 'kalshi_trades', unit: 'hour', lag_s: 30, settle_s: 900 } as const

export const kalshiTrades = defineSource({
  ...source,
  doc:
    'Every trade of the venue, by the hour: `/markets/trades` with `min_ts` and `max_ts`, cursors followed to their ' +
    'end. `/historical/cutoff` is read after it. If the hour begins before that cutoff, `/historical/trades` is read ' +
    'too: a trade moves from the live list to the archive, so that it is in one of both. A later reading of an open ' +
    'hour starts at the end of the previous one and carries its rows over. A settled hour is read again as a whole. ' +
    'A follow begins a day back; after a pause up to three days are read. **The venue is anonymous**: a trade is one ' +
    'fill of a taker without a name, so there are no figures of traders. A block trade has the role `block`, which ' +
    'counts in volumes and is not a price. Trades of combinations of markets are stored; staging leaves them out.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['fills'],
  precedence: 10,
  grid_s: 60,
  follow: { group: 'feed' },
  typical: { requests: 120, rows: 100_000, bytes: 30_000_000 },
  plan,
  read,
})

/**
 * The due hours: of a follow, or an interval from 0 on, the newest ones; of any other interval its own. A refresh from
 * 0 on is of all stored hours.
 */
async function plan({ lake, at, from, to, includeOpen, refresh }: PlanContext): Promise<Unit[]> {
  const last = lastHour(source, at)
  const hours = await storedHours(lake, source)
  if (!includeOpen && from > 0)
    return hoursLeft(source, hours, { first: Math.max(from, FIRST_TRADE), end: Math.min(to, last + HOUR), at, refresh })
  const [begun = last - FIRST_BACK] = hours.keys()
  const first = refresh ? begun : Math.max(begun, last - MOST_BACK)
  return hoursLeft(source, hours, { first, end: last + HOUR, at, refresh })
}

type Span = { from: Micros; to: Micros }

async function read(unit: Unit, context: ReadContext): Promise<ReadResult> {
  const { get, at, until, stored, storedRows, keepRows, changeRows } = context
  const to = Math.min(until, unit.to ?? until)
  const before = await stored()
  // A settled hour is read whole, so that trades that the venue showed late are included.
  const isContinued = until <= at && before?.state === 'head' && before.to !== null && unit.forceRefresh !== true
  const span = { from: isContinued ? Math.min(before.to ?? unit.from, to) : unit.from, to }
  const rejected = new Map<string, RejectedRow>()
  const keep = (fills: readonly NewRow<'fills'>[]) => keepRows('fills', fills)
  let pages = await readPages(get, '/markets/trades', span, { keep, rejected })
  const { trades_created_ts: cutoff } = await readCutoffs(get)
  const isArchived = cutoff > span.from
  if (isArchived) pages += await readPages(get, '/historical/trades', span, { keep, rejected })
  const lists = isArchived ? `live and archive, whose cutoff is ${isoMicros(cutoff)}` : 'live'
  let n_trades = 0
  await changeRows('fills', (fills) => {
    const trades = onceEach(fills)
    n_trades += trades.length
    return trades
  })
  const list = isArchived ? { archiveTo: to } : { liveTo: at }
  const isShown = n_trades > 0 || rejected.size > 0 || (await showsTrades(get, list))
  return {
    rows: { fills: isContinued ? await storedRows('fills', span.from) : [] },
    rejected: [...rejected.values()],
    to,
    ...(isShown ? { state: 'complete' } : { state: 'unverified', reason: NO_TRADES }),
    proof: `${lists}, cursors followed to their end, ${pages} pages from ${isoMicros(span.from)}: ${n_trades} trades`,
  }
}

const NO_TRADES = 'the list shows no trade at all; expected one before the end of the hour'

/**
 * Whether the list of an hour without trades shows an earlier one, or the live list any. The venue has had trades in
 * each hour for years.
 */
async function showsTrades(
  get: ReadContext['get'],
  bound: { archiveTo: Micros } | { liveTo: Micros },
): Promise<boolean> {
  const [path, to] = 'liveTo' in bound ? ['/markets/trades', bound.liveTo] : ['/historical/trades', bound.archiveTo]
  const { max } = secondsAround({ from: to, to })
  return (await settling(() => anyRow(get, path, { field: 'trades', max_ts: max }))()) !== false
}

/** A trade that moved from the live list to the archive in between is in both. */
const onceEach = (fills: readonly NewRow<'fills'>[]): NewRow<'fills'>[] => [
  ...new Map(fills.map((fill) => [fill.tx, fill])).values(),
]

/** Takes the trades of a span. A trade that does not parse is rejected once. */
type Reading = { keep: (fills: readonly NewRow<'fills'>[]) => Promise<void>; rejected: Map<string, RejectedRow> }

/** Reads a list, and returns the number of its pages. */
async function readPages(
  get: ReadContext['get'],
  path: string,
  span: Span,
  { keep, rejected }: Reading,
): Promise<number> {
  const seconds = secondsAround(span)
  let pages = 0
  for await (const page of kalshiPages(get, path, { field: 'trades', min_ts: seconds.min, max_ts: seconds.max })) {
    pages += 1
    assertWithin(path, page.map(instantOf), seconds)
    const fills: NewRow<'fills'>[] = []
    for (const body of page) {
      const { success, data, error } = kalshiTrade.safeParse(body)
      const ts = success ? data.created_time : instantOf(body)
      if (ts !== null && (ts < span.from || ts >= span.to)) continue
      if (success) fills.push(toFill(data))
      else if (rejected.size < mostRejected)
        rejected.set(JSON.stringify(body), { dataset: 'fills', path, reason: zodReason(error), body })
    }
    await keep(fills)
  }
  return pages
}

/** The instant of a trade that does not parse, if it has one: a trade beside the span is of another unit. */
function instantOf(body: unknown): Micros | null {
  const created = typeof body === 'object' && body !== null && 'created_time' in body ? body.created_time : null
  return typeof created === 'string' ? parseInstant(created) : null
}
