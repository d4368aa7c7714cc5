import { expect, test } from 'vitest'

import { gapsOf } from '#bin/report/gaps.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

test('the gaps are the units that are not complete, each once with its reason', async () => {
  const lake = await newLake()
  expect(await gapsOf(lake)).toEqual([])
  const rows = { quotes: [quote('0xa', noon)], markets: [] }
  await storeRows(lake, lifeOf('0xdone'), rows, { state: 'done', to: null })
  await storeRows(lake, lifeOf('0xcut'), rows, { state: 'unverified', reason: 'the list was cut off' })
  await storeFailure(lake, lifeOf('0xgone'), {
    datasets: ['quotes', 'markets'],
    precedence: 1,
    reason: 'no trade is listed',
    asked: [],
    checkedAt: noon,
  })
  const found = await gapsOf(lake)
  expect(found.map(({ source, state, reason }) => [source, state, reason])).toEqual([
    ['venue_quotes', 'unverified', 'the list was cut off'],
    ['venue_quotes', 'missing', 'no trade is listed'],
  ])
  expect(found.map(({ unit }) => unit.replace(/^.*\//, ''))).toEqual(['0xcut', '0xgone'])
})
