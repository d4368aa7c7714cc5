import { expect, test } from 'vitest'

import { platforms, platformWeights } from '#registry/platforms/index.ts'

test('each platform is named once, has a weight, and all weights are parts of 1', () => {
  expect(new Set(platforms.map(({ id }) => id)).size).toBe(platforms.length)
  for (const { weight } of platforms) expect(weight).toBeGreaterThan(0)
  expect(platformWeights.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9)
  expect(platformWeights.find(({ platform }) => platform === 'reddit')).toEqual({ platform: 'reddit', weight: 0.2 })
})
