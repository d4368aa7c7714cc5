import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

/** Both rows of a pair: the first trader was first so often, of ten shared bets. */
const pair = (trader: string, partner: string, n_first = 10) => [
  { trader, partner, n_shared: 10, n_first },
  { trader: partner, partner: trader, n_shared: 10, n_first: 10 - n_first },
]
const groups = async (...pairs: ReturnType<typeof pair>[]) =>
  cut(await run('metrics.acting_groups', { 'metrics.acting_pairs': pairs.flat() }), 'trader', 'acts_with', 'n_members')

test('a group has the name of the one who is first most often, or of the first address', async () => {
  expect(await groups(pair('b', 'a'), pair('b', 'c'))).toEqual([
    ['a', 'b', 3],
    ['b', 'b', 3],
    ['c', 'b', 3],
  ])
  expect(await groups(pair('b', 'a', 5))).toEqual([
    ['a', 'a', 2],
    ['b', 'a', 2],
  ])
})

test('groups without a pair between them stay apart; a chain of pairs is one', async () => {
  expect(await groups(pair('a', 'b'), pair('c', 'd'))).toEqual([
    ['a', 'a', 2],
    ['b', 'a', 2],
    ['c', 'c', 2],
    ['d', 'c', 2],
  ])
  const chain = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const rows = await groups(...chain.slice(1).map((name, i) => pair(chain[i] ?? '', name)))
  expect(rows).toEqual(chain.map((name) => [name, 'a', 8]))
})

test('nobody acts with anybody without a pair', async () => {
  expect(await groups()).toEqual([])
})
