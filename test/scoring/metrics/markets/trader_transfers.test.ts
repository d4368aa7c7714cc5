import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('the value of transfers is compared with all cash paid in', async () => {
  const moved = (trader: string, kind: string, value_usd: number) => ({
    trader,
    kind,
    value_usd,
    tx: `${kind}${value_usd}`,
  })
  const rows = await run('metrics.trader_transfers', {
    'core.share_transfers': [
      moved('ann', 'transfer_in', 4),
      moved('ann', 'transfer_out', 0.999999),
      moved('bob', 'transfer_out', 5),
      moved('cid', 'transfer_in', 0),
      moved('dan', 'transfer_out', 9),
    ],
    'core.positions': [
      { trader: 'ann', outcome: 0, bought_usd: 60 },
      { trader: 'ann', outcome: 1, bought_usd: 40 },
      { trader: 'bob', bought_usd: 100 },
      { trader: 'cid', bought_usd: 1 },
      { trader: 'eve', bought_usd: 1 },
    ],
  })
  expect(cut(rows, 'trader', 'n_transfers', 'received_usd', 'given_usd', 'valued_share', 'is_material')).toEqual([
    ['ann', 2, 4, 0.999999, 0.05, false],
    ['bob', 1, 0, 5, 0.05, true],
    ['cid', 1, 0, 0, 0, false],
    ['dan', 1, 0, 9, 1, true],
  ])
})
