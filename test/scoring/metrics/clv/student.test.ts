import { expect, test } from 'vitest'

import { intervalOf, studentQuantile } from '#scoring/metrics/clv/student.ts'

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
