import { z } from 'zod'

import { quantity, type Decimal } from '#ingest/parse/decimals.ts'
import { kalshi } from '#registry/venues/kalshi.ts'

/** The venue, which is the part of every unit. */
export const VENUE = kalshi.id

/** The id of a market or event in the lake. */
export const idOf = (native: string): string => `${VENUE}:${native}`

/** The ticker of a market, given with or without its venue. */
export const nativeId = (id: string): string => (id.startsWith(`${VENUE}:`) ? id.slice(VENUE.length + 1) : id)

/** The tokens of a market. The venue has one contract with two sides, and no ids for them. */
export const tokensOf = (ticker: string): [yes: string, no: string] => [`${ticker}:yes`, `${ticker}:no`]

/** The series of a ticker of a market or event: `KXMLBGAME` of `KXMLBGAME-26AUG081610LAAMIA-MIA`. */
export const seriesOf = (ticker: string): string => ticker.split('-')[0] ?? ticker

/** Series, event and market, joined by dashes. */
export const ticker = z
  .string()
  .regex(/^[A-Z0-9][\w.+-]{0,199}$/i, 'expected a ticker of letters, digits, dots and dashes')

const CENTS = ['yes_bid', 'yes_ask', 'last_price', 'yes_price', 'no_price', 'settlement_value']
const COUNTS = ['count', 'volume_24h']

/**
 * A row of either generation of the wire under the names of the newer one. The older one has prices in cents, whole
 * contracts and `taker_side`. For months the venue sent both, so that the newer field counts where it is present.
 */
export const underNewNames = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null) return body
  const row: Record<string, unknown> = { ...body }
  for (const name of CENTS) {
    const cents = row[name]
    if (typeof cents === 'number') row[`${name}_dollars`] ??= `${cents}e-2`
  }
  for (const name of COUNTS) {
    const whole = row[name]
    row[`${name}_fp`] ??= typeof whole === 'number' ? String(whole) : whole
  }
  row['taker_outcome_side'] ??= bookSides[String(row['taker_book_side'])] ?? row['taker_side']
  return row
}

/** A bid in the book is always for YES. */
const bookSides: Record<string, 'yes' | 'no'> = { bid: 'yes', ask: 'no' }

/** Contracts with their fraction, which is a text. A number is another field under this name. */
export const contracts = z.string().pipe(quantity as z.ZodType<Decimal, string>)
