import { describe, expect, test } from 'vitest'

import { move, someChain, swap, tradesIn, txOf, unwrap, weth, wrap, type Log } from './facts.ts'

const zero = `0x${'0'.repeat(40)}`

/** Ann sells 100 usdc for 5 pepe through a router and two pools. */
const route: Log[] = [
  move('usdc', 'ann', 'router', 100n),
  move('usdc', 'router', 'pool_a', 100n),
  move('dai', 'pool_a', 'pool_b', 99n),
  move('pepe', 'pool_b', 'router', 5n),
  move('pepe', 'router', 'ann', 5n),
]
const priced = (usd: Record<string, bigint>) =>
  someChain({ usdOf: (token, amount) => (token in usd ? amount * (usd[token] ?? 0n) : null) })

describe('without an event, a trade is', () => {
  test('what pools exchange in a call of the wallet', () => {
    expect(tradesIn(txOf(route))).toEqual(['ann: 100 usdc -> 5 pepe'])
    expect(tradesIn(txOf(route, { sender: 'bob' }))).toEqual([])
    expect(tradesIn(txOf([...route, { operation: 'ann' }], { sender: 'bundler' }))).toEqual(['ann: 100 usdc -> 5 pepe'])
  })

  test('the same with fees of the router and a tax of the token', () => {
    const logs = [
      ...route.slice(0, 4),
      move('pepe', 'router', 'pepe', 1n),
      move('pepe', 'router', zero, 1n),
      move('pepe', 'router', 'ann', 3n),
      move('usdc', 'ann', 'collector', 1n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 101 usdc -> 3 pepe'])
  })

  test('a purchase with the native coin, and a sale for what the router unwraps, which is a bound', () => {
    const buys = [wrap('router', 10n), move(weth, 'router', 'pool', 10n), move('pepe', 'pool', 'ann', 7n)]
    expect(tradesIn(txOf(buys, { amount: 10n }))).toEqual(['ann: 10 native -> 7 pepe'])
    const sells = [move('pepe', 'ann', 'pool', 7n), move(weth, 'pool', 'router', 10n), unwrap('router', 10n)]
    expect(tradesIn(txOf(sells))).toEqual(['ann: 7 pepe -> 10 native (bound)'])
  })

  test('possible if the called contract alone gave the asset, and decided by values where there are prices', () => {
    const direct = [move('usdc', 'ann', 'router', 100n), move('pepe', 'router', 'ann', 5n)]
    expect(tradesIn(txOf(direct))).toEqual(['ann: 100 usdc -> 5 pepe (possible)'])
    expect(tradesIn(txOf(direct), priced({ usdc: 100_000n, pepe: 1_900_000n }))).toEqual(['ann: 100 usdc -> 5 pepe'])
    // As a loan of two thirds of its collateral.
    const loan = priced({ usdc: 100_000n, pepe: 1_340_000n })
    expect(tradesIn(txOf(direct), loan)).toEqual([])
    expect(tradesIn(txOf(route), loan)).toEqual(['ann: 100 usdc -> 5 pepe (possible)'])
  })

  test('a purchase whose way no row shows, if both legs have one value', () => {
    const bought = txOf([move('pepe', 'vault', 'ann', 7n)], { amount: 10n })
    expect(tradesIn(bought)).toEqual([])
    expect(tradesIn(bought, priced({ native: 700_000n, pepe: 1_000_000n }))).toEqual(['ann: 10 native -> 7 pepe'])
    expect(tradesIn(bought, priced({ native: 70_000n, pepe: 1_000_000n }))).toEqual([])
  })
})

describe('without an event, no trade is', () => {
  const none: [string, Log[]][] = [
    ['a deposit for new shares', [move('usdc', 'ann', 'vault', 100n), move('share', zero, 'ann', 90n)]],
    [
      'a deposit that a router makes',
      [
        move('usdc', 'ann', 'router', 100n),
        move('usdc', 'router', 'vault', 100n),
        move('share', zero, 'router', 90n),
        move('share', 'router', 'ann', 90n),
      ],
    ],
    [
      'a deposit for shares of their own contract',
      [move('usdc', 'ann', 'share', 100n), move('share', 'share', 'ann', 9n)],
    ],
    ['a redemption of shares', [move('share', 'ann', zero, 90n), move('usdc', 'vault', 'ann', 100n)]],
    [
      'a redemption by their own contract',
      [
        move('lp', 'ann', 'lp', 90n),
        move('lp', 'lp', zero, 90n),
        move('usdc', 'lp', 'ann', 100n),
        move('pepe', 'lp', 'ann', 5n),
      ],
    ],
    [
      'a loan with a token of the debt',
      [move('weth_', 'ann', 'market', 10n), move('usdc', 'market', 'ann', 100n), move('debt', zero, 'ann', 100n)],
    ],
    [
      'a claim that is paid to another contract',
      [move('usdc', 'ann', 'treasury', 10n), move('pepe', 'vesting', 'ann', 500n)],
    ],
    [
      'a lock that brings the fees of another contract',
      [move('crv', 'ann', 'lock', 10n), move('usdc', 'fees', 'ann', 3n)],
    ],
    [
      'a stake that brings new rewards',
      [move('lp', 'ann', 'chef', 10n), move('sushi', zero, 'chef', 3n), move('sushi', 'chef', 'ann', 3n)],
    ],
    ['an airdrop', [move('pepe', 'airdrop', 'ann', 5n)]],
    ['a payment', [move('usdc', 'ann', 'shop', 5n)]],
  ]
  test.each(none)('%s', (_name, logs) => {
    expect(tradesIn(txOf(logs))).toEqual([])
  })

  test('a call of one of the tokens, or of the wrapped coin', () => {
    const logs = [move('usdc', 'ann', 'vault', 100n), move('pepe', 'vault', 'ann', 5n)]
    for (const recipient of ['usdc', 'pepe', weth]) expect(tradesIn(txOf(logs, { recipient }))).toEqual([])
  })

  test('what another one than the caller moved', () => {
    const logs = [move('usdc', 'bob', 'pool', 100n), move('pepe', 'pool', 'bob', 5n)]
    expect(tradesIn(txOf(logs))).toEqual([])
  })
})

test('beside an event, shares that no pool gave are possibly a deposit', () => {
  const zap = [
    move('usdc', 'ann', 'router', 100n),
    move('usdc', 'router', 'pool', 50n),
    move('pepe', 'pool', 'router', 5n),
    swap('pool'),
    move('usdc', 'router', 'lp', 50n),
    move('pepe', 'router', 'lp', 5n),
    move('lp', zero, 'ann', 7n),
  ]
  expect(tradesIn(txOf(zap))).toEqual(['ann: 100 usdc -> 7 lp (possible)'])
})

test('a small rest of what was swapped is possibly that of a deposit, with an event and without', () => {
  const logs = [
    move('usdc', 'ann', 'router', 100n),
    move('usdc', 'router', 'pool', 50n),
    move('pepe', 'pool', 'router', 500n),
    move('usdc', 'router', 'position', 50n),
    move('pepe', 'router', 'position', 490n),
    move('pepe', 'router', 'ann', 10n),
  ]
  for (const events of [[], [swap('pool')]])
    expect(tradesIn(txOf([...logs, ...events]))).toEqual(['ann: 100 usdc -> 10 pepe (possible)'])
})

describe('the native coin that no row shows', () => {
  test('is no profit of a resolver who fills the order of a maker', () => {
    // The maker sells pepe and gets native coin; ann pays the wrapped coin for it.
    const logs = [
      move('pepe', 'maker', 'ann', 7n),
      move(weth, 'ann', 'router', 10n),
      unwrap('router', 10n),
      swap('', { pool: null, family: 'oneinch_v6' }),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 10 native -> 7 pepe'])
  })

  test('is no round trip, however much more comes out of pools than was sent', () => {
    const logs = [
      wrap('router', 10n),
      move(weth, 'router', 'pool_a', 10n),
      move('pepe', 'pool_a', 'pool_b', 7n),
      swap('pool_a'),
      move(weth, 'pool_b', 'router', 13n),
      swap('pool_b'),
      unwrap('router', 13n),
    ]
    expect(tradesIn(txOf(logs, { amount: 10n }))).toEqual([])
  })

  test('is no second trade of a wallet that bought a token', () => {
    const logs = [
      move('usdc', 'ann', 'pool', 100n),
      swap('pool'),
      move('pepe', 'pool', 'ann', 7n),
      move(weth, 'pool_b', 'router', 1n),
      unwrap('router', 1n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 7 pepe'])
  })
})
