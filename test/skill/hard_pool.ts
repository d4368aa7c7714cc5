import type { HardVerdict, Shares } from './hard_judge.ts'

export type Share = { n: number; of: number }

/** The shares of all worlds together, by name. */
export function poolOf(verdicts: readonly HardVerdict[], of: (verdict: HardVerdict) => Shares): Map<string, Share> {
  const sums = new Map<string, Share>()
  for (const each of verdicts.flatMap(of)) {
    const sum = sums.get(each.name) ?? { n: 0, of: 0 }
    sums.set(each.name, { n: sum.n + each.n, of: sum.of + each.of })
  }
  return sums
}

export const totalOf = (shares: ReadonlyMap<string, Share>): Share =>
  [...shares.values()].reduce((sum, one) => ({ n: sum.n + one.n, of: sum.of + one.of }), { n: 0, of: 0 })

/** Wilson's 95 % interval of a share. */
export function wilsonOf({ n, of }: Share): { lower: number; upper: number } {
  const [p, z2] = [n / of, 1.96 ** 2]
  const middle = (p + z2 / (2 * of)) / (1 + z2 / of)
  const half = (1.96 * Math.sqrt((p * (1 - p)) / of + z2 / (4 * of * of))) / (1 + z2 / of)
  return { lower: middle - half, upper: middle + half }
}

/** The mean over worlds of edge - planted, in points, with its standard error, by name. */
export type Bias = { name: string; n_worlds: number; mean: number; se: number }

export function biasesOf(
  verdicts: readonly HardVerdict[],
  of: (verdict: HardVerdict) => HardVerdict['biases'],
): Bias[] {
  const names = new Set(verdicts.flatMap((verdict) => of(verdict).map(({ name }) => name)))
  return [...names].toSorted().map((name) => {
    const offs = verdicts.flatMap((verdict) =>
      of(verdict)
        .filter((each) => each.name === name)
        .map(({ off }) => off),
    )
    const mean = offs.reduce((sum, off) => sum + off, 0) / offs.length
    const variance = offs.reduce((sum, off) => sum + (off - mean) ** 2, 0) / (offs.length - 1)
    return { name, n_worlds: offs.length, mean, se: Math.sqrt(variance / offs.length) }
  })
}
