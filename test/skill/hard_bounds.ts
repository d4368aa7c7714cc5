import { slack } from '#test/run/sized.ts'

import type { HardVerdict, Shares } from './hard_judge.ts'
import { biasesOf, poolOf, totalOf, wilsonOf, type Bias, type Share } from './hard_pool.ts'

/** The number of worlds for which the bounds hold without slack. */
const n_full = 20

/** A bound: its name, and the figures that are outside of it. `n` figures were compared. */
export type Bound = { name: string; n: number; breaches: string[] }

/**
 * The bounds of scores in hard worlds. With fewer than 20 worlds a rate has two standard errors of slack, minus those
 * of 20 worlds. The mean of edge - planted has 3 standard errors by side and price. With fewer than 20 worlds it has as
 * many as Student's t exceeds with the same probability: 4.53 for 8 worlds.
 */
export function boundsOf(verdicts: readonly HardVerdict[]): Bound[] {
  const part = Math.min(1, verdicts.length / n_full)
  const pooled = (of: (verdict: HardVerdict) => Shares): Map<string, Share> => poolOf(verdicts, of)
  const least = (name: string, bound: number, shares: ReadonlyMap<string, Share>): Bound => ({
    name,
    n: shares.size,
    breaches: [...shares]
      .filter(([, { n, of }]) => !(n / of >= bound - slack(bound, { n: of, part })))
      .map(([of, share]) => `${of}: ${share.n} of ${share.of}; expected at least ${bound}`),
  })
  const sharps = totalOf(pooled(({ falseSharps }) => falseSharps))
  const isFalse = sharps.n / sharps.of > 0.1 + slack(0.1, { n: sharps.of, part })
  const isUnclear = part === 1 && wilsonOf(sharps).upper > 0.15
  const washes = pooled((verdict) => verdict.washes)
  const one = (name: string, share: Share | undefined): Map<string, Share> =>
    new Map([[name, share ?? { n: 0, of: 0 }]])
  return [
    {
      name: 'false discoveries among sharps',
      n: sharps.of,
      breaches: isFalse || isUnclear ? [`${sharps.n} of ${sharps.of}; expected at most 0.1, surely below 0.15`] : [],
    },
    least('power', 0.6, new Map([['sharp', totalOf(pooled((verdict) => verdict.power))]])),
    least(
      'coverage of intervals',
      0.92,
      pooled((verdict) => verdict.covered),
    ),
    least('recall of wash trades', 0.9, one('planted', washes.get('recall'))),
    least('precision of wash trades', 0.95, one('found', washes.get('precision'))),
    biasBound(verdicts),
    guardBound(verdicts),
  ]
}

function biasBound(verdicts: readonly HardVerdict[]): Bound {
  const biases = biasesOf(verdicts, (verdict) => verdict.biases)
  // The error of few worlds is uncertain itself, that of two means nothing.
  const n_errors = verdicts.length < n_full ? 4.53 : 3
  const isOff = ({ mean, se }: Bias): boolean => Math.abs(mean) > (verdicts.length < 6 ? 8 : n_errors * se)
  const text = ({ name, mean, se }: Bias): string =>
    `${name}: ${mean.toFixed(3)} points; expected at most ${n_errors} standard errors of ${se.toFixed(3)}`
  return { name: 'bias of edges', n: biases.length, breaches: biases.filter(isOff).map(text) }
}

/** No guard breaks by chance: each is judged by the size of its effect. */
function guardBound(verdicts: readonly HardVerdict[]): Bound {
  const guards = verdicts.flatMap((verdict) => verdict.guards)
  const broken = guards.filter(({ is_held }) => is_held !== true)
  const texts = broken.map(({ kind, state }) => `${kind}: ${state}; expected held or warning`)
  return { name: 'guards', n: guards.length, breaches: texts }
}
