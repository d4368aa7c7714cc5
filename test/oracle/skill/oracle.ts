import { estimatesOf } from './estimates.ts'
import { guardsOf, type Guard } from './guards.ts'
import type { Inputs } from './inputs.ts'
import { kinds, ranges, samplesOf } from './samples.ts'
import { servedOf, type Kinded, type Served } from './served.ts'
import { stylesOf } from './styles.ts'
import { walletOf, type Wallet } from './words.ts'

export type Oracle = { estimates: Kinded[]; served: Served[]; guards: Guard[]; wallets: Wallet[] }

/** The score of each trader as docs/closing-line-value.md and docs/scoring.md define it. */
export function oracleOf(inputs: Inputs): Oracle {
  const styles = stylesOf(inputs.fills, inputs.markets)
  const guards = guardsOf(inputs)
  const broken = new Set<string>(guards.filter(({ is_held }) => is_held === false).map(({ kind }) => kind))
  const estimates = ranges.flatMap((range) =>
    kinds.flatMap((kind) =>
      estimatesOf(samplesOf(inputs.closed, { kind, range, at: inputs.at }), styles).map((estimate) => ({
        ...estimate,
        kind,
        range,
      })),
    ),
  )
  const served = ranges.flatMap((range) =>
    servedOf(
      estimates.filter((estimate) => estimate.range === range),
      broken,
    ),
  )
  const scores = new Map(served.filter(({ range }) => range === 'all').map((score) => [score.trader, score]))
  const wallets = inputs.evidence.map((evidence) =>
    walletOf(evidence, styles.get(evidence.trader), scores.get(evidence.trader)),
  )
  return { estimates, served, guards, wallets }
}
