import type { PoolSwap } from '#sim/evm/types.ts'

/** Millionths of a US dollar for an amount of a token at an instant; null if it has no price then. */
export type TruePrices = (token: string, amount: bigint, at_s: number) => bigint | null

const bin_s = 300
const valid_s = 86_400
/** Swaps below 10 US dollars say nothing of a price. */
const least_usd = 10_000_000n

/** The amount swapped in five minutes, and the dollars paid for it. */
type Bin = { start_s: number; paid: bigint; amount: bigint }

/**
 * Prices by the rule of scoring: a dollar is a dollar; any other token has the price of the last five minutes in which
 * it was swapped for dollars, weighted by volume, for a day. The native coin and the gift of an airdrop are priced so.
 * Their prices move by little within five minutes, so no swap of them is an outlier.
 */
export function truePrices(swaps: readonly PoolSwap[], dollar: string): TruePrices {
  const byToken = new Map<string, Bin[]>()
  for (const { ts_s, token_in, token_out, amount_in, amount_out } of swaps) {
    if (token_in !== dollar && token_out !== dollar) continue
    const [token, amount, paid] =
      token_in === dollar ? [token_out, amount_out, amount_in] : [token_in, amount_in, amount_out]
    if (paid < least_usd) continue
    const bins = byToken.get(token) ?? []
    byToken.set(token, bins)
    const start_s = ts_s - (ts_s % bin_s)
    const last = bins.at(-1)
    if (last?.start_s === start_s) {
      last.paid += paid
      last.amount += amount
    } else bins.push({ start_s, paid, amount })
  }
  return (token, amount, at_s) => {
    if (token === dollar) return amount
    const bin = byToken.get(token)?.findLast(({ start_s }) => start_s <= at_s)
    if (bin === undefined || at_s >= bin.start_s + valid_s) return null
    return rounded(amount * bin.paid, bin.amount)
  }
}

/** A quotient of whole numbers, rounded half to even. */
export function rounded(dividend: bigint, divisor: bigint): bigint {
  const [quotient, rest] = [dividend / divisor, dividend % divisor]
  const twice = 2n * (rest < 0n ? -rest : rest)
  const isUp = twice > divisor || (twice === divisor && quotient % 2n !== 0n)
  return isUp ? quotient + (dividend < 0n ? -1n : 1n) : quotient
}
