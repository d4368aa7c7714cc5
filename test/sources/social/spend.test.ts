import { expect, test } from 'vitest'

import { storeFailure } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { lostPage, spentIn } from '#sources/social/x/spend.ts'
import { newLake, noon, storeRows } from '#test/lake/fixture.ts'
import { HOUR } from '#time.ts'

const source = 'x_search'
const reading = (n: number): Unit => {
  const at = noon - n * HOUR
  return { source, kind: 'observation', part: 'x', key: '', from: at, to: at, params: ['100', 'btc'] }
}

test('the posts of a month count as X shows them, with those of failed pages, whatever proofs and reasons say', async () => {
  const lake = await newLake()
  const spent = () => lake.read((reader) => spentIn(reader, source, noon))
  expect(await spent()).toBe(0)
  await storeRows(lake, reading(1), { posts: [] }, { n_read: { posts: 37 }, proof: 'any words', to: noon })
  expect(await spent()).toBe(37)
  const lost = { state: 'unverified', reason: 'any words', gaps: [lostPage(40)] } as const
  await storeRows(lake, reading(2), { posts: [] }, { n_read: { posts: 100 }, ...lost })
  expect(await spent()).toBe(177)
  // A reading that failed may have cost a whole request.
  const failure = { datasets: ['posts'], precedence: 1, reason: 'any words', checkedAt: noon } as const
  await storeFailure(lake, reading(3), { ...failure, asked: [] })
  expect(await spent()).toBe(277)
  // A reading of the month before.
  await storeRows(lake, reading(24 * 30), { posts: [] }, { n_read: { posts: 50 } })
  expect(await spent()).toBe(277)
})
