import fc from 'fast-check'
import { expect, test } from 'vitest'

import { momentumOf } from '#test/oracle/attention/mindshare.ts'
import { worldOf, type AttentionWorld } from '#test/oracle/attention/world.ts'
import { sized } from '#test/run/sized.ts'
import { build, lakeOf } from '#test/scoring/core/attention/lake.ts'

const weights = { bluesky: 0.1, reddit: 0.2, x: 0.25 }
const seeds = fc.integer({ min: 0, max: 1_000_000 })

/** The rows of all platforms together over 7 days, in the order of symbols. */
const whole = async (world: AttentionWorld): Promise<Record<string, unknown>[]> => {
  const { 'metrics.attention': rows } = await build(['metrics.attention'], lakeOf(world))
  return rows.filter(({ range, platform }) => range === '7d' && platform === '*')
}

test('mindshare, its change, tone and errors are those of the definitions', async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const world = worldOf(seed)
      // One platform was not read for long enough in the week before.
      if (seed % 2 === 0) world.covered['reddit'] = [-8 * 24, 0]
      const rows = await whole(world)
      const expected = momentumOf(world, 7, weights)
      expect(rows.map(({ symbol }) => symbol)).toEqual(expected.map(({ symbol }) => symbol))
      for (const [n, one] of expected.entries()) {
        const row = rows[n] ?? {}
        expect(row['mindshare_pct']).toBeCloseTo(one.pct, 4)
        expect(row['before_pct']).toBeCloseTo(one.before ?? Number.NaN, 4)
        expect(row['delta_points']).toBeCloseTo(one.delta ?? Number.NaN, 4)
        expect(row['se']).toBeCloseTo(one.se, 4)
        expect(row['net']).toBeCloseTo(one.net ?? Number.NaN, 6)
        expect(row['net_se']).toBeCloseTo(one.net_se ?? Number.NaN, 6)
        expect(row['n_authors']).toBe(one.n_authors)
      }
    }),
    { numRuns: sized(1, 2, 9), endOnFailure: true },
  )
})
