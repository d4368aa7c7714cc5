import { expect, test } from 'vitest'

import { build, movesOf, swap, transaction, transfer } from '#test/scoring/core/chains/lake.ts'

const most = 2n ** 256n - 1n

test('flows and trades have amounts of any size, the tokens of pools, and what other addresses moved', async () => {
  const found = await build(['core.flows', 'core.other_flows', 'core.trade_legs'], {
    'lake.transactions': [
      transaction('ann', { block: 7 }),
      transaction('bob', { block: 8 }, { amount: 50 }),
      transaction('ann', { block: 9 }, { recipient: 'usdc' }),
      // After the clock.
      transaction('ann', { block: 10, ts: '2026-11-20 12:00:01' }),
    ],
    'lake.swaps': [
      swap('pool', ['usdc', most], ['weth', 9n], { block: 7 }),
      {
        ...swap('0xid', ['', 50n], ['', 9n], { block: 8 }),
        family: 'uniswap_v4',
        token0: null,
        token1: null,
        coin0_index: 0,
        coin1_index: 1,
      },
    ],
    'lake.transfers': [
      transfer('usdc', ['ann', 'pool'], most, { block: 7, log_index: 1 }),
      transfer('weth', ['pool', 'ann'], 9n, { block: 7, log_index: 2 }),
      transfer('a', ['manager', 'bob'], 9n, { block: 8, log_index: 8 }),
      transfer('usdc', ['ann', 'bob'], 9n, { block: 9 }),
      transfer('usdc', ['ann', 'bob'], 9n, { block: 10, ts: '2026-11-20 12:00:01' }),
      // Its transaction was not read.
      transfer('usdc', ['ann', 'bob'], 9n, { block: 11 }),
    ],
    'lake.pools': [{ chain: 'base', pool: '0xid', tokens: ['native', 'a'], source: 'evm' }],
  })
  const shown = (table: keyof typeof found, ...names: string[]): string[] =>
    found[table].map((row) => names.map((name) => String(row[name])).join(' '))
  expect(shown('core.flows', 'tx', 'wallet', 'seq', 'token', 'amount', 'counterparty', 'is_inferred')).toEqual([
    `0x7 ann -1 native 9 pool false`,
    `0x7 ann -1 usdc -${most} pool false`,
    '0x9 ann -1 usdc -9 bob false',
    '0x8 bob -1 a 9 manager false',
    '0x8 bob -1 native -50 router false',
  ])
  expect(shown('core.other_flows', 'tx', 'wallet', 'token', 'amount', 'counterparty')).toEqual([
    '0x9 bob usdc 9 ann',
    '0x8 manager a -9 bob',
    '0x8 router native 50 bob',
  ])
  expect(
    shown(
      'core.trade_legs',
      'tx',
      'wallet',
      'seq',
      'kind',
      'token_sold',
      'amount_sold',
      'token_bought',
      'amount_bought',
    ),
  ).toEqual([`0x7 ann 0 swap usdc ${most} native 9`, '0x8 bob 0 swap native 50 a 9'])
  expect(shown('core.trade_legs', 'protocol', 'n_swaps', 'ts')).toEqual([
    'uniswap_v3 1 2026-11-20 10:00:14',
    'uniswap_v4 1 2026-11-20 10:00:16',
  ])
})

test('several assets on one side share the other by the prices of the lake, dust is no leg, and a contract is no wallet', async () => {
  const e18 = 10n ** 18n
  const dollars = (amount: bigint): readonly [string, bigint] => ['usdc', amount * 1_000_000n]
  // Three senders pay 2 dollars for an `a`, and 40 for a `b`.
  const priced = ['x', 'y', 'z'].flatMap((by, n) => [
    { by, block: 2 * n, pool: 'a_usd', legs: [dollars(100n), ['a', 50n * e18]] as const },
    { by, block: 2 * n + 1, pool: 'b_usd', legs: [dollars(120n), ['b', 3n]] as const },
  ])
  const basket = (block: number, dust: bigint) => [
    transfer('usdc', ['ann', 'router'], 100_000_000n, { block, log_index: 1 }),
    transfer('a', ['pool', 'ann'], 10n * e18, { block, log_index: 2 }),
    transfer('b', ['pool', 'ann'], 2n, { block, log_index: 3 }),
    transfer('dai', ['pool', 'ann'], dust, { block, log_index: 4 }),
  ]
  const { 'core.trade_legs': legs } = await build(['core.trade_legs'], {
    'lake.transactions': [
      ...priced.map(({ by, block }) => transaction(by, { block })),
      transaction('ann', { block: 20 }),
      transaction('ann', { block: 21 }, { recipient: 'bot' }),
    ],
    'lake.swaps': [
      ...priced.map(({ block, pool, legs: [paid, got] }) => swap(pool, paid, got, { block })),
      swap('pool', ['usdc', 1n], ['a', 1n], { block: 20 }),
      swap('pool', ['usdc', 1n], ['a', 1n], { block: 21 }),
    ],
    'lake.transfers': [
      ...priced.flatMap(({ by, block, pool, legs: pair }) => movesOf(pool, by, pair, { block })),
      ...basket(20, e18 / 200n),
      transfer('usdc', ['bot', 'pool'], 5n, { block: 21, log_index: 1 }),
      transfer('a', ['pool', 'bot'], 5n, { block: 21, log_index: 2 }),
    ],
    'lake.addresses': [{ chain: 'base', address: 'bot', kind: 'contract', source: 'evm' }],
  })
  const shown = legs
    .filter(({ block }) => Number(block) >= 20)
    .map((row) => ['wallet', 'amount_sold', 'token_bought', 'amount_bought'].map((name) => String(row[name])).join(' '))
  // 20 dollars of `a` and 80 of `b` for 100.
  expect(shown).toEqual([`ann 20000000 a ${10n * e18}`, 'ann 80000000 b 2'])
})
