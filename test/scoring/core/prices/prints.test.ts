import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const markets: Given = {
  'core.ledger_markets': [
    { market_index: 4, market_id: 'm', n_outcomes: 2, resolved_at: '2026-02-01' },
    { market_index: 7, market_id: 'three', n_outcomes: 3, resolved_at: null },
  ],
  'core.outcomes': [
    { market_id: 'm', outcome: 0, token_id: 'yes' },
    { market_id: 'm', outcome: 1, token_id: 'no' },
    { market_id: 'three', outcome: 0, token_id: 'a' },
    { market_id: 'three', outcome: 1, token_id: 'b' },
  ],
  'core.trader_addresses': [
    { wallet: 'ann', trader_index: 0, trader: 'ann' },
    { wallet: 'bob', trader_index: 1, trader: 'bob' },
    { wallet: 'cid', trader_index: 2, trader: 'cid' },
  ],
}
const ts = '2026-01-05 10:00:00'
const side = (trader: string, role: string, token_id: string, size: number, cash_usd: number, more: Row = {}): Row => ({
  trader,
  role,
  market_id: 'm',
  token_id,
  ts,
  tx: 't1',
  size,
  cash_usd,
  ...more,
})
const prints = async (tape: Row[], given: Given = {}) =>
  cut(
    await run('core.prints', { ...markets, 'staging.tape': tape, ...given }),
    'market_index',
    'outcome',
    'trader_index',
    'n_matches',
    'size',
    'cash_usd',
    'own_size',
    'own_usd',
  )

test('a match counts once, by its taker, and belongs to each of its traders', async () => {
  const tape = [
    side('ann', 'taker', 'yes', 10, 6),
    side('bob', 'maker', 'yes', 4, 2.4),
    // The rest was minted: the maker bought the other outcome for what is left of a dollar.
    side('cid', 'maker', 'no', 6, 2.4),
  ]
  expect(await prints(tape)).toEqual([
    [4, 0, 0, 1, 10, 6, 10, 6],
    [4, 0, 1, 0, 0, 0, 4, 2.4],
    [4, 0, 2, 0, 0, 0, 6, 3.6],
  ])
})

test('a match in the other outcome of two is a price of the first', async () => {
  const tape = [side('ann', 'taker', 'no', 10, 4), side('bob', 'maker', 'no', 10, 4)]
  expect(await prints(tape)).toEqual([
    [4, 0, 0, 1, 10, 6, 10, 6],
    [4, 0, 1, 0, 0, 0, 10, 6],
  ])
})

test('a block trade is no price, and neither is a trade of Kalshi, which is anonymous', async () => {
  const tape = [
    side('ann', 'block', 'yes', 1_000, 900),
    side('', 'taker', 'yes', 7, 3, { venue: 'kalshi' }),
    side('ann', 'taker', 'yes', 10, 6),
  ]
  expect(await prints(tape)).toEqual([[4, 0, 0, 1, 10, 6, 10, 6]])
})

test('outcomes of a larger market stand alone', async () => {
  const tape = [side('ann', 'taker', 'b', 10, 4, { market_id: 'three' })]
  expect(await prints(tape)).toEqual([[7, 1, 0, 1, 10, 4, 10, 4]])
})

test('a trade of a trader with itself is no price', async () => {
  const tape = [
    side('ann', 'taker', 'yes', 10, 6),
    side('ann', 'maker', 'yes', 4, 2.4),
    side('bob', 'maker', 'yes', 6, 3.6),
    // At the same instant, but with another.
    side('ann', 'maker', 'yes', 3, 1.5, { tx: 't2' }),
    side('cid', 'taker', 'yes', 3, 1.5, { tx: 't2' }),
  ]
  expect(await prints(tape)).toEqual([
    [4, 0, 0, 1, 6, 3.6, 9, 5.1],
    [4, 0, 1, 0, 0, 0, 6, 3.6],
    [4, 0, 2, 1, 3, 1.5, 3, 1.5],
  ])
})

test('a trader that makes more in a transaction than it takes keeps the rest', async () => {
  const tape = [
    side('ann', 'taker', 'yes', 10, 6),
    side('bob', 'maker', 'yes', 10, 6),
    side('bob', 'taker', 'yes', 4, 1),
    side('cid', 'maker', 'yes', 4, 1),
  ]
  expect(await prints(tape)).toEqual([
    [4, 0, 0, 1, 10, 6, 10, 6],
    [4, 0, 1, 1, 0, 0, 6, 3.6],
    [4, 0, 2, 0, 0, 0, 4, 1],
  ])
})

test('the rest of two matches with other traders is still a price', async () => {
  const tape = [
    side('ann', 'maker', 'yes', 10, 5),
    side('bob', 'taker', 'yes', 10, 5),
    side('bob', 'maker', 'yes', 9, 5.4),
    side('cid', 'taker', 'yes', 9, 5.4),
  ]
  // At their difference Bob's one share would have cost -0.40.
  expect((await prints(tape))[1]).toEqual([4, 0, 1, 1, 1, 0.5, 1, 0.5])
})

test('a taker’s own part is taken out at its own price', async () => {
  const tape = [
    side('ann', 'taker', 'yes', 10, 6),
    side('bob', 'maker', 'yes', 6, 3.3),
    side('ann', 'maker', 'yes', 4, 2.7),
  ]
  expect((await prints(tape))[0]).toEqual([4, 0, 0, 1, 6, 3.3, 6, 3.3])
})

test('system addresses, and what is traded from the resolution on, are left out', async () => {
  const tape = [
    side('0xexchange', 'taker', 'yes', 1, 0.5),
    side('ann', 'taker', 'yes', 1, 0.999, { ts: '2026-02-01' }),
    side('zoe', 'taker', 'yes', 1, 0.5, { ts: '2026-01-31 23:59:59' }),
  ]
  const given = { 'staging.system_addresses': [{ address: '0xexchange' }] }
  // A trader without a ledger is -1.
  expect(await prints(tape, given)).toEqual([[4, 0, -1, 1, 1, 0.5, 1, 0.5]])
})

test('where no cash is reported it is price times size', async () => {
  const tape = [side('ann', 'taker', 'yes', 10, 0, { cash_usd: null, price: 0.25 })]
  expect(await prints(tape)).toEqual([[4, 0, 0, 1, 10, 2.5, 10, 2.5]])
})
