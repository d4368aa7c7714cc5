import { expect, test } from 'vitest'

import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'

const chains = [{ chain: 'base', wrapped: '0xweth' }]
const tokens = [
  ...monies,
  { chain: 'base', token: 'x', kind: 'other', decimals: 0 },
  { chain: 'base', token: 'ampl', kind: 'other', decimals: 0, is_excluded: true },
]
const balance = (token: string, block: number, amount: number, address = '0xa') => ({
  chain: 'base',
  address,
  token,
  block,
  amount,
  seen_at: `2026-11-${String(block + 10).padStart(2, '0')}`,
})
const received = (block: number, token: string, amount: number, direction = 'in') => {
  const place = {
    wallet: '0xa',
    chain: 'base',
    block,
    tx_index: 0,
    tx: `0xt${block}`,
    seq: direction === 'in' ? -1 : 0,
  }
  return { ...place, token, ts: `2026-11-${block + 10}`, direction, amount, counterparty: '', basis: 'unpriced' }
}
const sent = (block: number, amount_fee: number, sender = '0xa') => ({
  chain: 'base',
  block,
  tx_index: 0,
  tx: `0xs${block}`,
  ts: `2026-11-${block + 10}`,
  sender,
  is_ok: true,
  amount_fee,
})

/** The checks as `token block: amount = lots - fees + untracked; unmatched`. */
async function checksOf(given: Parameters<typeof run>[1]): Promise<string[]> {
  const rows = await run('core.balance_checks', { 'core.chains': chains, 'core.tokens': tokens, ...given })
  return rows.map((row) => {
    const [token, block, amount, lots, fees, untracked, unmatched] = [
      'token',
      'block',
      'amount',
      'amount_lots',
      'amount_fees',
      'amount_untracked',
      'amount_unmatched',
    ].map((name) => String(row[name]))
    return `${token} ${block}: ${amount} = ${lots} - ${fees} + ${untracked}; ${unmatched}`
  })
}

const story = [
  trade('buy', 1, '2026-11-11', { usd: 100, amount: 50 }),
  trade('sell', 3, '2026-11-13', { usd: 30, amount: 20 }),
  trade('sell', 5, '2026-11-15', { usd: 30, amount: 20 }),
]

test.each([
  [2, 50, 'x 2: 50 = 50 - 0 + 0; 0'],
  [3, 30, 'x 3: 30 = 30 - 0 + 0; 0'],
  [4, 37, 'x 4: 37 = 30 - 0 + 7; 0'],
  [4, 28, 'x 4: 28 = 30 - 0 + -2; 0'],
  [5, 10, 'x 5: 10 = 10 - 0 + 0; 0'],
])('after block %i the lots are those of the events up to it', async (block, amount, check) => {
  expect(await checksOf({ 'core.trades': story, 'staging.balances': [balance('x', block, amount)] })).toEqual([check])
})

test('what came in by a transfer is a lot, and what left without one is unmatched', async () => {
  // The wallet had 40 before its history: it sold 30 of them after the 15 that it received.
  const given = {
    'core.transfers': [received(1, 'x', 15)],
    'core.trades': [trade('sell', 2, '2026-11-12', { usd: 50, amount: 45 })],
    'staging.balances': [balance('x', 2, 10)],
  }
  expect(await checksOf(given)).toEqual(['x 2: 10 = 0 - 0 + 10; 30'])
})

test('the coin counts with its wrapped form of the same block, and fees are given by no lot', async () => {
  const given = {
    'core.trades': [trade('buy', 1, '2026-11-11', { usd: 10, token: 'native', amount: 1_000 })],
    'staging.transactions': [sent(1, 30), sent(2, 5), sent(4, 7), sent(2, 9, '0xb')],
    'staging.balances': [balance('native', 3, 665), balance('0xweth', 3, 300)],
  }
  expect(await checksOf(given)).toEqual(['native 3: 965 = 1000 - 35 + 0; 0'])
  const older = [balance('native', 3, 665), balance('0xweth', 2, 300)]
  expect(await checksOf({ ...given, 'staging.balances': older })).toEqual(['native 3: 665 = 1000 - 35 + -300; 0'])
})

test('tokens that rebase and wallets without a trade are left out', async () => {
  const balances = [balance('ampl', 2, 5), balance('x', 2, 5, '0xb'), balance('unknown', 2, 5)]
  expect(await checksOf({ 'core.trades': story, 'staging.balances': balances })).toEqual([
    'unknown 2: 5 = 0 - 0 + 5; 0',
  ])
})
