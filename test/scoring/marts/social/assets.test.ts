import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('the names are those of the tracked assets', async () => {
  const rows = await run('marts.assets', {
    'core.assets': [
      { symbol: 'BTC', asset_id: 'bitcoin', name: 'Bitcoin', market_rank: 1, tokens: [] },
      { symbol: 'NEW', asset_id: 'new', name: 'New', market_rank: null, tokens: ['base:0x1'] },
    ],
  })
  expect(cut(rows, 'symbol', 'asset_id', 'name', 'market_rank')).toEqual([
    ['BTC', 'bitcoin', 'Bitcoin', 1],
    ['NEW', 'new', 'New', null],
  ])
})
