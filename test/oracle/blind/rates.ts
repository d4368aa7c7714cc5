import { grouped, upperTail } from './numbers.ts'
import type { Scored } from './populations.ts'
import type { Rules } from './rules.ts'

/** The three false discovery rates of a trader; null for a trader who is not tested. */
export type Rates = { q: number | null; q_below: number | null; q_wide: number | null }
/** The chances of a mean like the trader's without one above, or below, both 0 and its role. */
export type Chances = { above: number; below: number }

export function chancesOf({ raw, v, mu, muSe, nEff }: Scored, { skill }: Rules): Chances {
  const f = 4 + Math.max(0, nEff - 1)
  const tail = (distance: number, error: number): number => {
    const t = distance / Math.sqrt(v + error ** 2)
    const z = (Math.sign(t) * Math.sqrt(f * Math.log(1 + (t * t) / f)) * (8 * f + 1)) / (8 * f + 3)
    return upperTail(z)
  }
  const role = skill === 'beyond the role' ? mu : 0
  return {
    above: role > 0 ? tail(raw - role, muSe) : tail(raw, 0),
    below: role < 0 ? tail(role - raw, muSe) : tail(-raw, 0),
  }
}

type Tested = Scored & Chances

/** The rates of the traders of a range, over the tests of all kinds together. */
export function ratesOf(tests: readonly Tested[]): (trader: string) => Rates {
  const adjusted = (least: number, chance: (one: Tested) => number): Map<string, number> => {
    const large = tests.filter(({ nEff }) => nEff >= least - 1e-9)
    const traders = [...grouped(large, ({ trader }) => trader)].map(([trader, own]) => ({
      trader,
      p: Math.min(1, own.length * Math.min(...own.map(chance))),
    }))
    return benjaminiHochberg(traders)
  }
  const above = adjusted(20, (one) => one.above)
  const below = adjusted(20, (one) => one.below)
  const wide = adjusted(10, (one) => one.above)
  return (trader) => ({
    q: above.get(trader) ?? null,
    q_below: below.get(trader) ?? null,
    q_wide: wide.get(trader) ?? null,
  })
}

function benjaminiHochberg(traders: readonly { trader: string; p: number }[]): Map<string, number> {
  const tails = traders.toSorted((a, b) => a.p - b.p)
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
