import { describe, expect, test } from 'vitest'

import { move, someChain, swap, tradesIn, txOf, weth, wrap } from './facts.ts'

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

  test('costs the native coin that was swapped, without the fee of a message, but with that of a router', () => {
    const bridged = (used: bigint) => [
      wrap('router', used),
      move(weth, 'router', 'pool', used),
      move('usdc', 'pool', 'router', 50n),
      swap('pool', { amount0: used, amount1: -50n }),
      move('usdc', 'router', 'bridge', 50n),
    ]
    const tx = txOf(bridged(90n), { amount: 100n })
    expect(tradesIn(tx)).toEqual(['ann: 90 native -> 50 usdc (bound)'])
    const message = { ...move('native', 'router', 'messenger', 10n), kind: 'internal', log_index: -1 }
    expect(tradesIn({ ...tx, transfers: [...tx.transfers, message] })).toEqual(['ann: 90 native -> 50 usdc'])
    expect(tradesIn(txOf(bridged(99n), { amount: 100n }))).toEqual(['ann: 100 native -> 50 usdc (bound)'])
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
  describe('at a named receiver', () => {
    const named = { pool: null, recipient: 'bob', token0: 'usdc', amount0: 100n, token1: 'pepe', amount1: -50n }
    const got = [move('usdc', 'bridge', 'pool', 100n), move('pepe', 'pool', 'bob', 50n), swap('pool'), swap('', named)]
    const relayed = { sender: 'relayer' }
    const line = 'bob: 100 usdc -> 50 pepe'

    test('stays there if the receiver had sent some of the token before', () => {
      expect(tradesIn(txOf([move('pepe', 'bob', 'cat', 40n), ...got], relayed))).toEqual([line])
      expect(tradesIn(txOf([...got, move('pepe', 'bob', 'cat', 40n)], relayed))).toEqual(['cat: 100 usdc -> 40 pepe'])
    })

    test('stays there if the receiver deposits it, or pays it to a contract or pool', () => {
      const deposit = move('pepe', 'bob', 'vault', 50n)
      const zero = `0x${'0'.repeat(40)}`
      for (const by of ['', zero, 'vault'])
        expect(tradesIn(txOf([...got, deposit, move('share', by, 'bob', 7n)], relayed))).toEqual([line])
      const isContract = (address: string): boolean => address === 'vault'
      expect(tradesIn(txOf([...got, deposit], relayed), someChain({ isContract }))).toEqual([line])
      expect(tradesIn(txOf([...got, move('pepe', 'bob', 'pool', 50n)], relayed))).toEqual([line])
    })
  })
})
