import { estimateOf, type Estimate, type Resampling, type Sampled } from './bootstrap.ts'
import { measure, type Ranked } from './measures.ts'
import { nameOf, scores, targetOf, targets, type Compared, type Score, type Target } from './scores.ts'

/** The least number of eligible traders with results for any figure. */
export const LEAST_TRADERS = 30
/** The number of resamples of an interval, and their seed. */
export const resampling: Resampling = { n_resamples: 1_000, seed: 1 }

/** The number of traders that pass each condition of the list as of T. */
export type Funnel = { n_known: number; n_complete: number; n_proven: number; n_scored: number }
/** The number of markets open after T, and the number of them with fills read up to T + H or their resolution. */
export type Reach = { n_markets: number; n_covered: number }

/** A test of the closes of a kind as of T that is not held, and the figures that are off. */
export type GuardState = { kind: string; state: string; reason: string | null }

/** The parameters; instants are ISO 8601. `world` is `real` or the name of a simulated one. */
export type Evidence = {
  at: string
  until: string
  world: string
  funnel: Funnel
  reach: Reach
  guards: readonly GuardState[]
  traders: readonly Ranked[]
}

/** A figure of each score; null if undefined. Its bounds are null if it is undefined in a resample. */
export type Figures = Compared<Estimate | { value: number; lower: null; upper: null } | null>

/** The figures of a kind of closing line value, of `all` traders, of `takers` or `makers`, for one later result. */
export type Group = { kind: string; target: Target; n_traders: number; spearman: Figures; top_decile: Figures }

export type Report = {
  at: string
  until: string
  world: string
  funnel: Funnel
  reach: Reach
  guards: readonly GuardState[]
  n_eligible: number
  n_with: Record<Target, number>
  n_resamples: number
  /** Over the whole list and over each kind, for each result that enough traders have. */
  groups: Group[]
  /** Sentences that name the missing figures and their reasons. */
  cannot: string[]
}

/** Reports the agreement of ranks as of T with results after T, if enough traders have results. */
export function report({ traders, ...period }: Evidence): Report {
  const n_with = countsOf(traders)
  const kinds = [...new Set(traders.map(({ kind }) => kind))].sort()
  const groups = [
    ...groupsOf('all', traders),
    ...(kinds.length < 2 ? [] : kinds).flatMap((kind) =>
      groupsOf(
        kind,
        traders.filter((trader) => trader.kind === kind),
      ),
    ),
    // Makers earn half a spread and takers pay it, so that a rank of both may tell only these apart.
    ...(new Set(traders.map(({ isTaker }) => isTaker)).size < 2 ? [] : [true, false]).flatMap((isTaker) =>
      groupsOf(
        isTaker ? 'takers' : 'makers',
        traders.filter((trader) => trader.isTaker === isTaker),
      ),
    ),
  ]
  return {
    ...period,
    n_eligible: traders.length,
    n_with,
    n_resamples: resampling.n_resamples,
    groups,
    cannot: [
      ...guardsOf(period.guards),
      ...tooFew(period, traders.length, n_with),
      ...partly(period.reach),
      ...undefinedOf(traders, groups),
    ],
  }
}

const guardsOf = (guards: readonly GuardState[]): string[] =>
  guards.map(({ kind, state, reason }) =>
    state === 'broken'
      ? `The closes of ${kind} are not trusted as of T, so that no trader is listed by them: ${reason ?? ''}.`
      : `The guard of ${kind} is ${state} as of T: ${reason ?? ''}.`,
  )

const countsOf = (traders: readonly Ranked[]): Record<Target, number> => ({
  payout: traders.filter(({ payout }) => payout.length > 0).length,
  clv: traders.filter(({ clv }) => clv.length > 0).length,
  roi: traders.filter(({ roi }) => roi !== null).length,
})

function groupsOf(kind: string, traders: readonly Ranked[]): Group[] {
  const n_with = countsOf(traders)
  const enough = targets.filter((target) => n_with[target] >= LEAST_TRADERS)
  if (enough.length === 0) return []
  const measured = measure(traders, resampling)
  return enough.map((target) => ({
    kind,
    target,
    n_traders: n_with[target],
    spearman: figuresOf(measured[target].spearman),
    top_decile: figuresOf(measured[target].top_decile),
  }))
}

function figuresOf(sampled: Compared<Sampled>): Figures {
  const figures = Object.entries(sampled).map(([name, sample]) => {
    const { value } = sample
    return [name, Number.isNaN(value) ? null : (estimateOf(sample) ?? { value, lower: null, upper: null })]
  })
  return Object.fromEntries(figures) as Figures
}

const had: Record<Target, string> = {
  payout: 'a resolved market of their fills',
  clv: 'a known close of their fills',
  roi: 'a resolved market that they entered',
}

function tooFew(
  { at, until, funnel }: Pick<Report, 'at' | 'until' | 'funnel'>,
  n_eligible: number,
  n_with: Record<Target, number>,
): string[] {
  const { n_known, n_complete, n_proven, n_scored } = funnel
  const short = targets.filter((target) => n_with[target] < LEAST_TRADERS)
  if (short.length === 0) return []
  return [
    `Traders known as of ${at}: ${n_known}; of these with a complete history: ${n_complete}; of these with 20 fills and ` +
      `10 closed markets: ${n_proven}; of these with an effective sample of 10 clusters: ${n_scored}.`,
    ...short.map(
      (target) =>
        `Eligible traders with ${had[target]} between ${at} and ${until}: ${n_with[target]} of ${n_eligible}. ` +
        `${LEAST_TRADERS} are needed, ${LEAST_TRADERS - n_with[target]} more, so the ${targetOf[target].name} has no figures.`,
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

function undefinedOf(traders: readonly Ranked[], groups: readonly Group[]): string[] {
  const flat = scores.filter((score) => groups.some(({ spearman }) => spearman[score] === null))
  const bare = groups
    .flatMap(({ spearman, top_decile }) => [...Object.values(spearman), ...Object.values(top_decile)])
    .some((figure) => figure !== null && figure.lower === null)
  return [
    ...flat.map((score) => sameOf(score, traders)),
    ...(bare
      ? ['Figures without an interval are undefined in some resamples, since too few traders have a result.']
      : []),
  ]
}

function sameOf(score: Score, traders: readonly Ranked[]): string {
  const n_values = new Set(traders.map((trader) => trader.scores[score])).size
  return n_values === 1
    ? `All ${traders.length} traders have the same ${nameOf[score]}, so it gives no ranks.`
    : `A group of traders has no correlation with ${nameOf[score]}: all of them share its value.`
}
