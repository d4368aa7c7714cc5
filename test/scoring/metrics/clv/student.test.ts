import { expect, test } from 'vitest'

import { intervalOf, studentQuantile, upperTail, upperTailOf } from '#scoring/metrics/clv/student.ts'

/** The percentiles of a printed table. */
test.each([
  [4, 2.776],
  [5, 2.571],
  [8, 2.306],
  [13, 2.16],
  [30, 2.042],
  [120, 1.98],
  [1e9, 1.96],
])('the 97.5th percentile of %d degrees of freedom is %d', (degrees, expected) => {
  expect(Math.abs(studentQuantile(degrees) - expected)).toBeLessThan(0.002)
})

test('an interval is symmetrical, and grows with the root of the variance', () => {
  const { lower, upper } = intervalOf(3, 4, 13)
  expect(lower).toBeCloseTo(3 - 2 * 2.16, 2)
  expect(upper).toBeCloseTo(3 + 2 * 2.16, 2)
})

/** Upper tails of a printed table. */
test.each([
  [13, 1.771, 0.05],
  [13, 3.852, 0.001],
  [23, 2.5, 0.01],
  [23, 3.485, 0.001],
  [60, 2.66, 0.005],
  [1e9, 1.96, 0.025],
])('the tail of %d degrees of freedom above %d is %d', (degrees, t, expected) => {
  expect(Math.abs(upperTailOf(t, degrees) / expected - 1)).toBeLessThan(0.02)
  expect(upperTailOf(t, degrees) + upperTailOf(-t, degrees)).toBeCloseTo(1, 12)
})

test('the normal tail is that of a printed table', () => {
  for (const [z, expected] of [
    [0, 0.5],
    [1.281552, 0.1],
    [2.999, 0.001354],
    [3.001, 0.001345],
    [4.753424, 1e-6],
  ] as const)
    expect(Math.abs(upperTail(z) / expected - 1)).toBeLessThan(1e-3)
})
