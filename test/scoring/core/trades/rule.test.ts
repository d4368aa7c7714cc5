import { describe, expect, test } from 'vitest'

import { move, someChain, swap, tradesIn, txOf, unwrap, weth, wrap } from './facts.ts'

describe('a trade', () => {
  test('is the net movement of the sender, once for a route of several pools', () => {
    const logs = [
      move('usdc', 'ann', 'router', 100n),
      move('usdc', 'router', 'pool_a', 100n),
      move('dai', 'pool_a', 'pool_b', 99n),
      swap('pool_a', { recipient: 'pool_b' }),
      move('pepe', 'pool_b', 'ann', 5_000n),
      swap('pool_b', { recipient: 'ann' }),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 5000 pepe'])
  })

  test('is not there for one side only, or in a failed transaction', () => {
    const both = [move('usdc', 'ann', 'bob', 100n), move('pepe', 'bob', 'ann', 5n)]
    expect(tradesIn(txOf([swap('pool'), move('pepe', 'bob', 'ann', 5n)]))).toEqual([])
    expect(tradesIn(txOf(both, { is_ok: false }))).toEqual([])
    expect(tradesIn(txOf([swap('pool'), ...both], { is_ok: false }))).toEqual([])
    expect(tradesIn(txOf([swap('pool'), ...both]))).toEqual(['ann: 100 usdc -> 5 pepe'])
  })

  test('is no wrap: the native coin and its wrapped form are one asset', () => {
    expect(tradesIn(txOf([swap('pool'), wrap('ann', 100n)], { amount: 100n, recipient: weth }))).toEqual([])
    expect(tradesIn(txOf([swap('pool'), unwrap('ann', 100n)], { recipient: weth }))).toEqual([])
  })

  test('counts a wrap once if its contract emits a Transfer too', () => {
    const zero = `0x${'0'.repeat(40)}`
    const logs = [wrap('ann', 100n), move(weth, zero, 'ann', 100n), move(weth, 'ann', 'pool', 100n), swap('pool')]
    expect(tradesIn(txOf([...logs, move('pepe', 'pool', 'ann', 7n)], { amount: 100n }))).toEqual([
      'ann: 100 native -> 7 pepe',
    ])
  })

  test('counts a token of two contracts over one ledger once, under the first to log', () => {
    const twice = (sender: string, recipient: string) => [
      move('eure_v2', sender, recipient, 10n),
      move('eure_v1', sender, recipient, 10n),
    ]
    const logs = [...twice('ann', 'router'), ...twice('router', 'pool'), swap('pool'), move('pepe', 'pool', 'ann', 3n)]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 10 eure_v2 -> 3 pepe'])
  })

  test('of more of a token than was paid, through two swaps, is an arbitrage', () => {
    const logs = [
      move('dai', 'ann', 'pool_a', 100n),
      move('pepe', 'pool_a', 'pool_b', 5n),
      swap('pool_a'),
      move('dai', 'pool_b', 'ann', 103n),
      swap('pool_b'),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 dai -> 103 dai (arbitrage)'])
  })
})

describe('the wallet', () => {
  test('of a user operation is its account, with the logs of that operation alone', () => {
    const operation = (wallet: string, amount: bigint) => [
      move('usdc', wallet, 'pool', amount),
      swap('pool'),
      move('pepe', 'pool', wallet, amount * 2n),
      { operation: wallet },
    ]
    const logs = [...operation('safe_a', 10n), ...operation('safe_b', 20n), ...operation('safe_a', 30n)]
    expect(tradesIn(txOf(logs, { sender: 'bundler' }))).toEqual([
      'safe_a: 10 usdc -> 20 pepe',
      'safe_b: 20 usdc -> 40 pepe',
      'safe_a: 30 usdc -> 60 pepe',
    ])
  })

  test('of a settled order is its owner, or the receiver if a contract placed it', () => {
    const order = { family: 'cow', pool: null, sender: 'settlement', recipient: null }
    const placer = '0x40a50cf069e992aa4536211b23f286ef88752187'
    const logs = [
      swap('', { ...order, trader: 'ann', token0: 'usdc', amount0: 100n, token1: weth, amount1: -3n }),
      swap('', { ...order, trader: placer, token0: weth, amount0: 5n, token1: 'pepe', amount1: -70n }),
      move('pepe', 'settlement', 'bob', 70n),
    ]
    expect(tradesIn(txOf(logs, { sender: 'solver' }))).toEqual([
      'ann: 100 usdc -> 3 native',
      'bob: 5 native -> 70 pepe',
    ])
  })

  test('is the taker that an event names, and not the relayer', () => {
    const logs = [
      move('usdc', 'bob', 'pool', 100n),
      move('pepe', 'pool', 'bob', 9n),
      swap('pool'),
      swap('', { family: 'zerox', pool: null, trader: 'bob' }),
    ]
    expect(tradesIn(txOf(logs, { sender: 'relayer' }))).toEqual(['bob: 100 usdc -> 9 pepe'])
  })

  test('is the contract wallet that a sender without movements calls, also with the native coin', () => {
    const called = { recipient: 'safe' }
    const logs = [move('usdc', 'safe', 'pool', 100n), swap('pool'), move('pepe', 'pool', 'safe', 9n)]
    expect(tradesIn(txOf(logs, called))).toEqual(['safe: 100 usdc -> 9 pepe'])
    const paid = [
      wrap('router', 50n),
      move(weth, 'router', 'pool', 50n),
      swap('pool'),
      move('pepe', 'pool', 'safe', 9n),
    ]
    expect(tradesIn(txOf(paid, called))).toEqual(['safe: 50 native -> 9 pepe (bound)'])
    expect(tradesIn(txOf(logs, called), someChain({ isContract: (address) => address === 'safe' }))).toEqual([])
  })

  test('is the contract of a bot that is called with a few units of the native coin, and no router or vault', () => {
    const called = { recipient: 'bot', amount: 7n }
    const bought = [
      move(weth, 'bot', 'pool', 9_000n),
      move('pepe', 'pool', 'bot', 50n),
      swap('pool', { recipient: 'bot' }),
    ]
    expect(tradesIn(txOf(bought, called))).toEqual(['bot: 9000 native -> 50 pepe'])
    const sold = [
      move('pepe', 'bot', 'pool', 50n),
      move(weth, 'pool', 'bot', 9_100n),
      swap('pool', { recipient: 'bot' }),
    ]
    expect(tradesIn(txOf(sold, called))).toEqual(['bot: 50 pepe -> 9100 native'])
    const paid = { recipient: 'router', amount: 9_000n }
    const routed = [
      wrap('router', 9_000n),
      move(weth, 'router', 'pool', 9_000n),
      move('pepe', 'pool', 'router', 50n),
      swap('pool'),
      move('pepe', 'router', 'friend', 49n),
    ]
    expect(tradesIn(txOf(routed, paid))).toEqual(['ann: 9000 native -> 49 pepe'])
    const quoted = [move('pepe', 'router', 'friend', 50n), swap('', { pool: null, recipient: 'friend' })]
    expect(tradesIn(txOf(quoted, paid))).toEqual(['ann: 9000 native -> 50 pepe'])
  })

  test('of a user operation does not trade its prepayment to the entry point', () => {
    const logs = [
      move('usdc', 'safe', 'pool', 100n),
      swap('pool'),
      move('pepe', 'pool', 'safe', 9n),
      { operation: 'safe' },
    ]
    const tx = txOf(logs, { sender: 'bundler', recipient: 'entry' })
    const fee = { ...move('native', 'safe', 'entry', 3n), kind: 'internal', log_index: -1 }
    expect(tradesIn({ ...tx, transfers: [...tx.transfers, fee] })).toEqual(['safe: 100 usdc -> 9 pepe'])
  })

  test('is the receiver that also paid if nothing names it, and no vault', () => {
    const logs = [
      move('usdc', 'bob', 'vault', 100n),
      move('pepe', 'vault', 'bob', 9n),
      swap('pool', { amount0: 100n, amount1: -9n, sender: null, recipient: null }),
      move('usdc', 'vault', 'other', 1n),
    ]
    expect(tradesIn(txOf(logs, { sender: 'relayer' }))).toEqual(['bob: 100 usdc -> 9 pepe'])
    const isContract = (address: string): boolean => address === 'bob'
    expect(tradesIn(txOf(logs, { sender: 'relayer' }), someChain({ isContract }))).toEqual([])
  })
})

describe('the native coin', () => {
  const sale = [
    move('usdc', 'ann', 'pool', 100n),
    move(weth, 'pool', 'router', 50n),
    swap('pool'),
    unwrap('router', 50n),
  ]

  test('is what came out of unwraps, and exact with traces', () => {
    expect(tradesIn(txOf(sale))).toEqual(['ann: 100 usdc -> 50 native (bound)'])
    const traced = txOf(sale)
    const trace = { ...move('native', 'router', 'ann', 49n), kind: 'internal', log_index: -1 }
    expect(tradesIn({ ...traced, transfers: [...traced.transfers, trace] })).toEqual(['ann: 100 usdc -> 49 native'])
  })

  test('is what traces show also where they show none of the wallet', () => {
    // A router that pays nothing out: what it unwrapped is not of the sender.
    expect(tradesIn(txOf(sale, { is_traced: true }))).toEqual([])
    const bought = [
      wrap('router', 50n),
      move(weth, 'router', 'pool', 50n),
      swap('pool'),
      move('usdc', 'pool', 'ann', 100n),
    ]
    expect(tradesIn(txOf(bought, { amount: 60n }))).toEqual(['ann: 50 native -> 100 usdc (bound)'])
    const refund = { ...move('native', 'router', 'ann', 7n), kind: 'internal', log_index: -2 }
    const traced = txOf(bought, { amount: 60n, is_traced: true })
    expect(tradesIn(traced)).toEqual(['ann: 60 native -> 100 usdc'])
    expect(tradesIn({ ...traced, transfers: [...traced.transfers, refund] })).toEqual(['ann: 53 native -> 100 usdc'])
  })

  test('of a maker is what traces show that it was paid', () => {
    const filled = [...sale, swap('', { pool: null, family: 'uniswapx', trader: 'ann' })]
    const pay = (to: string, amount: bigint, log_index: number) => ({
      ...move('native', 'router', to, amount),
      kind: 'internal',
      log_index,
    })
    const traced = txOf(filled, { sender: 'filler', is_traced: true })
    const transfers = [...traced.transfers, pay('ann', 48n, -2), pay('filler', 2n, -3)]
    expect(tradesIn({ ...traced, transfers })).toEqual(['ann: 100 usdc -> 48 native'])
  })

  test('that traces show of an account with several operations counts once, as a bound', () => {
    const sell = (amount: bigint) => [
      move('usdc', 'acc', 'pool', amount),
      move(weth, 'pool', 'router', amount / 2n),
      swap('pool'),
      unwrap('router', amount / 2n),
      { operation: 'acc' },
    ]
    const traced = txOf([...sell(100n), ...sell(40n)], { sender: 'bundler', recipient: 'entry', is_traced: true })
    const calls = [49n, 19n].map((amount, n) => ({
      ...move('native', 'router', 'acc', amount),
      kind: 'internal',
      log_index: -2 - n,
    }))
    expect(tradesIn({ ...traced, transfers: [...traced.transfers, ...calls] })).toEqual([
      'acc: 40 usdc -> 68 native (bound)',
    ])
  })

  test('is the amount that a router names', () => {
    const named = swap('', { pool: null, token0: 'usdc', amount0: 100n, token1: 'native', amount1: -48n })
    expect(tradesIn(txOf([...sale, named]))).toEqual(['ann: 100 usdc -> 48 native'])
  })

  test('that a taxed token gets for its own tokens inside a sale is not of the wallet', () => {
    const own = [
      move('pepe', 'pepe', 'pool', 30n),
      move(weth, 'pool', 'other_router', 15n),
      swap('pool', { amount0: 30n, amount1: -15n }),
      unwrap('other_router', 15n),
    ]
    const liquidity = [
      move('pepe', 'pepe', 'pool', 30n),
      wrap('other_router', 14n),
      move(weth, 'other_router', 'pool', 14n),
    ]
    const sold = (recipient: string) => [
      move('pepe', 'ann', 'pool', 100n),
      move(weth, 'pool', recipient, 50n),
      swap('pool', { amount0: 100n, amount1: -50n }),
    ]
    const line = 'ann: 100 pepe -> 50 native'
    expect(tradesIn(txOf([...own, ...sold('router'), unwrap('router', 50n)]))).toEqual([`${line} (bound)`])
    expect(tradesIn(txOf([...own, ...sold('ann')]))).toEqual([line])
    expect(tradesIn(txOf([...own, ...liquidity, ...sold('router'), unwrap('router', 50n)]))).toEqual([
      `${line} (bound)`,
    ])
  })

  test('that a taxed token gets after the transfer of a wallet leaves the sale of that wallet as it is', () => {
    const sale = (paid: bigint) => [
      move('pepe', 'ann', 'pool', 100n),
      move('pepe', 'pepe', 'pool', 2n),
      move(weth, 'pool', 'pepe', 1n),
      swap('pool', { amount0: 2n, amount1: -1n }),
      move(weth, 'pool', 'router', paid),
      swap('pool', { amount0: 100n, amount1: -paid }),
      unwrap('router', paid),
    ]
    expect(tradesIn(txOf([...sale(50n), ...sale(48n)]))).toEqual(['ann: 200 pepe -> 98 native (bound)'])
  })

  test('that a pool unwraps stays in the pool', () => {
    const logs = [wrap('router', 50n), move(weth, 'router', 'pool', 50n), unwrap('pool', 50n), swap('pool')]
    const tx = txOf([...logs, move('pepe', 'pool', 'ann', 7n)], { amount: 50n })
    expect(tradesIn(tx)).toEqual(['ann: 50 native -> 7 pepe'])
  })

  test('that was sent and not used comes back after a purchase of an exact amount, and is a fee otherwise', () => {
    const purchase = (bought: bigint, used: bigint) => [
      wrap('router', used),
      move(weth, 'router', 'pool', used),
      swap('pool'),
      move('pepe', 'pool', 'ann', bought),
    ]
    expect(tradesIn(txOf(purchase(7_000_000n, 99_123n), { amount: 99_999n }))).toEqual([
      'ann: 99123 native -> 7000000 pepe (bound)',
    ])
    expect(tradesIn(txOf(purchase(7_123_457n, 99_123n), { amount: 100_000n }))).toEqual([
      'ann: 100000 native -> 7123457 pepe (bound)',
    ])
    expect(tradesIn(txOf(purchase(7_123_457n, 60_123n), { amount: 100_000n }))).toEqual([
      'ann: 60123 native -> 7123457 pepe (bound)',
    ])
  })

  test('is the leg of a singleton that no Transfer moved, or that its tokens name', () => {
    const v4 = { family: 'uniswap_v4', sender: 'router', recipient: null }
    const logs = [move('usdc', 'ann', 'manager', 100n), swap('0xid', { ...v4, amount0: -50n, amount1: 100n })]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 50 native (bound)'])
    const tokensOf = (pool: string) => (pool === '0xid' ? ['dai', 'usdc'] : undefined)
    expect(tradesIn(txOf(logs), someChain({ tokensOf }))).toEqual([])
  })

  test('does not come from the first token of a route inside a singleton', () => {
    const v4 = { family: 'uniswap_v4', sender: 'router', recipient: null }
    const logs = [
      move('usdc', 'ann', 'manager', 100n),
      swap('0xa', { ...v4, amount0: -77n, amount1: 100n }),
      swap('0xb', { ...v4, amount0: 77n, amount1: -9n }),
      move('pepe', 'manager', 'ann', 9n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 9 pepe'])
  })
})
