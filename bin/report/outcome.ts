import type { Outcome } from '#bin/wiring/backfill_sources.ts'
import type { Progress } from '#workflows/backfill.ts'
import { isOutage } from '#workflows/ingest_units.ts'

import { count, duration } from './progress.ts'
import { failingShare, type RejectionRates } from './rejection_rate.ts'

/** The result of a backfill: the totals, and a line for each failed, failing or idle source. */
export function describeOutcomes(
  outcomes: readonly Outcome[],
  { failing, seconds }: { failing: readonly RejectionRates[]; seconds: number },
): { text: string; isFailed: boolean } {
  const failures = outcomes.flatMap((outcome) => failuresOf(outcome, failing))
  const gaps = outcomes.flatMap((outcome) => ('progress' in outcome ? gapsOf(outcome.progress) : []))
  const states = outcomes.flatMap((outcome) => ('progress' in outcome ? [outcome.progress] : []))
  const sum = (field: 'units' | 'rows'): string => count(states.reduce((total, state) => total + state[field], 0))
  const idle = states.filter(({ units, failed }) => units + failed === 0)
  const lines = [
    ...(outcomes.length > 1
      ? [`${count(outcomes.length)} sources: ${sum('units')} units, ${sum('rows')} rows in ${duration(seconds)}`]
      : []),
    ...idle.map(({ source }) => `${source}: nothing is due in this interval`),
    ...gaps,
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
    ...('progress' in outcome ? unitsFailed(outcome.progress) : []),
    ...(rates === undefined
      ? []
      : [
          `  ${source}: ${(100 * rates.share).toFixed(1)} % of its last rows did not parse; expected at most ${100 * failingShare} %`,
        ]),
  ]
}

/** A greater share of units that their upstream does not show is an outage, and no matter of single markets. */
const usualGaps = 0.02

/**
 * Whether all failed units are single ones that are known to have rows and that their upstream does not show. Such
 * units are gaps, which every backfill tries again, and no failure of the whole.
 */
const areGaps = ({ units, failed, unlisted = 0 }: Progress): boolean =>
  failed > 0 && failed === unlisted && units > 0 && failed <= Math.max(1, usualGaps * (units + failed))

const gapsOf = (progress: Progress): string[] =>
  areGaps(progress)
    ? [
        `${progress.source}: ${count(progress.failed)} units are gaps, since their upstream does not show them; ` +
          '`tapeline status --gaps` lists them, the same command tries them again',
      ]
    : []

function unitsFailed(progress: Progress): string[] {
  const { source, units, failed, due, refused = 0 } = progress
  if (failed === 0 || areGaps(progress)) return []
  const left = due - units - failed
  const stopped = isOutage(progress) && left > 0 ? `, and ${count(left)} were not tried` : ''
  const lacking = `${count(refused)} readings are refused, since they lack stored rows or values, which stay`
  const others = failed - refused
  return [
    ...(refused > 0 ? [`  ${source}: ${lacking}; \`tapeline status --gaps\` lists them`] : []),
    ...(others > 0 || stopped !== ''
      ? [`  ${source}: ${count(others)} units failed${stopped}; the same command tries them again`]
      : []),
  ]
}
