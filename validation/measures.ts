import { bootstrap, difference, type Resampling, type Sampled } from './bootstrap.ts'
import { correlationOfRanks, meansOfParts, midRanks, rankingOf, type Counts } from './ranking.ts'
import { rivals, scores, targets, type Compared, type Score, type Target } from './scores.ts'

/** The result of a trader's fills in a cluster: the mean in percentage points, and its weight in US dollars. */
export type Cell = { cluster: number; points: number; weight: number }

/** An eligible trader as of T: the scores at T, and the known later results. */
export type Ranked = {
  trader: string
  /** The kind of closing line value, at T and later. */
  kind: string
  /** Whether the trader's role is that of a taker; all others mostly rest orders. */
  isTaker: boolean
  scores: Record<Score, number>
  /** The payout minus the price of the fills after T, by cluster; empty without a resolved market. */
  payout: readonly Cell[]
  /** The closing line value of the fills after T, by cluster; empty without a known close. */
  clv: readonly Cell[]
  /** The return of the markets that were entered after T and have resolved; null without any. */
  roi: number | null
}

/** Spearman's rank correlation of each score with a result, and the mean result of the tenth that it ranked highest. */
export type Measured = { spearman: Compared<Sampled>; top_decile: Compared<Sampled> }

/**
 * The predictive power of each score for each later result. Traders and clusters are resampled, with the same draws for
 * all figures: traders of one market, and events of one day, share their news.
 */
export function measure(traders: readonly Ranked[], resampling: Resampling): Record<Target, Measured> {
  const rankings = scores.map((score) => rankingOf(Float64Array.from(traders, (trader) => trader.scores[score])))
  const n_clusters = 1 + Math.max(-1, ...traders.flatMap(({ payout, clv }) => [...payout, ...clv]).map(clusterOf))
  const figures = (counts: Counts, clusters: Counts): number[] =>
    targets.flatMap((target) => {
      const came = Float64Array.from(traders, (trader) => resultOf(trader, target, clusters))
      const validCounts = counts.map((count, row) => (Number.isNaN(came[row]) ? 0 : count))
      const ranks = midRanks(rankingOf(came), validCounts)
      return [
        ...rankings.map((ranking) => correlationOfRanks(midRanks(ranking, validCounts), ranks, validCounts)),
        ...rankings.map((ranking) => meansOfParts(ranking, counts, came, 10)[0] ?? Number.NaN),
      ]
    })
  const sampled = bootstrap(traders.length, figures, resampling, n_clusters)
  const n = scores.length
  const measureTarget = (target: Target): Measured => {
    const first = 2 * n * targets.indexOf(target)
    return {
      spearman: compare(sampled.slice(first, first + n)),
      top_decile: compare(sampled.slice(first + n, first + 2 * n)),
    }
  }
  return { payout: measureTarget('payout'), clv: measureTarget('clv'), roi: measureTarget('roi') }
}

const clusterOf = ({ cluster }: Cell): number => cluster

/** A trader's later result, with clusters as often as they are drawn; NaN if it is unknown. */
export function resultOf(trader: Ranked, target: Target, clusters: Counts): number {
  if (target === 'roi') return trader.roi ?? Number.NaN
  let [sum, weights] = [0, 0]
  for (const { cluster, points, weight } of trader[target]) {
    const drawn = (clusters[cluster] ?? 0) * weight
    sum += drawn * points
    weights += drawn
  }
  return weights === 0 ? Number.NaN : sum / weights
}

function compare(sampled: readonly Sampled[]): Compared<Sampled> {
  const figureOf = (score: Score): Sampled => {
    const figure = sampled[scores.indexOf(score)]
    if (figure === undefined) throw new Error('figures: incomplete; expected a figure for each score')
    return figure
  }
  return Object.fromEntries([
    ...scores.map((score) => [score, figureOf(score)]),
    ...rivals.map((rival) => [`clv_minus_${rival}`, difference(figureOf('clv'), figureOf(rival))]),
  ]) as Compared<Sampled>
}
