import { expect, test } from 'vitest'

import { build, swap, timeOf, transaction, transfer } from '#test/scoring/core/chains/lake.ts'
import { shownOf, source, stretch } from '#test/scoring/core/chains/stretches.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

type Row = Rows[string][number]

test('account_blocks are the stretches that were read, without the blocks below the end of a budget', async () => {
  const { 'staging.account_blocks': rows } = await build(['staging.account_blocks'], {
    'lake.coverage': [
      stretch('0xa', 100, 200),
      stretch('0xa', 200, 250, { state: 'head' }),
      stretch('0xb', 100, 200, { state: 'unverified', reason_code: 'budget', resume: '{"cut":130}' }),
      stretch('0xc', 100, 200, { state: 'unverified', reason_code: 'budget', resume: null }),
      stretch('0xd', 100, 200, { state: 'missing' }),
      stretch('', 100, 200, { source: 'evm_swaps' }),
    ],
  })
  expect(shownOf(rows, 'account', 'from_block', 'to_block', 'is_proved')).toEqual([
    '0xa 100 200 true',
    '0xa 200 250 true',
    '0xb 130 200 false',
    '0xc 200 200 false',
  ])
})

const block = 2_000_000
const place = { block, tx: '0xt', ts: timeOf(7) }
const ofAccount = (row: Row): Row => ({ ...row, source })
/** In one transaction, `a` sells to a pool for `b`, who gets a share of what `a` bought. */
const rows: Rows = {
  'lake.transactions': [transaction('0xa', place)].map(ofAccount),
  'lake.swaps': [swap('0xpool', ['usdc', 10n], ['a', 20n], { ...place, log_index: 2 })].map(ofAccount),
  'lake.transfers': [
    transfer('usdc', ['0xa', '0xpool'], 10n, { ...place, log_index: 0 }),
    transfer('a', ['0xpool', '0xa'], 15n, { ...place, log_index: 1 }),
    transfer('a', ['0xpool', '0xb'], 5n, { ...place, log_index: 3 }),
  ].map(ofAccount),
}

test('a transaction that was read by an account counts for the accounts that were read there', async () => {
  const tables = ['staging.account_transactions', 'core.flows', 'core.trade_legs', 'core.other_flows'] as const
  const walletsIn = async (coverage: Row[]) => {
    const built = await build(tables, { ...rows, 'lake.coverage': coverage })
    return {
      accounts: shownOf(built['staging.account_transactions'], 'tx', 'account'),
      moved: [...new Set(shownOf([...built['core.flows'], ...built['core.other_flows']], 'wallet'))],
      trades: shownOf(built['core.trade_legs'], 'wallet', 'token_sold', 'token_bought'),
    }
  }
  expect(await walletsIn([stretch('0xa', block - 9, block + 9)])).toEqual({
    accounts: ['0xt 0xa'],
    moved: ['0xa'],
    trades: ['0xa usdc a'],
  })
  expect(await walletsIn([stretch('0xa', block - 9, block + 9), stretch('0xb', 0, block + 1)])).toEqual({
    accounts: ['0xt 0xa', '0xt 0xb'],
    moved: ['0xa', '0xb'],
    trades: ['0xa usdc a'],
  })
  // Of an account whose stretch ends before the block, the transaction is a part.
  expect((await walletsIn([stretch('0xb', 0, block + 1), stretch('0xa', 0, block)])).trades).toEqual([])
})

test('a transaction of a block that is covered counts once, and for all', async () => {
  const inBlock = (more: Row) => ({ block: 7, tx_index: 0, ...more })
  const twice = Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [
      table,
      list.flatMap((row) => [
        { ...row, ...inBlock({}) },
        { ...row, ...inBlock({}), source: 'evm' },
      ]),
    ]),
  )
  const {
    'core.flows': flows,
    'core.trade_legs': legs,
    'staging.account_transactions': accounts,
  } = await build(['core.flows', 'core.trade_legs', 'staging.account_transactions'], {
    ...twice,
    'lake.coverage': [stretch('0xa', 0, 100)],
  })
  expect(accounts).toEqual([])
  expect(shownOf(legs, 'wallet', 'amount_sold', 'amount_bought')).toEqual(['0xa 10 15'])
  expect(shownOf(flows, 'wallet', 'token', 'amount')).toContain('0xa a 15')
})
