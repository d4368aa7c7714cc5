import { millionths, parseDecimal, times, type Decimal } from '#ingest/parse/decimals.ts'

import { isMore } from './types.ts'

/**
 * The two notations of amounts in histories of accounts: decimal numbers such as `25.5`, and in older responses raw
 * integers such as `25500000`. A history has one notation.
 */
export type Notation = 'decimal' | 'raw'

/** A smaller whole number is never read as raw: 100,000 raw units are a tenth of a dollar. */
const LEAST_RAW = 100_000

/**
 * Finds the notation of a history by the amounts of all its rows, as they were written. Others than numbers do not
 * count.
 */
export function openNotation() {
  let [isWhole, isLarge] = [true, false]
  return {
    add: (amounts: readonly (string | number)[]): void => {
      for (const text of amounts.map(String)) {
        if (parseDecimal(text) === null) continue
        if (!/^\d+$/.test(text)) isWhole = false
        else if (Number(text) >= LEAST_RAW) isLarge = true
      }
    },
    notation: (): Notation => (isWhole && isLarge ? 'raw' : 'decimal'),
  }
}

/** The cash and the shares of a fill, in dollars and shares. */
export type Amounts = { cash: Decimal; size: Decimal }

/**
 * The amounts of a fill in the notation of its history, checked with its price. If they contradict the price, the cash
 * or the shares alone may be in the other notation. Null if no reading agrees with the price. Without a price, the
 * history decides.
 */
export function amountsOf(
  { cash, size, price }: { cash: Decimal; size: Decimal; price: Decimal | null },
  notation: Notation,
  decimals: number,
): Amounts | null {
  const raw = (amount: Decimal): Decimal => ({ units: amount.units, places: amount.places + decimals })
  const mayBeRaw = (amount: Decimal): boolean => amount.places === 0 && isMore(amount, LEAST_RAW - 1)
  const readings: Amounts[] = [
    notation === 'raw' ? { cash: raw(cash), size: raw(size) } : { cash, size },
    ...(mayBeRaw(cash) ? [{ cash: raw(cash), size }] : []),
    ...(mayBeRaw(size) ? [{ cash, size: raw(size) }] : []),
  ]
  return readings.find((reading) => price === null || isNear(reading, price)) ?? null
}

/** Fees are a few per cent and prices are rounded, while the notations differ by orders of magnitude. */
const isNear = ({ cash, size }: Amounts, price: Decimal): boolean => {
  const [moved, atPrice] = [millionths(cash), millionths(times(size, price))]
  const difference = moved > atPrice ? moved - atPrice : atPrice - moved
  return difference * 2n <= (moved > atPrice ? moved : atPrice) || difference <= 20_000n
}

/** An amount of a history, in its notation. */
export const amountIn = (value: string | number, notation: Notation, decimals: number): Decimal | null => {
  const parsed = parseDecimal(value)
  if (parsed === null || parsed.units < 0n) return null
  return notation === 'raw' ? { units: parsed.units, places: parsed.places + decimals } : parsed
}
