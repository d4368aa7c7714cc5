import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

import { instant } from './lake.ts'

const mention = (author: string, hour: number, more: object = {}) => ({
  platform: 'x',
  symbol: 'BTC',
  author,
  ts: instant(hour),
  n_assets: 1,
  post_id: `${author} ${hour}`,
  cluster_id: `${author} ${hour}`,
  ...more,
})

test('an author counts once in each window of 6 hours that holds a post, and copies count for no author', async () => {
  const rows = await run('core.attention_windows', {
    'core.clock': [{ as_of: instant(0) }],
    'core.mentions': [
      mention('ann', -0.5),
      mention('ann', -2.5),
      mention('bob', -7.5),
      mention('copy', -0.5, { cluster_id: 'ann -0.5' }),
      mention('list', -0.5, { n_assets: 9 }),
      mention('any', -0.5, { symbol: '*' }),
      mention('eve', -1_411, { symbol: 'ETH' }),
    ],
  })
  const of = (symbol: string) =>
    cut(
      rows.filter((row) => row['symbol'] === symbol),
      'hours_ago',
      'n_authors',
    ).toSorted(([a], [b]) => Number(a) - Number(b))
  // Ann's posts of the hours 0 and 2 before the clock reach the windows that end 0 to 2 hours before it; Bob's of the
  // seventh reaches those that end 2 to 7 hours before.
  expect(of('BTC')).toEqual([[0, 1], [1, 1], [2, 2], ...[3, 4, 5, 6, 7].map((hours_ago) => [hours_ago, 1])])
  // Windows that begin before the 59 days are left out.
  expect(of('ETH')).toEqual([1_406, 1_407, 1_408, 1_409, 1_410].map((hours_ago) => [hours_ago, 1]))
})
