import { expect, test } from 'vitest'

import { storedUnit, storedRows } from '#ingest/stored_rows.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { DAY, machineClock } from '#time.ts'

test('the stored rows of a unit are found after its file was merged and deleted', async () => {
  const lake = await newLake()
  const unit = lifeOf('0xb')
  for (const key of ['0xa', '0xb', '0xc'])
    await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon), quote(key, noon + 1)] }, { state: 'done' })
  const before = await storedRows(lake, unit, 'quotes', Infinity)
  expect(before).toHaveLength(2)
  await mergeAll(lake)
  expect((await vacuum(lake, { now: machineClock() + DAY, keep_ms: 1_000 })).deleted).toHaveLength(3)
  expect(await storedUnit(lake, unit, noon)).toEqual({ state: 'done', to: noon, reason: null })
  expect(await storedRows(lake, unit, 'quotes', Infinity)).toEqual(before)
  expect(await storedRows(lake, unit, 'quotes', noon + 1)).toEqual(before.slice(0, 1))
})
