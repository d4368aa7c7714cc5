import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

import { given, markets, namesOf } from './markets.ts'

test('pm_markets_closed has every market that pm_markets does not have, without volume', async () => {
  const open = await run('marts.pm_markets', given)
  const closed = await run('marts.pm_markets_closed', {
    ...given,
    'marts.pm_markets': open.map(({ id }) => ({ id: String(id) })),
  })
  expect(namesOf(closed)).toEqual(['closed before, resolved today', 'closed yesterday', 'resolved before'])
  expect(namesOf([...open, ...closed])).toEqual(namesOf(markets.map(({ market_id: id }) => ({ id }))))
  expect(cut(closed, 'volume_24h', 'no_price')).toEqual(closed.map(() => [0, 0.666667]))
})
