import { expect, test } from 'vitest'

import { describeOutcomes } from '#bin/report/outcome.ts'
import type { Outcome } from '#bin/wiring/backfill_sources.ts'

const done = (
  source: string,
  given: { units?: number; failed?: number; unlisted?: number; refused?: number; due?: number } = {},
): Outcome => ({
  source,
  progress: {
    source,
    from: 0,
    to: 1,
    keys: [],
    units: 2,
    rows: 1_000,
    quarantined: 0,
    bytes: 0,
    failed: 0,
    failures: [],
    due: 2,
    isPaused: false,
    rate: null,
    ...given,
  },
})
const rates = (source: string) => ({ source, n_rows: 100, n_refused: 3, share: 0.03 })

test('the totals of several sources, and sources without due units', () => {
  const outcomes = [done('markets'), done('trades', { units: 0 })]
  expect(describeOutcomes(outcomes, { failing: [rates('others')], seconds: 3 })).toEqual({
    text: '2 sources: 2 units, 2,000 rows in 3 s\ntrades: nothing is due in this interval\n',
    isFailed: false,
  })
})

test('every failure has its line after the sum', () => {
  const outcomes: Outcome[] = [done('markets', { failed: 3 }), { source: 'trades', error: 'no disk' }, done('activity')]
  expect(describeOutcomes(outcomes, { failing: [rates('activity')], seconds: 200 })).toEqual({
    text: [
      '3 sources: 4 units, 2,000 rows in 4 min',
      'failed:',
      '  markets: 3 units failed; the same command tries them again',
      '  trades: no disk',
      '  activity: 3.0 % of its last rows did not parse; expected at most 1 %',
      '',
    ].join('\n'),
    isFailed: true,
  })
})

test('single units that their upstream does not show are gaps, and an unusual share of them is a failure', () => {
  const of = (units: number, failed: number, unlisted = failed) =>
    describeOutcomes([done('trades', { units, failed, unlisted })], { failing: [], seconds: 1 })
  expect(of(5, 1)).toEqual({
    text:
      'trades: 1 units are gaps, since their upstream does not show them; `tapeline status --gaps` lists them, ' +
      'the same command tries them again\n',
    isFailed: false,
  })
  expect([of(98, 2), of(980, 20)].map(({ isFailed }) => isFailed)).toEqual([false, false])
  const failed = '  trades: 2 units failed; the same command tries them again\n'
  expect(of(97, 2)).toEqual({ text: failed, isFailed: true })
  // One of them failed for another reason, or nothing was read.
  expect(of(98, 2, 1)).toEqual({ text: failed, isFailed: true })
  expect(of(0, 1).isFailed).toBe(true)
})

test('refused readings are said apart from failed units', () => {
  const of = (failed: number, refused: number) =>
    describeOutcomes([done('trades', { failed, refused })], { failing: [], seconds: 1 })
  const refused =
    '  trades: 2 readings are refused, since they lack stored rows or values, which stay; ' +
    '`tapeline status --gaps` lists them\n'
  expect(of(2, 2)).toEqual({ text: refused, isFailed: true })
  expect(of(3, 2).text).toBe(`${refused}  trades: 1 units failed; the same command tries them again\n`)
})

test('units that were not tried in an outage are said', () => {
  const given = { units: 10, failed: 50, due: 101 }
  expect(describeOutcomes([done('trades', given)], { failing: [], seconds: 1 }).text).toBe(
    '  trades: 50 units failed, and 41 were not tried; the same command tries them again\n',
  )
})

test('one source needs no sum', () => {
  expect(describeOutcomes([done('markets')], { failing: [], seconds: 1 })).toEqual({ text: '', isFailed: false })
  expect(describeOutcomes([done('markets', { failed: 1 })], { failing: [], seconds: 1 }).isFailed).toBe(true)
})
