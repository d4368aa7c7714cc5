import { describe, expect, test } from 'vitest'

import { move, swap, tradesIn, txOf, unwrap, weth, wrap } from './facts.ts'

describe('the wallet', () => {
  test('is the maker of an order that a resolver fills, also for the native coin', () => {
    const filled = swap('bob', { family: 'oneinch_limit_v5', trader: 'bob', sender: null, recipient: null })
    const logs = [
      filled,
      move('pepe', 'bob', 'resolver', 100n),
      move(weth, 'resolver', 'unwrapper', 9n),
      unwrap('unwrapper', 9n),
    ]
    expect(tradesIn(txOf(logs, { recipient: 'resolver' }))).toEqual(['bob: 100 pepe -> 9 native (inferred)'])
    const fill = { family: 'uniswap_x', pool: null, trader: 'bob', sender: 'ann', recipient: null }
    const ownCoins = [
      move('pepe', 'bob', 'reactor', 100n),
      move('pepe', 'reactor', 'ann', 100n),
      move(weth, 'ann', 'reactor', 9n),
      unwrap('reactor', 9n),
      swap('', fill),
    ]
    expect(tradesIn(txOf(ownCoins))).toEqual(['bob: 100 pepe -> 9 native (inferred)', 'ann: 9 native -> 100 pepe'])
  })

  test('that sells by a route gets the native coin, and not the maker of an order on that route', () => {
    const filled = swap('bob', { family: 'oneinch_limit_v5', trader: 'bob', sender: null, recipient: null })
    const logs = [
      move('pepe', 'ann', 'router', 100n),
      move('pepe', 'router', 'bob', 100n),
      move(weth, 'bob', 'router', 9n),
      filled,
      unwrap('router', 9n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['bob: 9 native -> 100 pepe', 'ann: 100 pepe -> 9 native (inferred)'])
    const two = [...logs, move('doge', 'cat', 'router', 5n), swap('', { pool: null, trader: 'cat', recipient: null })]
    expect(tradesIn(txOf(two))).toEqual(['bob: 9 native -> 100 pepe'])
  })

  test('that sends the native coin to a maker takes none of it from the maker', () => {
    const filled = swap('bob', { family: 'oneinch_limit_v5', trader: 'bob', sender: null, recipient: null })
    const logs = [wrap('router', 9n), move(weth, 'router', 'bob', 9n), move('pepe', 'bob', 'ann', 100n), filled]
    expect(tradesIn(txOf(logs, { amount: 9n }))).toEqual(['bob: 100 pepe -> 9 native', 'ann: 9 native -> 100 pepe'])
  })
})
