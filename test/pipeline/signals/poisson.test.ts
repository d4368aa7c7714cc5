import { expect, test } from 'vitest'

import { poissonOf } from './poisson.ts'

// Garwood, Biometrika 28 (1936), table of 95 % limits.
test.each([
  [0, 0, 3.689],
  [1, 0.0253, 5.572],
  [2, 0.2422, 7.225],
  [10, 4.795, 18.39],
  [50, 37.11, 65.92],
])('the exact interval of a count of %d is %d to %d', (n, lower, upper) => {
  const found = poissonOf(n)
  expect(found.lower).toBeCloseTo(lower, 2)
  expect(found.upper).toBeCloseTo(upper, 2)
})
