/** The rules that a bug may break. The text states `revised`; each of `planted` differs from it in one rule. */
export type Rules = {
  realized: 'at resolution' | 'at redemption'
  /** The close of a market for a trader that left before its resolution. */
  closedBy: 'last sale' | 'resolution'
  winsBy: 'life' | 'range'
  leastCost: number
  prices: 'book' | 'last trade'
  income: 'rewards and rebates' | 'all cash'
  sets: 'below a dollar' | 'at any price'
  setGap_s: number
  makerShare: number
  longshotShare: number
  wash: 'either half' | 'half of the partner'
  leastMatches: number
  takers: 'one' | 'any'
  /** Whom lists have beside the eligible traders. */
  listed: 'eligible' | 'wash-like too' | 'partial too' | 'unproven too'
  leastClosed: number
  leastClusters: number
  orderBy: 'served' | 'exact'
}

export const revised: Rules = {
  realized: 'at resolution',
  closedBy: 'last sale',
  winsBy: 'life',
  leastCost: 1e6,
  prices: 'book',
  income: 'rewards and rebates',
  sets: 'below a dollar',
  setGap_s: 60,
  makerShare: 0.7,
  longshotShare: 0.6,
  wash: 'either half',
  leastMatches: 3,
  takers: 'one',
  listed: 'eligible',
  leastClosed: 10,
  leastClusters: 10,
  orderBy: 'served',
}

/** A bug, and the table in which it must show. */
export type Planted = { name: string; table: string; rules: Rules }

const changes: readonly (readonly [table: string, name: string, change: Partial<Rules>])[] = [
  ['core.trader_markets', 'losses that wait for a redemption', { realized: 'at redemption' }],
  ['core.trader_markets', 'markets that close at their resolution alone', { closedBy: 'resolution' }],
  ['metrics.trader_results', 'wins by the result of the range', { winsBy: 'range' }],
  ['metrics.trader_results', 'markets of less than a dollar', { leastCost: 0 }],
  ['metrics.trader_balances', 'open shares at the last trade', { prices: 'last trade' }],
  ['metrics.trader_balances', 'deposits as income', { income: 'all cash' }],
  ['metrics.trader_traits', 'complete sets for a dollar', { sets: 'at any price' }],
  ['metrics.trader_traits', 'complete sets within 61 seconds', { setGap_s: 61 }],
  ['metrics.trader_traits', 'market makers above 0.7', { makerShare: 0.701 }],
  ['metrics.trader_traits', 'longshot hunters above 0.6', { longshotShare: 0.601 }],
  ['metrics.wash_shares', 'the former rule of wash trades', { wash: 'half of the partner' }],
  ['metrics.wash_shares', 'two matches with a partner', { leastMatches: 2 }],
  ['metrics.wash_shares', 'partners of transactions with two takers', { takers: 'any' }],
  ['marts.pm_traders', 'a list with wash-like traders', { listed: 'wash-like too' }],
  ['marts.pm_traders', 'a list with partial histories', { listed: 'partial too' }],
  ['marts.pm_traders', 'a list with unproven traders', { listed: 'unproven too' }],
  ['marts.pm_traders', 'a win rate of nine markets', { leastClosed: 9 }],
  ['marts.pm_traders', 'closing line value of five clusters', { leastClusters: 5 }],
  ['marts.pm_traders', 'ranks by fractions of a cent', { orderBy: 'exact' }],
  ['marts.pm_wallet', 'profiles at the last trade', { prices: 'last trade' }],
  ['marts.pm_wallet', 'profiles by the former rule of wash trades', { wash: 'half of the partner' }],
]

export const planted: readonly Planted[] = changes.map(([table, name, change]) => ({
  name,
  table,
  rules: { ...revised, ...change },
}))
