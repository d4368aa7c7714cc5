import { expect, test } from 'vitest'
import { z } from 'zod'

import { storeShippedAssets } from '#bin/wiring/shipped_assets.ts'
import type { Lake } from '#lake/lake.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { shippedAssets } from '#text/dictionary/shipped.ts'
import { HOUR } from '#time.ts'

const stored = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      'select count(*) as n, count(distinct seen_at) as readings from lake.assets',
      z.object({ n: z.bigint().transform(Number), readings: z.bigint().transform(Number) }),
    ),
  )

test('a lake without a dictionary gets the shipped one, once', async () => {
  const lake = await newLake()
  await storeShippedAssets(lake, noon + 17)
  await storeShippedAssets(lake, noon + HOUR)
  expect(await stored(lake)).toEqual([{ n: shippedAssets().length, readings: 1 }])
})

test('a dictionary of lists is left alone', async () => {
  const lake = await newLake()
  await storeAssets(lake, shippedAssets().slice(0, 3), noon, [])
  await storeShippedAssets(lake, noon + HOUR)
  expect(await stored(lake)).toEqual([{ n: 3, readings: 1 }])
})
