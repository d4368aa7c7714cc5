import { z } from 'zod'

const sizes = ['short', 'full', 'long'] as const
const sizeShape = z.enum(sizes, { error: () => `PROOF: unknown size; expected one of ${sizes.join(', ')}` })

/** The size of this run. */
const size = sizeShape.default('short').parse(process.env['PROOF'])

/**
 * The size of a proof or a long property: worlds, kills, runs, seconds. `npm test` runs the short form, `.ci/run` the
 * full form (`PROOF=full`), `npm run soak -- proofs` the long form.
 *
 * A proof asserts the same in each form. The full form has the size that finds all planted bugs.
 */
export const sized = <T>(short: T, full: T, long = full): T => ({ short, full, long })[size]

/**
 * The tolerance of a bound on a rate with `n` trials, a `part` of those of the largest form: two standard errors minus
 * those of the largest form. It is zero in the largest form.
 */
export const slack = (bound: number, { n, part }: { n: number; part: number }): number =>
  2 * Math.sqrt((bound * (1 - bound)) / n) * (1 - Math.sqrt(part))
