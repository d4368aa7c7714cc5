import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

const grade = (id: string, is_hit: boolean, baseline_rate: number | null, more = {}) => ({
  id,
  horizon_s: 86_400,
  graded_at: '2026-11-20 11:00:00',
  is_hit,
  baseline_rate,
  ...more,
})
const feed = (id: string, type: string) => ({ id, type })

/** The bounds of Wilson's interval as the roots of (p - rate)^2 = z^2 p (1 - p) / n. */
function wilson(hits: number, n: number): [number, number] {
  const z = 1.959964
  const [a, b, c] = [1 + z ** 2 / n, -(2 * hits) / n - z ** 2 / n, (hits / n) ** 2]
  const root = Math.sqrt(b ** 2 - 4 * a * c)
  return [(-b - root) / (2 * a), (-b + root) / (2 * a)]
}

test('hit rates stand beside those of chance, with the interval of the difference', async () => {
  const grades = [
    ...Array.from({ length: 8 }, (_, n) => grade(`m${n}`, n < 6, 0.4 + n / 100)),
    grade('m8', true, null),
    // A second grade of a signal, and one after the clock.
    grade('m0', false, 0.9, { graded_at: '2026-11-20 11:30:00' }),
    grade('m9', true, 0.5, { graded_at: '2026-11-20 13:00:00' }),
    grade('w', false, null),
  ]
  const signals = [...Array.from({ length: 10 }, (_, n) => feed(`m${n}`, 'market')), feed('w', 'wallet')]
  const rows = await run('metrics.signal_grades', {
    'lake.grades': grades,
    'lake.feed': [...signals, feed('m1', 'market')],
  })
  const [market, wallet] = rows
  expect(market).toMatchObject({ type: 'market', horizon_s: 86_400, n_signals: 9, n_hits: 7, baseline_rate: 0.435 })
  expect(market?.['hit_rate']).toBeCloseTo(7 / 9, 6)
  expect(market?.['gap']).toBeCloseTo(6 / 8 - 0.435, 9)
  const [lower, upper] = wilson(6, 8)
  expect(market?.['gap_lower']).toBeCloseTo(lower - 0.435, 9)
  expect(market?.['gap_upper']).toBeCloseTo(upper - 0.435, 9)
  expect(wallet).toMatchObject({ type: 'wallet', n_signals: 1, n_hits: 0, hit_rate: 0, baseline_rate: null, gap: null })
})

test('grades that are stored are not due', async () => {
  const outcome = (id: string) => ({
    id,
    horizon_s: 86_400,
    type: 'market',
    measure: 'mid',
    value_before: 0.4,
    value_after: 0.5,
  })
  const outcomes = { 'metrics.signal_outcomes': [outcome('a'), outcome('b')] }
  const due = await run('metrics.due_grades', { ...outcomes, 'lake.grades': [grade('a', true, 0.5)] })
  expect(due).toMatchObject([{ id: 'b' }])
})
