import { upperTail } from './numbers.ts'
import type { Scored } from './populations.ts'
import type { Rules } from './rules.ts'

/** The three false discovery rates of a trader; null for a trader who is not tested. */
export type Rates = { q: number | null; q_below: number | null; q_wide: number | null }

/** The rates of the traders of a kind and range, of whom some are served by this kind. */
export function ratesOf(
  traders: readonly Scored[],
  served: ReadonlySet<string>,
  { rates }: Rules,
): (trader: string) => Rates {
  const shown = traders.filter(({ trader }) => rates === 'of all' || served.has(trader))
  const tested = (least: number): Scored[] => shown.filter(({ nEff }) => nEff >= least - 1e-9)
  const above = benjaminiHochberg(tested(20), 1)
  const below = benjaminiHochberg(tested(20), -1)
  const wide = benjaminiHochberg(tested(10), 1)
  return (trader) => ({
    q: above.get(trader) ?? null,
    q_below: below.get(trader) ?? null,
    q_wide: wide.get(trader) ?? null,
  })
}

function benjaminiHochberg(traders: readonly Scored[], sign: 1 | -1): Map<string, number> {
  const tails = traders
    .map(({ trader, raw, v }) => ({ trader, p: upperTail((sign * raw) / Math.sqrt(v)) }))
    .toSorted((a, b) => a.p - b.p)
  return new Map(
    tails.map(({ trader }, place) => {
      const later = tails.slice(place).map(({ p }, after) => (p * tails.length) / (place + after + 1))
      return [trader, Math.min(1, ...later)]
    }),
  )
}

/** The 95 % interval of the observed value, by Student's distribution. */
export function intervalOf({ raw, v, nEff }: Scored): { lower: number; upper: number } {
  const z = 1.959963984540054
  const f = 4 + Math.max(0, nEff - 1)
  const t =
    z +
    (z ** 3 + z) / (4 * f) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * f ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * f ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * f ** 4)
  const half = t * Math.sqrt(v)
  return { lower: raw - half, upper: raw + half }
}
