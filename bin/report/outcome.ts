import type { Outcome } from '#bin/wiring/backfill_sources.ts'

import { count, duration } from './progress.ts'
import { failingShare, type RejectionRates } from './rejection_rate.ts'

/** The result of a backfill: the totals, and a line for each failed, failing or idle source. */
export function describeOutcomes(
  outcomes: readonly Outcome[],
  { failing, seconds }: { failing: readonly RejectionRates[]; seconds: number },
): { text: string; isFailed: boolean } {
  const failures = outcomes.flatMap((outcome) => failuresOf(outcome, failing))
  const states = outcomes.flatMap((outcome) => ('progress' in outcome ? [outcome.progress] : []))
  const sum = (of: 'units' | 'rows'): string => count(states.reduce((total, state) => total + state[of], 0))
  const idle = states.filter(({ units, failed }) => units + failed === 0)
  const lines = [
    ...(outcomes.length > 1
      ? [`${count(outcomes.length)} sources: ${sum('units')} units, ${sum('rows')} rows in ${duration(seconds)}`]
      : []),
    ...idle.map(({ source }) => `${source}: nothing is due in this interval`),
    ...(failures.length > 0 && outcomes.length > 1 ? ['failed:'] : []),
    ...failures,
  ]
  return { text: lines.map((line) => `${line}\n`).join(''), isFailed: failures.length > 0 }
}

function failuresOf(outcome: Outcome, failing: readonly RejectionRates[]): string[] {
  const { source } = outcome
  const rates = failing.find((row) => row.source === source)
  return [
    ...('error' in outcome ? [`  ${source}: ${outcome.error}`] : []),
    ...('progress' in outcome && outcome.progress.failed > 0
      ? [`  ${source}: ${count(outcome.progress.failed)} units failed; the same command tries them again`]
      : []),
    ...(rates === undefined
      ? []
      : [
          `  ${source}: ${(100 * rates.share).toFixed(1)} % of its last rows did not parse; expected at most ${100 * failingShare} %`,
        ]),
  ]
}
