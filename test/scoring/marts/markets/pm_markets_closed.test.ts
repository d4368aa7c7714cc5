import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

import { given, markets, namesOf } from './fixture.ts'

test('pm_markets_closed has every market without volume, for markets that leave the pulse later', async () => {
  const closed = await run('marts.pm_markets_closed', given)
  expect(namesOf(closed)).toEqual(namesOf(markets.map(({ market_id: id }) => ({ id }))))
  expect(cut(closed, 'volume_24h', 'no_price')).toEqual(closed.map(() => [0, 0.666667]))
  expect(namesOf(closed.filter(({ is_open }) => is_open))).toEqual(['open'])
})
