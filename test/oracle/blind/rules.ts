/** The rules that a bug may break. The text states `revised`; each of `planted` differs from it in one rule. */
export type Rules = {
  /** The unit of the threshold of a close: shares, or US dollars at the later price of the token. */
  threshold: 'shares' | 'usd'
  leastTakers: number
  /** By which instant of a fill a range takes it. */
  rangeBy: 'close' | 'trade'
  clusterBy: 'day' | 'event'
  guards: 'act' | 'ignored'
  /** Whether the trader's own fills are left out of the close. */
  ownFills: 'left out' | 'counted'
  midpoints: 'fallback' | 'none' | 'of any age' | 'of two sides'
  earlyEnds: 'kept' | 'dropped'
  /** The clusters for which the noise of the prices counts. */
  priorWeight: number
  isCapped: boolean
  prior: 'line' | 'mean'
  /** How the variance of skill is estimated: by parts of a role, each trader alike; by the role; or by 1 / v. */
  variance: 'alike' | 'of the role' | 'by precision'
  skill: 'beyond the role' | 'beyond 0'
  guardNews: 'days' | 'close'
}

export const revised: Rules = {
  threshold: 'shares',
  leastTakers: 3,
  rangeBy: 'close',
  clusterBy: 'day',
  guards: 'act',
  ownFills: 'left out',
  midpoints: 'fallback',
  earlyEnds: 'kept',
  priorWeight: 4,
  isCapped: true,
  prior: 'line',
  variance: 'alike',
  skill: 'beyond the role',
  guardNews: 'days',
}

export type Planted = { name: string; rules: Rules }

const changes: readonly (readonly [name: string, change: Partial<Rules>])[] = [
  ['a threshold of 100 US dollars at the later price', { threshold: 'usd' }],
  ['ranges by the instant of the trade', { rangeBy: 'trade' }],
  ['clusters by event', { clusterBy: 'event' }],
  ['guards that nothing reads', { guards: 'ignored' }],
  ['one taker makes a close', { leastTakers: 1 }],
  ["the trader's own fills in the close", { ownFills: 'counted' }],
  ['no midpoint where others did not trade', { midpoints: 'none' }],
  ['midpoints of any age', { midpoints: 'of any age' }],
  ['no midpoint where the book has one side', { midpoints: 'of two sides' }],
  ['markouts without markets that end early', { earlyEnds: 'dropped' }],
  ['a prior of the noise that counts 10 clusters', { priorWeight: 10 }],
  ['a bet of any weight', { isCapped: false }],
  ['a variance of skill by precision', { variance: 'by precision' }],
  ['skill that is what exceeds 0', { skill: 'beyond 0' }],
  ['one prior for makers and takers', { prior: 'mean' }],
  ['guards by the days of closes alone', { guardNews: 'close' }],
]

export const planted: readonly Planted[] = changes.map(([name, change]) => ({ name, rules: { ...revised, ...change } }))
