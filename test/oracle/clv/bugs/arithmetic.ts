import type { Bug } from './prices.ts'

/** The shrinkage's arithmetic; all else is SQL. */
const arithmetic = 'shrinkage.ts'
const summary = 'summarize.ts'
const prior = 'prior.ts'
const rates = 'discovery_rates.ts'
const line = 'line.ts'
const student = 'student.ts'

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
  {
    what: 'the variance of skill weighs by precision',
    in: prior,
    from: 'sum(residuals, ({ square, free, v }) => square - free * v) / n_free',
    to: '(sum(residuals, ({ square, v }) => square / v) - n_free) / sum(residuals, ({ v }) => 1 / v)',
  },
  { what: 'the variance of skill may be 0', in: prior, from: 'Math.max(moment, error)', to: 'Math.max(moment, 0)' },
  {
    what: 'the variance of skill does not know what the line takes up',
    in: prior,
    from: 'free: 1 - leverage',
    to: 'free: 1',
  },
  {
    what: 'all roles have one variance',
    in: prior,
    from: 'if (members.length < FITTED_TRADERS) continue',
    to: 'if (members.length > 0) continue',
  },
  { what: 'all samples have one variance', in: prior, from: 'PARTS = 5', to: 'PARTS = 1' },
  { what: 'a part has fewer traders', in: prior, from: 'PART_TRADERS = 30', to: 'PART_TRADERS = 20' },
  { what: 'small samples decide about roles', in: prior, from: 'FITTED_CLUSTERS = 10', to: 'FITTED_CLUSTERS = 2' },
  { what: 'makers are as takers', in: line, from: 'LEAST_SQUARES = 1', to: 'LEAST_SQUARES = 1e9' },
  { what: 'the means of roles weigh the same', in: prior, from: '1 / (at(means, place).v + at(tau2, place))', to: '1' },
  { what: 'sides are no matter', in: arithmetic, from: 'maker_share * both_sides_share', to: 'maker_share * 0' },
  { what: 'inventory is no matter', in: arithmetic, from: 'maker_share * (1 - net_share)', to: 'maker_share * 0' },
  { what: 'scores are not shrunk', in: arithmetic, from: 'trust * (raw_points', to: '(raw_points' },
  { what: 'the error is not shrunk', in: arithmetic, from: 'Math.sqrt(trust * v + (1', to: 'Math.sqrt(v + (1' },
  { what: 'the mean of a role is certain', in: arithmetic, from: '(1 - trust) ** 2 * mu_variance', to: '0' },
  {
    what: 'skill is what exceeds 0',
    in: arithmetic,
    from: 'Math.max(0, mu_points),\n    skill_se',
    to: '0,\n    skill_se',
  },
  {
    what: 'tests are against 0',
    in: arithmetic,
    from: 'raw_points - Math.max(0, mu_points), mu',
    to: 'raw_points, mu',
  },
  {
    what: 'tails are normal',
    in: student,
    from: '(8 * degrees + 1) / (8 * degrees + 3)',
    to: '(8 * degrees + 3) / (8 * degrees + 3)',
  },
  { what: 'rates are of single tests', in: rates, from: '(candidate.p * ranked.length) / rank', to: 'candidate.p' },
  { what: 'rates do not rise', in: rates, from: 'Math.min(rate, (candidate.p', to: 'Math.min(1, (candidate.p' },
  { what: 'rates are of all traders', in: rates, from: 'LARGE = 20', to: 'LARGE = 10' },
  { what: 'two kinds are two chances', in: rates, from: 'chances.length * Math.min', to: 'Math.min' },
  {
    what: 'a trader is tested by starts where there are ten of them, as it was',
    in: rates,
    from: '.map(chanceOf)',
    to: '.slice(0, 1).map(chanceOf)',
  },
]
