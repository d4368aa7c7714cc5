import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

import { given, namesOf } from './fixture.ts'

test('pm_unpriced counts the markets that pm_markets lacks because they have no price', async () => {
  const rows = await run('marts.pm_unpriced', given)
  expect(cut(rows, 'platform', 'n_markets', 'n_open')).toEqual([
    ['limitless', 1, 1],
    ['polymarket', 2, 1],
  ])
  const odds = given['metrics.market_odds'].map((row) => ({ ...row, yes_price: 0.5 }))
  const all = { ...given, 'metrics.market_odds': odds }
  expect(await run('marts.pm_unpriced', all)).toEqual([])
  const listed = namesOf(await run('marts.pm_markets', all))
  expect(listed).toEqual([...namesOf(await run('marts.pm_markets', given)), 'new', 'quiet', 'stopped'].toSorted())
})
