/**
 * q by Benjamini and Hochberg, of each direction alone: above 0 among n_eff >= 20 and among n_eff >= 10, below 0 among
 * n_eff >= 20. A trader with less has none, and so have the `others`, which are scored by the other kind.
 */
export function falseDiscoveryRates(
  traders: Tested[],
  others: ReadonlySet<string>,
): { trader: string; above: Rate; below: Rate; wide: Rate }[] {
  const above = (each: Tested): number => upperTail(each.xbar / Math.sqrt(each.v))
  const below = (each: Tested): number => upperTail(-each.xbar / Math.sqrt(each.v))
  const of = (least: number, p: (each: Tested) => number): ReadonlyMap<string, number> =>
    benjaminiHochberg(
      traders
        .filter(({ trader, n_eff }) => n_eff >= least - 1e-9 && !others.has(trader))
        .map((each): [string, number] => [each.trader, p(each)]),
    )
  const [q, q_below, q_wide] = [of(20, above), of(20, below), of(10, above)]
  return traders.map(({ trader }) => ({
    trader,
    above: q.get(trader) ?? null,
    below: q_below.get(trader) ?? null,
    wide: q_wide.get(trader) ?? null,
  }))
}

type Tested = { trader: string; n_eff: number; xbar: number; v: number }
type Rate = number | null

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
