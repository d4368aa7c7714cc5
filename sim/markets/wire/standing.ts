import type { Market } from '#sim/markets/types.ts'

/** The state of a market's oracle at an instant. */
export type Standing = 'open' | 'closed' | 'proposed' | 'disputed' | 'resolved'

export function standingOf(market: Market, now_s: number): Standing {
  if (market.kind === 'legacy') return 'closed'
  if (now_s >= market.resolvedAt_s) return 'resolved'
  if (market.disputedAt_s !== null && now_s >= market.disputedAt_s) return 'disputed'
  if (now_s >= market.proposedAt_s) return 'proposed'
  return now_s >= market.closedAt_s ? 'closed' : 'open'
}
