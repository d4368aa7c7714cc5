import fc from 'fast-check'
import { expect, test } from 'vitest'

import { compactLake } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { lifeOf, market, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { DAY, machineClock } from '#time.ts'

import { contentsOf, fileTimeAdvances, removeCatalog } from './fixture.ts'

const keys = ['0xa', '0xb', '0xc', '0xd']
const step = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      key: fc.constantFrom(...keys),
      prices: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
      isDescribed: fc.boolean(),
      n_rejected: fc.integer({ min: 0, max: 2 }),
      isFailed: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom('merge' as const, 'compact' as const, 'vacuum' as const, 'repair' as const) },
)

test('a lake whose catalog is lost has the same rows and coverage after a repair, and after more work on it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const home = await newHome()
      const limits = { threads: 1, memory: '256MB' }
      let lake = await newLake({ home })
      for (const now of [...steps, 'repair' as const]) {
        // The order of two readings of a unit rests on the times of their files.
        await fileTimeAdvances(home)
        if (typeof now === 'object') {
          const { key, prices, isDescribed, n_rejected, isFailed } = now
          const unit = lifeOf(key)
          const failure = {
            datasets: ['quotes' as const],
            precedence: 1,
            reason: 'no answer',
            asked: [],
            checkedAt: noon,
          }
          if (isFailed) await storeFailure(lake, unit, failure)
          else {
            const quotes = prices.map((price, n) => quote(key, noon + n, { bid: BigInt(price) }))
            const rejected = Array.from({ length: n_rejected }, (_, n) => ({
              dataset: 'quotes' as const,
              reason: `no ${n}`,
              body: prices,
            }))
            const rows = { quotes, markets: isDescribed ? [market(key)] : [] }
            await storeRows(lake, unit, rows, {
              rejected,
              state: n_rejected > 0 ? 'quarantined' : 'head',
              proof: `${prices.length}`,
            })
          }
        } else if (now === 'merge') await mergeAll(lake)
        else if (now === 'compact') await compactLake(lake, { now: machineClock(), minAge_s: 0 })
        else if (now === 'vacuum') await vacuum(lake, { now: machineClock() + DAY, keep_ms: 1_000 })
        else {
          const before = await contentsOf(lake)
          await lake.close()
          await removeCatalog(home)
          expect(await repairLake({ home, limits, database: undefined })).toMatchObject({ damaged: [], n_missing: 0 })
          lake = await newLake({ home })
          expect(await contentsOf(lake)).toEqual(before)
        }
      }
    }),
    { numRuns: sized(4, 10, 30), seed: 11 },
  )
})
