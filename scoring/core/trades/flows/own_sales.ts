import type { SwapFact } from './facts.ts'
import type { Movements, Span } from './movements.ts'

/**
 * The logs of sales that a token makes for itself. The contract of a taxed token collects tokens, and sells them inside
 * the transfer of a wallet that sells: it swaps, and often unwraps or adds liquidity, before it logs that transfer.
 * What came out belongs to the contract. A sale begins with a Transfer from the token itself to a pool, and ends before
 * the next Transfer of that token by another sender. If that is a pool, or if there is none, no wallet sold.
 */
export function ownSalesOf(swaps: readonly SwapFact[], { tokens }: Movements): Span[] {
  const pools = new Set(swaps.map(({ pool }) => pool))
  const spans: Span[] = []
  for (const { log_index, token, sender, recipient } of tokens) {
    if (sender !== token || !pools.has(recipient)) continue
    const next = tokens.find((row) => row.log_index > log_index && row.token === token && row.sender !== token)
    if (next === undefined || pools.has(next.sender)) continue
    spans.push({ after: log_index, upTo: next.log_index })
  }
  return spans
}
