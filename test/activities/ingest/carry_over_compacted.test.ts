import { expect, test } from 'vitest'

import { storedUnit, storedRows } from '#activities/ingest/stored_unit.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { datasets } from '#lake/datasets/index.ts'
import { rowsPath } from '#lake/units/unit.ts'
import { compact, day, hourAt, hours, start, storeAll } from '#test/lake/compaction/compacted.ts'
import { newLake } from '#test/lake/fixture.ts'

test('the stored rows of a unit are found after its own file was compacted and removed', async () => {
  const lake = await newLake()
  const unit = hourAt(start)
  await storeAll(lake, hours(3))
  const before = await storedRows(lake, unit, 'quotes', Infinity)
  expect(before).toHaveLength(2)
  await compact(lake)
  for (const days of [400, 402]) await vacuum(lake, { now: start + days * day, keep_ms: 86_400_000 })
  expect(await lake.storage.get(rowsPath(datasets.quotes, unit))).toBeUndefined()
  expect(await storedUnit(lake, unit)).toEqual({ state: 'done', to: unit.to, reason: null })
  expect(await storedRows(lake, unit, 'quotes', Infinity)).toEqual(before)
  expect(await storedRows(lake, unit, 'quotes', start + 1)).toEqual(before.slice(0, 1))
})
