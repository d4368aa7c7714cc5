import { describe, expect, test } from 'vitest'

import { parseColumns } from '#builder/columns.ts'
import { splitHeader } from '#builder/load.ts'
import { ledger } from '#scoring/core/ledger/ledger.ts'
import { cut, run, withTables, type Given } from '#test/scoring/model.ts'

describe('the numbers of traders and markets', () => {
  test('follow the order of the names, and know all who traded or moved shares', async () => {
    const rows = await run('core.trader_addresses', {
      'staging.fills': [{ trader: 'bob' }, { trader: 'ann' }, { trader: 'bob' }],
      'staging.activity': [{ trader: 'cid' }, { trader: 'ann' }],
    })
    expect(cut(rows, 'wallet', 'trader', 'trader_index', 'owner')).toEqual([
      ['ann', 'ann', 0, null],
      ['bob', 'bob', 1, null],
      ['cid', 'cid', 2, null],
    ])
  })

  test('are one for all addresses of an owner, by the address that acted first', async () => {
    const rows = await run('core.trader_addresses', {
      'staging.fills': [
        { trader: 'safe', ts: '2026-01-02' },
        { trader: 'bob', ts: '2026-01-01' },
        { trader: 'proxy', ts: '2026-01-03' },
      ],
      'staging.activity': [
        { trader: 'proxy', ts: '2026-01-01' },
        { trader: 'eoa', ts: '2026-01-05' },
      ],
      'staging.wallet_owners': [
        { wallet: 'safe', owner: 'eoa' },
        { wallet: 'proxy', owner: 'eoa' },
        { wallet: 'bob', owner: 'boss' },
      ],
    })
    expect(cut(rows, 'wallet', 'trader', 'trader_index', 'owner')).toEqual([
      ['bob', 'bob', 0, 'boss'],
      ['boss', 'bob', 0, null],
      ['eoa', 'proxy', 1, null],
      ['proxy', 'proxy', 1, 'eoa'],
      ['safe', 'proxy', 1, 'eoa'],
    ])
    const numbers = await run('core.ledger_traders', { 'core.trader_addresses': rows as Given[string] })
    expect(cut(numbers, 'trader_index', 'trader')).toEqual([
      [0, 'bob'],
      [1, 'proxy'],
    ])
  })

  test('name a group by its first market, and know markets that are not described', async () => {
    const rows = await run('core.ledger_markets', {
      'core.markets': [
        { market_id: 'b', neg_risk_id: 'g', neg_risk_index: 1 },
        { market_id: 'd', neg_risk_id: 'g', neg_risk_index: 0 },
        { market_id: 'c', venue: 'polymarket' },
      ],
      'staging.activity': [
        { market_id: 'a', venue: 'kalshi' },
        { market_id: 'a', venue: 'kalshi', seq: 1 },
        { market_id: 'b', venue: 'elsewhere' },
        { market_id: '' },
      ],
    })
    expect(cut(rows, 'market_index', 'market_id', 'venue', 'group_index', 'neg_risk_index')).toEqual([
      [0, 'a', 'kalshi', 0, null],
      [1, 'b', '', 1, 1],
      [2, 'c', 'polymarket', 2, null],
      [3, 'd', '', 1, 0],
    ])
  })
})

describe('what the ledger made', () => {
  const named = {
    'core.ledger_traders': [{ trader_index: 7, trader: 'ann' }],
    'core.ledger_markets': [{ market_index: 3, market_id: 'm', venue: 'kalshi' }],
  }
  const numbers = { trader_index: 7, market_index: 3, outcome: 1 }

  test('of a position has the names of the numbers, and dollars of the millionths', async () => {
    const most = 999_999_999_999.999
    const rows = await run('core.positions', {
      ...named,
      'core.ledger_positions': [{ ...numbers, size: 1, cost: 2_500_000, bought: 4_000_000, sold: most * 1_000_000 }],
    })
    const columns = ['trader', 'market_id', 'venue', 'trader_index', 'market_index', 'outcome', 'size', 'cost_usd']
    expect(cut(rows, ...columns)).toEqual([['ann', 'm', 'kalshi', 7, 3, 1, 0.000001, 2.5]])
    expect(cut(rows, 'sold_usd', 'realized_usd')).toEqual([[most, most - 1.5]])
  })

  test('of a sale has the transaction of the sold fill of the instant', async () => {
    const sold = { ts: '2026-03-01', market_id: 'm', side: 'sell' }
    const rows = await run('core.realizations', {
      ...named,
      'core.fills': [
        { ...sold, trader: 'ann', seq: 0, side: 'buy', tx: 'a' },
        { ...sold, trader: 'ann', seq: 1, tx: 'b' },
        { ...sold, trader: 'ann', seq: 2, tx: 'c' },
        { ...sold, trader: 'bob', trader_index: 8, seq: 1, tx: 'd' },
      ],
      'core.ledger_realizations': [
        { ...numbers, ts_us: Date.UTC(2026, 2, 1) * 1000, kind: 'sale', seq: 1, proceeds: 2_000_000, cost: 3_500_000 },
      ],
    })
    const columns = ['trader', 'market_id', 'trader_index', 'market_index', 'tx', 'proceeds_usd', 'pnl_usd']
    expect(cut(rows, ...columns)).toEqual([['ann', 'm', 7, 3, 'b', 2, -1.5]])
  })
})

describe('moves', () => {
  const given = {
    'core.trader_addresses': [
      { wallet: 'ann', trader_index: 7, trader: 'ann' },
      { wallet: 'ann2', trader_index: 7, trader: 'ann' },
    ],
    'staging.outcome_tokens': [
      { token_id: 'm0', market_id: 'm', outcome: 0 },
      { token_id: 'q1', market_id: 'q', outcome: 1 },
    ],
    'core.ledger_markets': [
      { market_index: 0, market_id: 'm', group_index: 0 },
      { market_index: 1, market_id: 'q', group_index: 1, neg_risk_id: 'g', neg_risk_index: 0 },
    ],
  }
  const moves = (...rows: Record<string, string | number>[]) =>
    run('core.ledger_moves', { ...given, 'staging.activity': rows.map((row) => ({ trader: 'ann', ...row })) })

  test('of an instant follow transaction, market, size and cash', async () => {
    const rows = await moves(
      { kind: 'redeem', market_id: 'm', tx: '0x2', cash_usd: 5 },
      { kind: 'merge', market_id: 'q', tx: '0x1', size: 3 },
      { kind: 'split', market_id: 'm', tx: '0x1', size: 30 },
      { kind: 'merge', market_id: 'm', tx: '0x1', size: 4 },
    )
    expect(cut(rows, 'seq', 'kind', 'market_index', 'size', 'cash_usd')).toEqual([
      [0, 'merge', 0, 4, 0],
      [1, 'split', 0, 30, 0],
      [2, 'merge', 1, 3, 0],
      [3, 'redeem', 0, 0, 5],
    ])
  })

  test('are of a market; a conversion is of a group, which it names or its market has', async () => {
    const rows = await moves(
      { kind: 'convert', market_id: '', neg_risk_id: 'g', tx: '0x1', index_set: '1' },
      { kind: 'convert', market_id: 'q', tx: '0x2' },
      { kind: 'split', market_id: 'm', neg_risk_id: 'g', tx: '0x3' },
    )
    expect(cut(rows, 'kind', 'market_index', 'group_index', 'index_set')).toEqual([
      ['convert', null, 1, '1'],
      ['convert', 1, 1, null],
      ['split', 0, 0, null],
    ])
  })

  test('of all addresses of a trader are its moves, and a redemption has the outcome of its token', async () => {
    const rows = await moves(
      { kind: 'redeem', trader: 'ann2', market_id: 'q', token_id: 'q1', tx: '0x2', size: 3, cash_usd: 3 },
      { kind: 'redeem', market_id: 'q', tx: '0x1', cash_usd: 4 },
    )
    expect(cut(rows, 'trader_index', 'seq', 'outcome', 'size', 'cash_usd')).toEqual([
      [7, 0, null, 0, 4],
      [7, 1, 1, 3, 3],
    ])
  })

  test('of a migration are two, the given token first, and those of unknown tokens are left out', async () => {
    const common = { kind: 'migrate', tx: '0x1', seq: 5 }
    const rows = await moves(
      { ...common, market_id: 'q', token_id: 'q1', size: 3 },
      { kind: 'merge', market_id: 'm', tx: '0x1', size: 1 },
      { ...common, market_id: 'm', token_id: 'm0', size: -3 },
      { ...common, market_id: '', token_id: 'other', size: 3, tx: '0x9' },
    )
    expect(cut(rows, 'seq', 'kind', 'market_index', 'outcome', 'size')).toEqual([
      [0, 'migrate_from', 0, 0, 3],
      [1, 'migrate_to', 1, 1, 3],
      [2, 'merge', 0, null, 1],
    ])
  })

  test('of somebody else have their value as cash; transfers between addresses of a trader are none', async () => {
    const rows = await run('core.ledger_moves', {
      ...given,
      'staging.activity': [{ trader: 'ann', kind: 'transfer_out', counterparty: 'ann2', token_id: 'm0', size: 5 }],
      'core.share_transfers': [
        { trader: 'ann', trader_index: 7, kind: 'transfer_in', market_id: 'm', outcome: 0, size: 2, value_usd: 0.5 },
      ],
    })
    expect(cut(rows, 'kind', 'market_index', 'outcome', 'size', 'cash_usd')).toEqual([['transfer_in', 0, 0, 2, 0.5]])
  })

  test('that name nothing known are left out, and so is what moves no shares', async () => {
    const rows = await moves(
      { kind: 'split', market_id: '', tx: '0x1' },
      { kind: 'convert', market_id: '', neg_risk_id: 'unknown', tx: '0x2' },
      { kind: 'reward', market_id: 'm', tx: '0x3' },
      { kind: 'deposit', market_id: 'm', tx: '0x4' },
    )
    expect(rows).toEqual([])
  })
})

test('the header of the input documents the columns that its select gives', async () => {
  await withTables(ledger, {}, async (connection) => {
    const { comment, sql } = splitHeader(ledger.sql)
    const described = await connection.runAndReadAll(`describe ${sql}`)
    const normal = (type: string): string => type.replaceAll(/\s/g, '')
    expect(described.getRows().map(([name, type]) => [name, normal(String(type))])).toEqual(
      parseColumns(comment.split(/^columns:/m)[1] ?? '').map(({ name, sql: type }) => [name, normal(type)]),
    )
  })
})
