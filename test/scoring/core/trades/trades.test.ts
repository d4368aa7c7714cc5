import { describe, expect, test } from 'vitest'

import { build, movesOf, swap, transaction, transfer } from '#test/scoring/core/chains/lake.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

const e18 = 10n ** 18n
type Leg = readonly [string, bigint]

/** The rows of a trade of `wallet` through a pool of the two tokens. */
const trade = (wallet: string, sold: Leg, bought: Leg, block: number, more: Rows[string][number] = {}): Rows => ({
  'lake.transactions': [transaction(wallet, { block }, more)],
  'lake.swaps': [swap(`${sold[0]}/${bought[0]}`, sold, bought, { block })],
  'lake.transfers': movesOf(`${sold[0]}/${bought[0]}`, wallet, [sold, bought], { block }),
})

const merged = (all: readonly Rows[]): Rows =>
  Object.fromEntries(
    [...new Set(all.flatMap((rows) => Object.keys(rows)))].map((table) => [
      table,
      all.flatMap((rows) => rows[table] ?? []),
    ]),
  )

/** Three senders trade the coin at 3,000 dollars. */
const coin = ['x', 'y', 'z'].map((wallet, n) => trade(wallet, ['usdc', 3_000_000_000n], ['weth', e18], n + 1))
const a = (amount: bigint): Leg => ['a', amount * e18]
const b = (amount: bigint): Leg => ['b', amount]

const tradesOf = async (...all: Rows[]): Promise<unknown[][]> => {
  const { 'core.trades': rows } = await build(['core.trades'], merged([...coin, ...all]))
  return rows
    .filter(({ wallet }) => !['x', 'y', 'z'].includes(String(wallet)))
    .map((row) => [
      row['wallet'],
      row['token_sold'],
      row['token_bought'],
      row['usd'],
      row['usd_method'],
      row['gas_usd'],
    ])
}

describe('the value of a trade', () => {
  test('is that of its stable, then of its coin', async () => {
    expect(
      await tradesOf(
        trade('ann', ['usdc', 100_000_000n], a(50n), 10),
        trade('bob', ['weth', e18 / 2n], ['usdc', 1_490_000_000n], 11),
        // The coin's price is 10,490 / 3.5 dollars in these five minutes.
        trade('cem', b(7n), ['weth', e18 / 3n], 12),
      ),
    ).toEqual([
      ['ann', 'usdc', 'a', '100.000000', 'stable', '0.000000'],
      ['bob', 'native', 'usdc', '1490.000000', 'stable', '0.000000'],
      ['cem', 'b', 'native', '999.047619', 'coin', '0.000000'],
    ])
  })

  test('without money is that of the token with a price, and null if both are thin', async () => {
    const buys = ['ann', 'bob', 'cem'].map((wallet, n) => trade(wallet, ['usdc', 100_000_000n], a(50n), 10 + n))
    const rows = await tradesOf(...buys, trade('dia', b(3n), a(30n), 20))
    expect(rows.at(-1)).toEqual(['dia', 'b', 'a', '60.000000', 'price', '0.000000'])
    const thin = await tradesOf(...buys.slice(1), trade('dia', b(3n), a(30n), 20))
    expect(thin.at(-1)).toEqual(['dia', 'b', 'a', null, 'none', '0.000000'])
  })

  test('from 2 billion dollars on is none', async () => {
    expect(await tradesOf(trade('ann', ['usdc', 2_000_000_000_000_000n], a(1n), 10))).toEqual([
      ['ann', 'usdc', 'a', null, 'none', '0.000000'],
    ])
    expect(await tradesOf(trade('ann', ['usdc', 2n ** 256n - 1n], a(1n), 10))).toEqual([
      ['ann', 'usdc', 'a', null, 'none', '0.000000'],
    ])
  })
})

test('two stables, and a share of a pool, are no trade', async () => {
  const rows = merged([
    trade('ann', ['usdc', 100_000_000n], ['dai', 100n * e18], 10),
    trade('bob', ['usdc', 100_000_000n], ['0xlp', e18], 11),
  ])
  expect(
    await tradesOf({ ...rows, 'lake.pools': [{ chain: 'base', pool: '0xlp', tokens: ['a', 'b'], source: 'evm' }] }),
  ).toEqual([])
})

test('the gas is paid by the sender, once for each transaction, at the price of the coin', async () => {
  const fee = { amount_fee: '1000000000000000' }
  const order = { family: 'cow', pool: null, sender: 'settlement', recipient: null }
  const cow = {
    'lake.transactions': [transaction('solver', { block: 30 }, fee)],
    'lake.swaps': [
      { ...swap('', ['usdc', 60_000_000n], a(30n), { block: 30, log_index: 4 }), ...order, trader: 'bob' },
      { ...swap('', ['usdc', 20_000_000n], a(10n), { block: 30, log_index: 5 }), ...order, trader: 'bob' },
    ],
  }
  const operation = (wallet: string, paymaster: string, block: number): Rows => {
    const rows = trade(wallet, ['usdc', 100_000_000n], a(50n), block, { ...fee, sender: 'bundler' })
    const [logs] = [{ chain: 'base', block, tx_index: 0, tx: `0x${block}`, log_index: 20, source: 'evm' }]
    return {
      ...rows,
      'lake.user_operations': [
        {
          ...logs,
          ts: rows['lake.swaps']?.[0]?.['ts'] ?? '',
          sender: wallet,
          paymaster,
          is_ok: true,
          amount_fee: '2000000000000000',
        },
      ],
    }
  }
  const rows = await tradesOf(
    trade('ann', ['usdc', 100_000_000n], a(50n), 10, fee),
    cow,
    operation('cem', `0x${'0'.repeat(40)}`, 40),
    operation('dia', 'payer', 41),
  )
  expect(rows.map(([wallet, , , , , gas]) => `${String(wallet)} ${String(gas)}`)).toEqual([
    'ann 3.000000',
    'bob 0.000000',
    'bob 0.000000',
    'cem 6.000000',
    'dia 0.000000',
  ])
})

test('a trade is its own reverse if another wallet of the owner has the other side', async () => {
  const fill = { family: 'zerox', pool: null, recipient: null, trader: 'bob' }
  const rows: Rows = {
    'lake.transactions': [transaction('ann', { block: 10 })],
    'lake.swaps': [{ ...swap('', ['usdc', 90_000_000n], a(45n), { block: 10 }), ...fill }],
    'lake.transfers': [
      transfer('usdc', ['ann', 'bob'], 90_000_000n, { block: 10, log_index: 1 }),
      transfer('a', ['bob', 'ann'], 45n * e18, { block: 10, log_index: 2 }),
    ],
  }
  const selfOf = async (more: Rows): Promise<unknown[]> => {
    const { 'core.trades': found } = await build(['core.trades'], { ...rows, ...more })
    return found.map(({ wallet, is_self }) => [wallet, is_self])
  }
  expect(await selfOf({})).toEqual([
    ['ann', false],
    ['bob', false],
  ])
  const addresses = [{ chain: 'base', address: 'bob', owner: 'ann', kind: 'safe', source: 'evm' }]
  expect(await selfOf({ 'lake.addresses': addresses })).toEqual([
    ['ann', true],
    ['bob', true],
  ])
})
