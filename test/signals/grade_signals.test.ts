import { expect, test } from 'vitest'
import { z } from 'zod'

import { parseModel } from '#builder/load.ts'
import type { Model } from '#builder/model.ts'
import { publish } from '#builder/publish.ts'
import type { Lake } from '#lake/lake.ts'
import { gradeSignals } from '#signals/grade_signals.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { minute, pulseModels, settingsAt } from './planted_signals.ts'

const models = await pulseModels()

/** Publishes scores that have the outcomes of some signals. */
const plantOutcomes = (lake: Lake, at: number, outcomes: readonly [id: string, after: number][]) => {
  const rows = outcomes.map(([id, after]) => `('${id}', ${after})`).join()
  const mart: Model = parseModel(
    'marts',
    'signal_outcomes',
    `-- Planted.
-- columns: id, horizon_s; type, measure, value_before DOUBLE, value_after DOUBLE, is_hit, baseline_rate?, n_baseline
select id, 86400 as horizon_s, 'market' as type, 'mid' as measure, 0.4 as value_before, after as value_after,
  after > 0.4 as is_hit, if(id = 'sig_b', null, 0.375) as baseline_rate, 168 as n_baseline
from (values ${rows}) as t (id, after)`,
  )
  return publish(lake, 'scores', settingsAt([mart], at))
}
const gradeAt = (lake: Lake, at: number): Promise<number> => gradeSignals(lake, settingsAt(models, at), () => at)
const gradesOf = (lake: Lake): Promise<Record<string, unknown>[]> =>
  lake.read(({ query }) => query('select * from lake.grades order by graded_at', z.record(z.string(), z.unknown())))

test('outcomes become grades once, and a stored grade stays, whatever later scores say', async () => {
  const lake = await newLake()
  expect(await gradeAt(lake, noon)).toBe(0)
  await plantOutcomes(lake, noon, [
    ['sig_b', 0.3],
    ['sig_a', 0.5],
  ])
  expect(await gradeAt(lake, noon)).toBe(2)
  const before = await gradesOf(lake)
  expect(before).toMatchObject([
    { id: 'sig_a', value_after: 0.5, is_hit: true, horizon_s: 86_400n, measure: 'mid', n_baseline: 168n },
    { id: 'sig_b', value_after: 0.3, is_hit: false, baseline_rate: null },
  ])
  expect(before.map(({ graded_at }) => Number(graded_at))).toEqual([noon / 1_000, noon / 1_000 + 1])
  expect(await gradeAt(lake, noon)).toBe(0)
  // Later scores see other values for the same signal, and one more signal; the clock has gone back.
  await plantOutcomes(lake, noon + minute, [
    ['sig_a', 0.1],
    ['sig_c', 0.9],
  ])
  const counts = await Promise.all([gradeAt(lake, noon - minute), gradeAt(lake, noon - minute)])
  expect(counts.toSorted()).toEqual([0, 1])
  const after = await gradesOf(lake)
  expect(after.slice(0, 2)).toEqual(before)
  expect(after).toMatchObject([{}, {}, { id: 'sig_c', value_after: 0.9 }])
})
