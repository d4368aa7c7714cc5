import { bootstrap, difference, type Resampling, type Sampled } from './bootstrap.ts'
import { correlationOfRanks, meansOfParts, midRanks, rankingOf, type Counts, type Ranking } from './ranking.ts'

/** What traders are ranked by: closing line value, and the two that people use without it. */
export const scores = ['clv', 'pnl', 'win_rate'] as const
export type Score = (typeof scores)[number]

/** A trader who was eligible for the list as of T: the scores of then, and what came after, as far as it is known. */
export type Ranked = {
  trader: string
  /** The kind of the closing line value, of then and of after. */
  kind: string
  scores: Record<Score, number>
  /** The closing line value of what was traded after T, in percentage points; null where no close is known. */
  realized_points: number | null
  /** What the markets that were entered after T and have resolved paid, over what was paid in; null without any. */
  roi: number | null
}

/** A figure of each score, and by how much that of closing line value is above the others. */
export type Compared<T> = Record<Score | 'clv_minus_pnl' | 'clv_minus_win_rate', T>

export type Measured = { spearman: Compared<Sampled>; top_decile_roi: Compared<Sampled> }

/**
 * How well each score told what came after: Spearman's rank correlation with the realized closing line value, over those
 * who have one, and the mean return of the tenth of all that the score ranked highest. Resampled by trader, the same
 * draws for all figures.
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

/** The mean realized closing line value of each tenth of the traders by each score, the best first; NaN where unknown. */
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
    throw new Error('a figure for each score is expected')
  return {
    clv,
    pnl,
    win_rate,
    clv_minus_pnl: difference(clv, pnl),
    clv_minus_win_rate: difference(clv, win_rate),
  }
}
