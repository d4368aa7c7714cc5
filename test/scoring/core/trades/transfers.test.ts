import { describe, expect, test } from 'vitest'

import { build, swap, transaction, transfer } from '#test/scoring/core/chains/lake.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

const e18 = 10n ** 18n

/** `ann` buys 50 a for 100 usdc in block 10. */
const bought: Rows = {
  'lake.transactions': [transaction('ann', { block: 10 })],
  'lake.swaps': [swap('pool', ['usdc', 100_000_000n], ['a', 50n * e18], { block: 10 })],
  'lake.transfers': [
    transfer('usdc', ['ann', 'pool'], 100_000_000n, { block: 10, log_index: 1 }),
    transfer('a', ['pool', 'ann'], 50n * e18, { block: 10, log_index: 2 }),
  ],
}

const transfersOf = async (...all: Rows[]): Promise<string[]> => {
  const rows = Object.fromEntries(
    ['lake.transactions', 'lake.swaps', 'lake.transfers', 'lake.addresses'].map((table) => [
      table,
      [bought, ...all].flatMap((one) => one[table] ?? []),
    ]),
  )
  const { 'core.transfers': found } = await build(['core.transfers'], rows)
  return found.map((row) =>
    'wallet tx seq token direction amount counterparty usd basis'
      .split(' ')
      .map((name) => String(row[name]))
      .join(' '),
  )
}

const sent = (
  token: string,
  parties: readonly [string, string],
  amount: bigint,
  block: number,
  by = parties[0],
): Rows => ({
  'lake.transactions': [transaction(by, { block })],
  'lake.transfers': [transfer(token, parties, amount, { block })],
})

describe('a transfer', () => {
  test('is what moved beside the trades of a wallet: received and sent, at the market value', async () => {
    expect(await transfersOf(sent('usdc', ['zed', 'ann'], 7_000_000n, 11), sent('a', ['ann', 'zed'], 3n, 12))).toEqual([
      'ann 0x11 -1 usdc in 7000000 zed 7.000000 market',
      'ann 0x12 0 a out 3 zed null unpriced',
    ])
  })

  test('is no leg of a trade: a trade has what the wallet kept', async () => {
    expect(await transfersOf()).toEqual([])
    const onward: Rows = { 'lake.transfers': [transfer('a', ['ann', 'zed'], 20n * e18, { block: 10, log_index: 12 })] }
    expect(await transfersOf(onward)).toEqual([])
  })

  test('is what a wallet bought for another address', async () => {
    const gift: Rows = {
      'lake.transactions': [transaction('ann', { block: 11 })],
      'lake.swaps': [{ ...swap('pool', ['usdc', 9n], ['a', 4n], { block: 11 }), recipient: 'zed' }],
      'lake.transfers': [
        transfer('usdc', ['ann', 'pool'], 9n, { block: 11, log_index: 1 }),
        transfer('a', ['pool', 'zed'], 4n, { block: 11, log_index: 2 }),
      ],
    }
    expect(await transfersOf(gift)).toEqual(['ann 0x11 1 a out 4  null unpriced'])
  })

  test('of the native coin is also what was sent with a transaction', async () => {
    const paid: Rows = { 'lake.transactions': [transaction('zed', { block: 11 }, { recipient: 'ann', amount: '5' })] }
    expect(await transfersOf(paid)).toEqual(['ann 0x11 -1 native in 5 zed null unpriced'])
  })

  test('of a failed transaction is none, and neither is one of an address that never traded', async () => {
    const failed: Rows = {
      'lake.transactions': [transaction('ann', { block: 11 }, { is_ok: false, recipient: 'zed', amount: '5' })],
    }
    expect(await transfersOf(failed, sent('usdc', ['zed', 'yves'], 7n, 12))).toEqual([])
  })

  const owned: Rows = {
    'lake.addresses': [{ chain: 'base', address: 'safe', owner: 'ann', kind: 'safe', source: 'evm' }],
  }

  test('between two wallets of one owner is a carry, and the rest is not', async () => {
    const both: Rows = {
      'lake.transactions': [transaction('ann', { block: 11 })],
      'lake.transfers': [
        transfer('a', ['ann', 'safe'], 10n, { block: 11, log_index: 1 }),
        transfer('a', ['ann', 'zed'], 4n, { block: 11, log_index: 2 }),
      ],
    }
    expect(await transfersOf(owned, both)).toEqual([
      'ann 0x11 0 a out 4 safe null unpriced',
      'ann 0x11 1 a out 10 safe null carry',
      'safe 0x11 1 a in 10 ann null carry',
    ])
    expect(await transfersOf(both)).toEqual(['ann 0x11 0 a out 14 safe null unpriced'])
  })

  test('of what only passes through a wallet is received and carried on', async () => {
    const through: Rows = {
      'lake.transactions': [transaction('zed', { block: 11 })],
      'lake.transfers': [
        transfer('a', ['zed', 'safe'], 10n, { block: 11, log_index: 1 }),
        transfer('a', ['safe', 'ann'], 10n, { block: 11, log_index: 2 }),
      ],
    }
    expect(await transfersOf(owned, through)).toEqual([
      'ann 0x11 1 a in 10 safe null carry',
      'safe 0x11 -1 a in 10  null unpriced',
      'safe 0x11 1 a out 10 ann null carry',
    ])
  })

  test('of the native coin counts once where its contract logs what was sent with a transaction', async () => {
    const value = transaction('ann', { block: 11 }, { recipient: 'safe', amount: '5' })
    const logged = { ...transfer('native', ['ann', 'safe'], 5n, { block: 11, log_index: 1 }), kind: 'internal' }
    const carried = ['ann 0x11 1 native out 5 safe null carry', 'safe 0x11 1 native in 5 ann null carry']
    expect(await transfersOf(owned, { 'lake.transactions': [value] })).toEqual(carried)
    const both: Rows = { 'lake.transactions': [value], 'lake.transfers': [logged] }
    expect(await transfersOf(owned, both)).toEqual(carried)
  })
})
