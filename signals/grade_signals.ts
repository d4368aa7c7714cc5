import { z } from 'zod'

import type { BuildSettings } from '#builder/prepare.ts'
import { queryModel } from '#builder/query_model.ts'
import type { Lake } from '#lake/lake.ts'
import type { Clock } from '#time.ts'

import { appendFound } from './append_found.ts'
import { plain } from './candidate.ts'

const outcome = z.object({
  id: z.string(),
  horizon_s: z.number(),
  measure: z.string(),
  value_before: z.number(),
  value_after: z.number(),
  is_hit: z.boolean(),
  baseline_rate: z.number().nullable(),
  n_baseline: z.number(),
})

/** Millionths: the unit of ratios in the lake. */
const RATIO = 1_000_000

/**
 * Stores the grades of signals whose outcomes the current scores have: they are appended to the dataset `grades` in one
 * commit, in the order of their ids. A stored grade is never changed. Returns the number of new ones: 0 also while
 * another process grades, and before the first scores.
 */
export const gradeSignals = (lake: Lake, settings: BuildSettings, clock: Clock): Promise<number> =>
  appendFound(
    lake,
    {
      dataset: 'grades',
      source: 'grades',
      lease: 'grades',
      find: () => dueGrades(lake, settings),
      rowOf: ({ baseline_rate, ...grade }, graded_at) => ({
        ...grade,
        graded_at,
        baseline_rate: baseline_rate === null ? null : BigInt(Math.round(baseline_rate * RATIO)),
      }),
    },
    { clock, now: settings.now },
  )

type Outcome = z.output<typeof outcome>

async function dueGrades(lake: Lake, settings: BuildSettings): Promise<Outcome[]> {
  const slow = { publication: 'scores', marts: { 'metrics.signal_outcomes': 'signal_outcomes' } } as const
  const rows = await queryModel(lake, { model: 'metrics.due_grades', slow, prunes: [] }, settings)
  return (rows ?? []).map((row) => outcome.parse(plain(row))).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
