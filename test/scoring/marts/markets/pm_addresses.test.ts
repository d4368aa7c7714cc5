import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('addresses with another name than their trader have a row', async () => {
  const rows = await run('marts.pm_addresses', {
    'core.trader_addresses': [
      { wallet: 'proxy', trader: 'proxy', trader_index: 0, owner: 'eoa' },
      { wallet: 'safe', trader: 'proxy', trader_index: 0, owner: 'eoa' },
      { wallet: 'eoa', trader: 'proxy', trader_index: 0, owner: null },
      { wallet: 'bob', trader: 'bob', trader_index: 1, owner: null },
    ],
  })
  expect(cut(rows, 'address', 'trader')).toEqual([
    ['eoa', 'proxy'],
    ['safe', 'proxy'],
  ])
})
