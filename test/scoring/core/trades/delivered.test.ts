import { describe, expect, test } from 'vitest'

import { move, swap, tradesIn, txOf, weth, wrap } from './facts.ts'

describe('a leg that goes elsewhere', () => {
  test('belongs to the sender who paid', () => {
    const logs = [
      move('usdc', 'ann', 'pool', 100n),
      move('pepe', 'pool', 'friend', 9n),
      swap('pool', { recipient: 'friend' }),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 9 pepe'])
  })

  test('belongs to the receiver that a router names if the sender paid nothing', () => {
    const named = { pool: null, recipient: 'bob', token0: 'usdc', amount0: 100n, token1: weth, amount1: -5n }
    const logs = [move('usdc', 'bridge', 'pool', 100n), move(weth, 'pool', 'bob', 5n), swap('pool'), swap('', named)]
    expect(tradesIn(txOf(logs, { sender: 'relayer' }))).toEqual(['bob: 100 usdc -> 5 native'])
  })

  test('is what the last swap paid out, also if its event names no receiver', () => {
    const v4 = { family: 'uniswap_v4', sender: 'router', recipient: null }
    const logs = [
      move('pepe', 'ann', 'router', 100n),
      move('pepe', 'router', 'pool', 100n),
      move('usdc', 'pool', 'router', 50n),
      swap('pool', { amount0: 100n, amount1: -50n }),
      move('usdc', 'router', 'manager', 50n),
      swap('0xid', { ...v4, amount0: 50n, amount1: -49n }),
      move('usdt', 'manager', 'router', 49n),
      move('usdt', 'router', 'bridge', 48n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 pepe -> 48 usdt'])
  })

  test('costs the native coin that was swapped, without the fee of a message', () => {
    const logs = [
      wrap('router', 97n),
      move(weth, 'router', 'pool', 97n),
      move('usdc', 'pool', 'router', 50n),
      swap('pool', { amount0: 97n, amount1: -50n }),
      move('usdc', 'router', 'bridge', 50n),
    ]
    const tx = txOf(logs, { amount: 100n })
    expect(tradesIn(tx)).toEqual(['ann: 97 native -> 50 usdc'])
    const message = { ...move('native', 'router', 'messenger', 3n), kind: 'internal', log_index: -1 }
    expect(tradesIn({ ...tx, transfers: [...tx.transfers, message] })).toEqual(['ann: 97 native -> 50 usdc'])
  })

  test('belongs to the wallet that a named receiver passed it on to', () => {
    const named = { pool: null, recipient: 'end', token0: 'usdc', amount0: 100n, token1: 'pepe', amount1: -50n }
    const logs = [
      move('usdc', 'end', 'pool', 100n),
      move('pepe', 'pool', 'end', 50n),
      swap('pool'),
      swap('', named),
      move('pepe', 'end', 'fees', 1n),
      move('pepe', 'end', 'bob', 49n),
    ]
    expect(tradesIn(txOf(logs, { sender: 'relayer' }))).toEqual(['bob: 100 usdc -> 49 pepe'])
  })
})
