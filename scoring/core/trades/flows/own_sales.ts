import type { SwapFact, TransferFact } from './facts.ts'

/** A row between two logs, both exclusive. */
type Sale = { after: number; before: number }

/**
 * Whether a row is of a sale that a token makes for itself. The contract of a taxed token collects tokens, and sells
 * them inside the transfer of a wallet that sells: it swaps, and often unwraps or adds liquidity, before it logs that
 * transfer. What came out belongs to the contract. A sale begins with a Transfer from the token itself to a pool, and
 * ends before the next Transfer of that token by another sender. If that is a pool, or if there is none, no wallet sold.
 * Some tokens log the transfer first: their sale ends before the second swap of the pool, which is that of the wallet.
 */
export function ownSalesOf(
  swaps: readonly SwapFact[],
  tokens: readonly TransferFact[],
): (row: { log_index: number }) => boolean {
  if (!tokens.some(({ sender, token }) => sender === token)) return () => false
  const sales = salesOf(swaps, tokens)
  return ({ log_index }) => {
    let [low, high] = [0, sales.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sales[middle]?.after ?? 0) < log_index) high = middle
      else low = middle + 1
    }
    return log_index < (sales[low]?.before ?? Number.NEGATIVE_INFINITY)
  }
}

/** The sales of tokens for themselves, the last one first. Sales that overlap are one. */
function salesOf(swaps: readonly SwapFact[], tokens: readonly TransferFact[]): Sale[] {
  const pools = new Set(swaps.map(({ pool }) => pool))
  const left = swaps.toSorted((a, b) => a.log_index - b.log_index)
  // What follows the row: the next sender of each token but itself, and the next two swaps of each pool.
  const senders = new Map<string, TransferFact>()
  const swapped = new Map<string | null, { first: number; second: number }>()
  const sales: Sale[] = []
  for (const row of tokens.toReversed()) {
    for (let swap = left.at(-1); swap !== undefined && swap.log_index > row.log_index; swap = left.at(-1)) {
      const second = swapped.get(swap.pool)?.first ?? Number.POSITIVE_INFINITY
      swapped.set(swap.pool, { first: swap.log_index, second })
      left.pop()
    }
    const next = senders.get(row.token)
    if (row.sender !== row.token) senders.set(row.token, row)
    else if (pools.has(row.recipient) && next !== undefined && !pools.has(next.sender)) {
      let before = Math.min(next.log_index, swapped.get(row.recipient)?.second ?? Number.POSITIVE_INFINITY)
      for (let last = sales.at(-1); last !== undefined && last.after < before; last = sales.at(-1)) {
        before = Math.max(before, last.before)
        sales.pop()
      }
      sales.push({ after: row.log_index, before })
    }
  }
  return sales
}
