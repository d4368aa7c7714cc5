type Rate = number | null
export type Rates = { above: Rate; below: Rate; wide: Rate }
type Tested = { trader: string; n_eff: number; above: number; below: number }

/**
 * q by Benjamini and Hochberg over the traders of a range, of each direction alone: above among n_eff >= 20 and among
 * n_eff >= 10, below among n_eff >= 20. A trader has one chance: the least of its kinds that are large enough, times
 * their number. A trader with less has none.
 */
export function falseDiscoveryRates(tests: Tested[]): ReadonlyMap<string, Rates> {
  const of = (least: number, chance: (each: Tested) => number): ReadonlyMap<string, number> => {
    const own = new Map<string, number[]>()
    for (const each of tests)
      if (each.n_eff >= least - 1e-9) own.set(each.trader, [...(own.get(each.trader) ?? []), chance(each)])
    return benjaminiHochberg([...own].map(([trader, p]) => [trader, Math.min(1, p.length * Math.min(...p))]))
  }
  const [q, q_below, q_wide] = [
    of(20, ({ above }) => above),
    of(20, ({ below }) => below),
    of(10, ({ above }) => above),
  ]
  return new Map(
    tests.map(({ trader }) => [
      trader,
      { above: q.get(trader) ?? null, below: q_below.get(trader) ?? null, wide: q_wide.get(trader) ?? null },
    ]),
  )
}

type Figures = { xbar: number; v: number; n_eff: number; mu: number; mu_variance: number }

/** The chances of a mean above max(0, mu), and below min(0, mu), without one. The error of mu counts where it is used. */
export function chances({ xbar, v, n_eff, mu, mu_variance }: Figures): { above: number; below: number } {
  const f = 4 + Math.max(0, n_eff - 1)
  return {
    above: mu > 0 ? tail((xbar - mu) / Math.sqrt(v + mu_variance), f) : tail(xbar / Math.sqrt(v), f),
    below: mu < 0 ? tail((mu - xbar) / Math.sqrt(v + mu_variance), f) : tail(-xbar / Math.sqrt(v), f),
  }
}

/** Student's upper tail after Wallace. */
const tail = (t: number, f: number): number =>
  upperTail((Math.sign(t) * (8 * f + 1) * Math.sqrt(f * Math.log(1 + t ** 2 / f))) / (8 * f + 3))

/** The smallest rate at which each test is among the discoveries: of m tests those of rank k have p <= rate k / m. */
function benjaminiHochberg(tests: [string, number][]): ReadonlyMap<string, number> {
  const rates = tests.map(([, p]) => p).map((p) => (p * tests.length) / tests.filter(([, other]) => other <= p).length)
  return new Map(
    tests.map(([trader, p]) => [trader, Math.min(1, ...rates.filter((_, i) => (tests[i]?.[1] ?? 0) >= p))]),
  )
}

/** 1 - Phi(z), by Simpson's rule over the density. */
export function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z)
  const n = 4_000
  const step = 12 / n
  const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
  let total = density(z) + density(z + 12)
  for (let i = 1; i < n; i++) total += density(z + i * step) * (i % 2 === 1 ? 4 : 2)
  return (total * step) / 3
}
