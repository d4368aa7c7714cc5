import { z } from 'zod'

/**
 * The size of a long proof: `npm test` runs the short form, and `PROOF=full` (as in `.ci/run`) the full one. A proof
 * asserts the same in both forms; the full form covers more worlds, runs or seconds.
 * `npm run soak` goes beyond it.
 */
export const sized = <T>(short: T, full: T): T => (isFull ? full : short)

const sizeShape = z.enum(['short', 'full'], { error: () => 'PROOF: unknown size; expected "short" or "full"' })

/** Whether proofs run in full. */
const isFull = sizeShape.default('short').parse(process.env['PROOF']) === 'full'

/**
 * By how much a bound of a rate gives way where `n` trials are a part of those of the full form: by two standard errors,
 * less those of the full form. Zero in full.
 */
export const slack = (bound: number, { n, part }: { n: number; part: number }): number =>
  2 * Math.sqrt((bound * (1 - bound)) / n) * (1 - Math.sqrt(part))
