import { millionths, type Decimal } from '#ingest/parse/decimals.ts'
import type { NewRow, PlanContext } from '#ingest/source.ts'
import type { Micros } from '#time.ts'

export const HOUR = 3_600_000_000
/** Nothing happened before. 2026-01-01T00:00:00Z */
export const begin: Micros = Date.UTC(2026, 0) * 1000

/** The hours of an interval that have begun. */
export function hoursOf({ from, to, at }: PlanContext): { from: Micros; to: Micros }[] {
  const hours = []
  const first = Math.max(begin, from - (from % HOUR))
  for (let hour = first; hour < Math.min(to, at); hour += HOUR) hours.push({ from: hour, to: hour + HOUR })
  return hours
}

export const quoteRow = ({ name, ts, bid }: { name: string; ts: Micros; bid: Decimal }): NewRow<'quotes'> => ({
  market_id: `planted:${name}`,
  ts,
  period_s: 0,
  venue: 'planted',
  bid: millionths(bid),
  ask: null,
  last: null,
  size: null,
  volume_24h_usd: null,
  size_24h: null,
  venue_price: null,
  liquidity_usd: null,
})

/** The rows of the upstream in an hour, by its first second: a name that is not ASCII, a second and a price. */
export const truthOf = (from_s: number): { name: string; ts: number; bid: string }[] =>
  [0, 1, 2, 3].map((n) => ({ name: `café-${n}`, ts: from_s + n * 600, bid: `0.${40 + n}` }))

/** An hour of five has a row that does not parse. */
export const isBroken = (from_s: number): boolean => (from_s / 3600) % 5 === 0
/** A call of this hour is answered by an error that shows the key. */
export const badHour_s = begin / 1_000_000 + 6 * 3600
