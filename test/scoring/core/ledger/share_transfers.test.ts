import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const moved = (more: Row = {}): Row => ({
  venue: 'polymarket',
  trader: 'ann',
  counterparty: 'bob',
  kind: 'transfer_out',
  ts: '2026-03-02',
  tx: '0x1',
  market_id: 'm',
  token_id: 'yes',
  size: 10,
  ...more,
})
const trade = (ts: string, price: number, more: Row = {}): Row => ({
  market_id: 'm',
  token_id: 'yes',
  role: 'taker',
  size: 1,
  ts,
  price,
  ...more,
})
const book = (ts: string, mid: number | null): Row => ({ market_id: 'm', ts, mid })

const given: Given = {
  'core.trader_addresses': [
    { wallet: 'ann', trader: 'ann', trader_index: 0 },
    { wallet: 'safe', trader: 'ann', trader_index: 0 },
    { wallet: 'bob', trader: 'bob', trader_index: 1 },
  ],
  'staging.outcome_tokens': [
    { token_id: 'yes', market_id: 'm', outcome: 0 },
    { token_id: 'no', market_id: 'm', outcome: 1 },
    { token_id: 'traded', market_id: 'undescribed', outcome: 1 },
    { token_id: 'foreign', market_id: 'elsewhere', outcome: 0 },
  ],
  'core.ledger_markets': [
    { market_index: 3, market_id: 'm', event_id: 'e' },
    { market_index: 4, market_id: 'undescribed', event_id: null },
    { market_index: 5, market_id: 'elsewhere', event_id: null },
  ],
}
const transfers = (more: Given) => run('core.share_transfers', { ...given, 'staging.activity': [moved()], ...more })
const priced = async (more: Given) =>
  cut(await transfers(more), 'price_usd', 'price_origin', 'price_at', 'value_usd').flat()

test('a transfer between addresses of one trader is none; one to a pool or a stranger is', async () => {
  const rows = await transfers({
    'staging.activity': [
      moved({ counterparty: 'safe', tx: '0x1' }),
      moved({ trader: 'safe', kind: 'transfer_in', counterparty: 'ann', tx: '0x1' }),
      moved({ counterparty: 'pool', tx: '0x2' }),
      moved({ trader: 'safe', tx: '0x3' }),
      moved({ trader: 'bob', kind: 'transfer_in', counterparty: 'safe', tx: '0x3' }),
      moved({ kind: 'split', counterparty: null, tx: '0x4' }),
    ],
  })
  expect(cut(rows, 'trader', 'wallet', 'kind', 'tx', 'trader_index', 'market_index', 'outcome')).toEqual([
    ['ann', 'ann', 'transfer_out', '0x2', 0, 3, 0],
    ['ann', 'safe', 'transfer_out', '0x3', 0, 3, 0],
    ['bob', 'bob', 'transfer_in', '0x3', 1, 3, 0],
  ])
})

test('the price is the later of the last trade and the last middle at or before the transfer', async () => {
  const trades = [
    trade('2026-03-01', 0.2),
    trade('2026-03-03', 0.9),
    trade('2026-03-01 12:00:00', 0.99, { role: 'maker' }),
  ]
  expect(await priced({ 'staging.tape': trades })).toEqual([0.2, 'trade', '2026-03-01 00:00:00', 2])
  const before = [book('2026-02-27', 0.3), book('2026-03-01 06:00:00', null)]
  expect(await priced({ 'staging.tape': trades, 'core.odds': before })).toEqual([
    0.2,
    'trade',
    '2026-03-01 00:00:00',
    2,
  ])
  const later = [...before, book('2026-03-02', 0.25), book('2026-03-04', 0.8)]
  expect(await priced({ 'staging.tape': trades, 'core.odds': later })).toEqual([
    0.25,
    'odds',
    '2026-03-02 00:00:00',
    2.5,
  ])
})

test('the other outcome has the rest of the dollar, to the millionth', async () => {
  const activity = { 'staging.activity': [moved({ token_id: 'no', size: 0.333333 })] }
  const trades = [trade('2026-03-01', 0.123457, { token_id: 'no' })]
  expect(await priced({ ...activity, 'staging.tape': trades })).toEqual([
    0.123457,
    'trade',
    '2026-03-01 00:00:00',
    0.041152,
  ])
  expect(await priced({ ...activity, 'core.odds': [book('2026-03-01', 0.2)] })).toEqual([
    0.8,
    'odds',
    '2026-03-01 00:00:00',
    0.266666,
  ])
})

test('a reported payout comes first, and without any price a share is half a dollar', async () => {
  const paid = [{ market_id: 'm', ts: '2026-03-01', payouts: [0.25, 0.75] }]
  const trades = [trade('2026-03-01 12:00:00', 0.2)]
  expect(await priced({ 'staging.resolutions': paid, 'staging.tape': trades })).toEqual([
    0.25,
    'payout',
    '2026-03-01 00:00:00',
    2.5,
  ])
  const unpaid = [{ ...paid[0], ts: '2026-03-03' }] as Row[]
  expect(await priced({ 'staging.resolutions': unpaid })).toEqual([0.5, 'even', null, 5])
})

test('tokens of other projects are none, and those of a traded market without a description are', async () => {
  const rows = await transfers({
    'staging.activity': [
      moved({ token_id: 'foreign', market_id: 'elsewhere', tx: '0x1' }),
      moved({ token_id: 'traded', market_id: 'undescribed', tx: '0x2' }),
      moved({ token_id: 'unheard of', market_id: '', tx: '0x3' }),
    ],
    'staging.fills': [{ trader: 'bob', market_id: 'undescribed' }],
  })
  expect(cut(rows, 'tx', 'market_id', 'outcome')).toEqual([['0x2', 'undescribed', 1]])
})
