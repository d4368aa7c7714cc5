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
    expect(tradesIn(txOf(logs, { recipient: 'resolver' }))).toEqual([
      'bob: 100 pepe -> 9 native (bound)',
      'resolver: 9 native -> 100 pepe',
    ])
    const fill = { family: 'uniswap_x', pool: null, trader: 'bob', sender: 'ann', recipient: null }
    const ownCoins = [
      move('pepe', 'bob', 'reactor', 100n),
      move('pepe', 'reactor', 'ann', 100n),
      move(weth, 'ann', 'reactor', 9n),
      unwrap('reactor', 9n),
      swap('', fill),
    ]
    expect(tradesIn(txOf(ownCoins))).toEqual(['bob: 100 pepe -> 9 native (bound)', 'ann: 9 native -> 100 pepe'])
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
    expect(tradesIn(txOf(logs))).toEqual(['bob: 9 native -> 100 pepe', 'ann: 100 pepe -> 9 native (bound)'])
    const two = [...logs, move('doge', 'cat', 'router', 5n), swap('', { pool: null, trader: 'cat', recipient: null })]
    expect(tradesIn(txOf(two))).toEqual(['bob: 9 native -> 100 pepe'])
  })

  test('that sends the native coin to a maker takes none of it from the maker', () => {
    const filled = swap('bob', { family: 'oneinch_limit_v5', trader: 'bob', sender: null, recipient: null })
    const logs = [wrap('router', 9n), move(weth, 'router', 'bob', 9n), move('pepe', 'bob', 'ann', 100n), filled]
    expect(tradesIn(txOf(logs, { amount: 9n }))).toEqual(['bob: 100 pepe -> 9 native', 'ann: 9 native -> 100 pepe'])
  })
  test('is also the called contract that fills an order of a maker, with no amount twice', () => {
    const filled = { family: 'uniswap_x', pool: null, sender: null, recipient: null }
    const bought = [
      move('usdc', 'bot', 'pool', 30n),
      move(weth, 'pool', 'bot', 9n),
      swap('pool', { recipient: 'bot' }),
      move(weth, 'bot', 'bob', 9n),
      move('pepe', 'bob', 'bot', 100n),
    ]
    const lines = ['bob: 100 pepe -> 9 native', 'bot: 30 usdc -> 100 pepe']
    expect(tradesIn(txOf([...bought, swap('', { ...filled, trader: 'bob' })], { recipient: 'bot' }))).toEqual(lines)
    expect(tradesIn(txOf([...bought, swap('', filled)], { recipient: 'bot' }))).toEqual([lines[1]])
    // The maker got what was unwrapped, so that the bot did not.
    const unwrapped = [
      move('usdc', 'bot', 'pool', 30n),
      move(weth, 'pool', 'unwrapper', 9n),
      swap('pool', { recipient: 'unwrapper' }),
      unwrap('unwrapper', 9n),
      move('pepe', 'bob', 'bot', 100n),
      swap('', { ...filled, trader: 'bob' }),
    ]
    expect(tradesIn(txOf(unwrapped, { recipient: 'bot' }))).toEqual([`${lines[0]} (bound)`, lines[1]])
    // A router keeps nothing.
    const routed = [
      move('pepe', 'bob', 'router', 100n),
      move('pepe', 'router', 'pool', 100n),
      move('usdc', 'pool', 'router', 30n),
      swap('pool'),
      move('usdc', 'router', 'bob', 29n),
      swap('', { ...filled, trader: 'bob' }),
    ]
    expect(tradesIn(txOf(routed))).toEqual(['bob: 100 pepe -> 29 usdc'])
  })
})
