import { bootstrap, difference, type Resampling, type Sampled } from './bootstrap.ts'
import { correlationOfRanks, meansOfParts, midRanks, rankingOf, type Counts, type Ranking } from './ranking.ts'

/** The scores: closing line value, and the two common alternatives. */
export const scores = ['clv', 'pnl', 'win_rate'] as const
export type Score = (typeof scores)[number]

/** An eligible trader as of T: the scores at T, and the known later results. */
export type Ranked = {
  trader: string
  /** The kind of closing line value, at T and later. */
  kind: string
  scores: Record<Score, number>
  /** The closing line value of the fills after T, in percentage points; null without a known close. */
  realized_points: number | null
  /** The return of the markets that were entered after T and have resolved; null without any. */
  roi: number | null
}

/** A figure of each score, and the difference between closing line value's figure and each other figure. */
export type Compared<T> = Record<Score | 'clv_minus_pnl' | 'clv_minus_win_rate', T>

export type Measured = { spearman: Compared<Sampled>; top_decile_roi: Compared<Sampled> }

/**
 * The predictive power of each score: Spearman's rank correlation with the realized closing line value, and the mean
 * return of the top decile of the score. The correlation uses traders with a known value. Traders are resampled, with
 * the same draws for all figures.
 */
export function measure(traders: readonly Ranked[], resampling: Resampling): Measured {
  const rankings = scores.map((score) => rankingOf(columnOf(traders, (one) => one.scores[score])))
  const realized = columnOf(traders, ({ realized_points }) => realized_points)
  const returns = columnOf(traders, ({ roi }) => roi)
  const outcome = rankingOf(realized)
  const figures = (counts: Counts): number[] => {
    const known = counts.map((count, row) => (Number.isNaN(realized[row]) ? 0 : count))
    const outcomeRanks = midRanks(outcome, known)
    return [
      ...rankings.map((ranking) => correlationOfRanks(midRanks(ranking, known), outcomeRanks, known)),
      ...rankings.map((ranking) => meansOfParts(ranking, counts, returns, 10)[0] ?? Number.NaN),
    ]
  }
  const sampled = bootstrap(traders.length, figures, resampling)
  return { spearman: compare(sampled.slice(0, 3)), top_decile_roi: compare(sampled.slice(3)) }
}

/** The mean realized closing line value of each tenth of the traders by each score, the best first; NaN if unknown. */
export function decilesOf(traders: readonly Ranked[]): Record<Score, number[]> {
  const realized = columnOf(traders, ({ realized_points }) => realized_points)
  const everyone = new Uint32Array(traders.length).fill(1)
  const of = (score: Score): number[] => {
    const ranking: Ranking = rankingOf(columnOf(traders, (one) => one.scores[score]))
    return meansOfParts(ranking, everyone, realized, 10)
  }
  return { clv: of('clv'), pnl: of('pnl'), win_rate: of('win_rate') }
}

const columnOf = (traders: readonly Ranked[], of: (trader: Ranked) => number | null): Float64Array =>
  Float64Array.from(traders, (trader) => of(trader) ?? Number.NaN)

function compare([clv, pnl, win_rate]: readonly Sampled[]): Compared<Sampled> {
  if (clv === undefined || pnl === undefined || win_rate === undefined)
    throw new Error('figures: incomplete; expected a figure for each score')
  return {
    clv,
    pnl,
    win_rate,
    clv_minus_pnl: difference(clv, pnl),
    clv_minus_win_rate: difference(clv, win_rate),
  }
}
