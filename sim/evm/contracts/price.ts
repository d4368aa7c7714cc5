/** The square root of a whole number, rounded down. */
export function rootOf(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/**
 * The price of a pool with these amounts of its two tokens, as Uniswap V3 and V4 write it: a root of 96 binary places.
 */
export const sqrtPriceX96 = (amount0: bigint, amount1: bigint): bigint => rootOf((amount1 << 192n) / amount0)

/** Dollars as raw units of the dollar token, and amounts of other tokens as raw units of 18 decimals. */
export const rawDollars = (usd: number): bigint => BigInt(Math.round(usd * 1e6))
export const rawTokens = (amount: number): bigint => BigInt(Math.round(amount * 1e9)) * 1_000_000_000n

/** The amount out of a pool of V2, as its contract computes it. */
export function v2Out(amount: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  const taxed = amount * 997n
  return (taxed * reserveOut) / (reserveIn * 1_000n + taxed)
}
