import { estimateOf, type Estimate, type Resampling } from './bootstrap.ts'
import { decilesOf, measure, scores, type Compared, type Measured, type Ranked, type Score } from './measures.ts'

/** The least number of eligible traders with results for any figure. */
export const LEAST_TRADERS = 30
/** The number of resamples of an interval, and their seed. */
export const resampling: Resampling = { n_resamples: 2_000, seed: 1 }

/** The number of traders that pass each condition of the list as of T. */
export type Funnel = { n_known: number; n_complete: number; n_proven: number; n_scored: number }
/** The number of markets open after T, and the number of them with fills read up to T + H or their resolution. */
export type Reach = { n_markets: number; n_covered: number }

/** The parameters; instants are ISO 8601. */
export type Evidence = { at: string; until: string; funnel: Funnel; reach: Reach; traders: readonly Ranked[] }

/** A figure of each score; null if undefined. Its bounds are null if it is undefined in a resample. */
export type Figures = Compared<Estimate | { value: number; lower: null; upper: null } | null>

export type Report = {
  at: string
  until: string
  funnel: Funnel
  reach: Reach
  n_eligible: number
  n_with_clv: number
  n_with_roi: number
  n_resamples: number
  /** Over the whole list, and over each kind of closing line value with enough traders. */
  spearman: { kind: string; n_traders: number; figures: Figures }[]
  top_decile_roi: { n_traders: number; figures: Figures } | null
  /** Mean realized closing line value in percentage points of each tenth by each score, the best first. */
  deciles: Record<Score, (number | null)[]> | null
  /** Sentences that name the missing figures and their reasons. */
  cannot: string[]
}

/** Reports the agreement of ranks as of T with results after T, if enough traders have results. */
export function report({ traders, ...of }: Evidence): Report {
  const withClv = traders.filter(({ realized_points }) => realized_points !== null)
  const n_with_roi = traders.filter(({ roi }) => roi !== null).length
  const counts = { n_eligible: traders.length, n_with_clv: withClv.length, n_with_roi }
  const measured = traders.length === 0 ? undefined : measure(traders, resampling)
  const isEnough = (n: number): boolean => n >= LEAST_TRADERS
  const kinds = [...new Set(withClv.map(({ kind }) => kind))].sort()
  const spearman = [
    ...(measured && isEnough(counts.n_with_clv) ? [group('all', counts.n_with_clv, measured)] : []),
    ...(kinds.length < 2 ? [] : kinds).flatMap((kind) => {
      const own = traders.filter((one) => one.kind === kind)
      const n_traders = own.filter(({ realized_points }) => realized_points !== null).length
      return isEnough(n_traders) ? [group(kind, n_traders, measure(own, resampling))] : []
    }),
  ]
  const top = measured && isEnough(n_with_roi) ? figuresOf(measured.top_decile_roi) : null
  return {
    ...of,
    ...counts,
    n_resamples: resampling.n_resamples,
    spearman,
    top_decile_roi: top && { n_traders: n_with_roi, figures: top },
    deciles: isEnough(counts.n_with_clv) ? known(decilesOf(traders)) : null,
    cannot: [...tooFew(of, counts), ...partly(of.reach), ...undefinedOf(traders, counts.n_with_clv, spearman, top)],
  }
}

const group = (kind: string, n_traders: number, { spearman }: Measured): Report['spearman'][number] => ({
  kind,
  n_traders,
  figures: figuresOf(spearman),
})

function figuresOf(sampled: Measured['spearman']): Figures {
  const figures = Object.entries(sampled).map(([name, sample]) => {
    const { value } = sample
    return [name, Number.isNaN(value) ? null : (estimateOf(sample) ?? { value, lower: null, upper: null })]
  })
  return Object.fromEntries(figures) as Figures
}

const known = (deciles: Record<Score, number[]>): Record<Score, (number | null)[]> => {
  const of = (score: Score): (number | null)[] => deciles[score].map((mean) => (Number.isNaN(mean) ? null : mean))
  return { clv: of('clv'), pnl: of('pnl'), win_rate: of('win_rate') }
}

type Numbers = Pick<Report, 'n_eligible' | 'n_with_clv' | 'n_with_roi'>

function tooFew(
  { at, until, funnel }: Pick<Report, 'at' | 'until' | 'funnel'>,
  { n_eligible, n_with_clv, n_with_roi }: Numbers,
): string[] {
  const { n_known, n_complete, n_proven, n_scored } = funnel
  const short = [
    { what: 'a known close of their fills', n: n_with_clv, so: 'closing line value has no figures' },
    { what: 'a resolved market that they entered', n: n_with_roi, so: 'returns have no figures' },
  ].filter(({ n }) => n < LEAST_TRADERS)
  if (short.length === 0) return []
  return [
    `Traders known as of ${at}: ${n_known}; of these with a complete history: ${n_complete}; of these with 20 fills and ` +
      `10 closed markets: ${n_proven}; of these with an effective sample of 10 events: ${n_scored}.`,
    ...short.map(
      ({ what, n, so }) =>
        `Eligible traders with ${what} between ${at} and ${until}: ${n} of ${n_eligible}. ${LEAST_TRADERS} are needed, ` +
        `${LEAST_TRADERS - n} more, so ${so}.`,
    ),
  ]
}

const partly = ({ n_markets, n_covered }: Reach): string[] =>
  n_covered === n_markets
    ? []
    : [
        `Markets open in the period whose fills were read to its end: ${n_covered} of ${n_markets}. Trades of the others ` +
          'are missing from the results.',
      ]

const names: Record<Score, string> = { clv: 'closing line value', pnl: 'PnL', win_rate: 'win rate' }

function undefinedOf(
  traders: readonly Ranked[],
  n_with_clv: number,
  spearman: Report['spearman'],
  top: Figures | null,
): string[] {
  const flat = scores.filter((score) => spearman.some(({ figures }) => figures[score] === null))
  const bare = [...spearman.map(({ figures }) => figures), ...(top === null ? [] : [top])].some((figures) =>
    Object.values(figures).some((figure) => figure !== null && figure.lower === null),
  )
  return [
    ...flat.map((score) => {
      const n_values = new Set(traders.map((one) => one.scores[score])).size
      return n_values === 1
        ? `All ${traders.length} traders have the same ${names[score]}, so it gives no ranks.`
        : `The ${n_with_clv} traders with results have no correlation with ${names[score]}: all traders of a group share its value.`
    }),
    ...(bare
      ? ['Figures without an interval are undefined in some resamples, since too few traders have a result.']
      : []),
  ]
}
