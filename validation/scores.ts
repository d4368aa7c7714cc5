/** The scores that are compared: closing line value, and its rivals. */
export const scores = ['clv', 'raw_clv', 'payout', 'roi', 'pnl', 'win_rate'] as const
export type Score = (typeof scores)[number]
export type Rival = Exclude<Score, 'clv'>
export const rivals = scores.filter((score): score is Rival => score !== 'clv')

/** A figure of each score, and the difference between closing line value's figure and each rival's. */
export type Compared<T> = Record<Score | `clv_minus_${Rival}`, T>

export const nameOf: Record<Score, string> = {
  clv: 'closing line value',
  raw_clv: 'raw closing line value',
  payout: 'shrunk payout edge',
  roi: 'shrunk ROI',
  pnl: 'raw PnL',
  win_rate: 'raw win rate',
}

/** The later results: the payout minus the price, the close minus the price, and the return of markets entered. */
export const targets = ['payout', 'clv', 'roi'] as const
export type Target = (typeof targets)[number]

export const targetOf: Record<Target, { name: string; unit: string; times: number }> = {
  payout: { name: 'payout edge', unit: 'points', times: 1 },
  clv: { name: 'realized closing line value', unit: 'points', times: 1 },
  roi: { name: 'return of markets entered', unit: '%', times: 100 },
}
