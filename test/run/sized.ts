import { z } from 'zod'

/**
 * The size of a long proof. `npm test` runs the short form; `PROOF=full` (as in `.ci/run`) runs the full form.
 *
 * A proof asserts the same in both forms. The full form covers more worlds, runs or seconds.
 */
export const sized = <T>(short: T, full: T): T => (isFull ? full : short)

const sizeShape = z.enum(['short', 'full'], { error: () => 'PROOF: unknown size; expected "short" or "full"' })

/** Whether proofs run in full. */
const isFull = sizeShape.default('short').parse(process.env['PROOF']) === 'full'

/**
 * The tolerance of a bound on a rate with `n` trials, a `part` of those of the full form: two standard errors minus
 * those of the full form. It is zero in the full form.
 */
export const slack = (bound: number, { n, part }: { n: number; part: number }): number =>
  2 * Math.sqrt((bound * (1 - bound)) / n) * (1 - Math.sqrt(part))
