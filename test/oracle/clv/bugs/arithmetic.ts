import type { Bug } from './prices.ts'

/** The shrinkage's arithmetic; all else is SQL. */
const arithmetic = 'shrinkage.ts'
const summary = 'summarize.ts'
const prior = 'prior.ts'
const rates = 'discovery_rates.ts'
export const arithmetics: readonly string[] = [arithmetic, summary, prior, rates]

/** Bugs in the shrinkage. */
export const arithmeticBugs: Bug[] = [
  { what: 'nothing is winsorised', in: summary, from: 'const CAP_SHARE = 0.95', to: 'const CAP_SHARE = 1' },
  {
    what: 'n_eff is the number of clusters',
    in: summary,
    from: 'n_eff: (sum * sum) / squares',
    to: 'n_eff: n',
  },
  { what: 'the variance within has no n - 1', in: summary, from: 'n < 2 ? 0 : n / (n - 1)', to: 'n < 2 ? 0 : 1' },
  {
    what: 'the variance within pools all traders',
    in: arithmetic,
    from: 'POOLED_CLUSTERS = 10',
    to: 'POOLED_CLUSTERS = 2',
  },
  {
    what: 'the variance within needs one cluster more',
    in: arithmetic,
    from: 'POOLED_CLUSTERS = 10',
    to: 'POOLED_CLUSTERS = 11',
  },
  {
    what: 'the variance within is pooled with other weights',
    in: arithmetic,
    from: 'n_eff * n_eff * variance',
    to: 'n_eff * variance',
  },
  {
    what: 'the variance within is not corrected for uneven weights',
    in: summary,
    from: 'unbiased * (spread / (sum * sum * squares))',
    to: 'unbiased * (1 - squares / (sum * sum))',
  },
  {
    what: 'all prices have one noise',
    in: summary,
    from: 'price_variance: total(({ price_variance }, weight) => weight * weight * price_variance) / squares',
    to: 'price_variance: 0.25',
  },
  { what: 'noise is the prices’ alone', in: arithmetic, from: 'if (freedom < 1e-6)', to: 'if (true)' },
  { what: 'noise is more shrunk', in: arithmetic, from: 'PRIOR_CLUSTERS = 4', to: 'PRIOR_CLUSTERS = 10' },
  { what: 'tau2 may be below 0', in: prior, from: ': Math.max(0, (', to: ': ((' },
  { what: 'tau2 takes J for J - 1', in: prior, from: '(isSloped ? 2 : 1)', to: '(isSloped ? 1 : 0)' },
  {
    what: 'makers are as takers',
    in: prior,
    from: 'const isSloped = means.length',
    to: 'const isSloped = -means.length',
  },
  { what: 'the line weighs by the variance within alone', in: prior, from: '1 / (v + tau2)', to: '1 / (v + 0 * tau2)' },
  { what: 'the line takes up no weight', in: prior, from: '(fixed.weights - taken)', to: 'fixed.weights' },
  { what: 'scores are not shrunk', in: arithmetic, from: 'trust * (trader', to: '(trader' },
  { what: 'the error is not shrunk', in: arithmetic, from: 'Math.sqrt(trust * trader.v)', to: 'Math.sqrt(trader.v)' },
  { what: 'rates are of single tests', in: rates, from: '(candidate.p * ranked.length) / rank', to: 'candidate.p' },
  { what: 'rates do not rise', in: rates, from: 'Math.min(rate, (candidate.p', to: 'Math.min(1, (candidate.p' },
  { what: 'rates are of all traders', in: rates, from: 'LARGE = 20', to: 'LARGE = 10' },
]
