import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('addresses with another name than their trader have a row', async () => {
  const rows = await run('marts.pm_addresses', {
    'core.trader_addresses': [
      { address: 'proxy', trader: 'proxy', trader_index: 0, owner: 'eoa' },
      { address: 'safe', trader: 'proxy', trader_index: 0, owner: 'eoa' },
      { address: 'eoa', trader: 'proxy', trader_index: 0, owner: null },
      { address: 'bob', trader: 'bob', trader_index: 1, owner: null },
    ],
  })
  expect(cut(rows, 'address', 'trader')).toEqual([
    ['eoa', 'proxy'],
    ['safe', 'proxy'],
  ])
})
