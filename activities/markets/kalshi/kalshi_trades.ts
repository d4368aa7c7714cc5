import { zodReason } from '#activities/http/response.ts'
import { parseInstant } from '#activities/parse/timestamps.ts'
import {
  defineSource,
  type NewRow,
  type PlanContext,
  type PullContext,
  type PullResult,
  type RejectedRow,
} from '#activities/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, HOUR, isoMicros, type Micros } from '#time.ts'

import { kalshiHost } from './hosts.ts'
import { hoursLeft, lastHour, storedHours } from './hours.ts'
import { kalshiPages, readCutoffs, secondsAround } from './wire/paging.ts'
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
    'counts in volumes and is no price. Trades of combinations of markets are stored; staging leaves them out.',
  parts: [{ name: VENUE, upstreams: [kalshiHost] }],
  datasets: ['fills'],
  precedence: 10,
  grid_s: 60,
  follow: { group: 'feed' },
  typical: { requests: 120, rows: 100_000, bytes: 30_000_000 },
  plan,
  pull,
})

/** The due hours: of a follow, or an interval from 0 on, the newest ones; of any other interval its own. */
async function plan({ lake, at, from, to, includeOpen }: PlanContext): Promise<Unit[]> {
  const last = lastHour(source, at)
  const known = await storedHours(lake, source)
  if (!includeOpen && from > 0)
    return hoursLeft(source, known, { first: Math.max(from, FIRST_TRADE), end: Math.min(to, last + HOUR), at })
  const [begun = last - FIRST_BACK] = known.keys()
  return hoursLeft(source, known, { first: Math.max(begun, last - MOST_BACK), end: last + HOUR, at })
}

type Span = { from: Micros; to: Micros }

async function pull(unit: Unit, context: PullContext): Promise<PullResult> {
  const { get, at, until, stored, storedRows } = context
  const to = Math.min(until, unit.to ?? until)
  const before = await stored()
  // A settled hour is read whole, so that trades that the venue showed late are included.
  const isContinued = until <= at && before?.state === 'head' && before.to !== null
  const span = { from: isContinued ? Math.min(before.to ?? unit.from, to) : unit.from, to }
  const kept = isContinued ? await storedRows('fills', span.from) : []
  const reading: Reading = { fills: new Map(), rejected: new Map(), pages: 0 }
  await read(get, '/markets/trades', span, reading)
  const { trades_created_ts: cutoff } = await readCutoffs(get)
  if (cutoff > span.from) await read(get, '/historical/trades', span, reading)
  const lists = cutoff > span.from ? `live and archive, whose cutoff is ${isoMicros(cutoff)}` : 'live'
  return {
    rows: { fills: [...kept, ...reading.fills.values()] },
    rejected: [...reading.rejected.values()],
    to,
    state: 'complete',
    proof:
      `${lists}, cursors followed to their end, ${reading.pages} pages from ${isoMicros(span.from)}: ` +
      `${reading.fills.size} trades`,
  }
}

/** The trades of a span by their ids, so that a trade of both lists is stored once. */
type Reading = { fills: Map<string, NewRow<'fills'>>; rejected: Map<string, RejectedRow>; pages: number }

async function read(get: PullContext['get'], path: string, span: Span, reading: Reading): Promise<void> {
  const { min, max } = secondsAround(span)
  for await (const page of kalshiPages(get, path, { field: 'trades', min_ts: min, max_ts: max })) {
    reading.pages += 1
    for (const body of page) {
      const { success, data, error } = kalshiTrade.safeParse(body)
      const ts = success ? data.created_time : instantOf(body)
      if (ts !== null && (ts < span.from || ts >= span.to)) continue
      if (success) reading.fills.set(data.trade_id, toFill(data))
      else reading.rejected.set(JSON.stringify(body), { dataset: 'fills', path, reason: zodReason(error), body })
    }
  }
}

/** The instant of a trade that does not parse, if it has one: a trade beside the span is of another unit. */
function instantOf(body: unknown): Micros | null {
  const created = typeof body === 'object' && body !== null && 'created_time' in body ? body.created_time : null
  return typeof created === 'string' ? parseInstant(created) : null
}
