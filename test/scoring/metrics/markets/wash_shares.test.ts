import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

let n_rows = 0
const row = (tx: string, trader: string, role: string, size: number, more: Row = {}): Row => ({
  venue: 'polymarket',
  market_id: 'm',
  token_id: 'yes',
  ts: '2026-11-01',
  tx,
  trader,
  role,
  side: role === 'taker' ? 'buy' : 'sell',
  price: 0.5,
  size,
  cash_usd: size / 2,
  seq: n_rows++,
  ...more,
})
const match = (maker: string, taker: string, size: number): Row[] => {
  const tx = `0x${n_rows}`
  return [row(tx, taker, 'taker', size), row(tx, maker, 'maker', size)]
}
/** Traders of much volume with many customers. */
const busy = (...traders: string[]): Row[] =>
  traders.flatMap((trader) => Array.from({ length: 10 }, (_, i) => match(trader, `customer ${i}`, 100)).flat())
const shares = (...rows: Row[]) => run('metrics.wash_shares', { 'staging.tape': rows })
const washers = async (...rows: Row[]) =>
  (await shares(...rows)).filter((each) => each['is_wash_like']).map(({ trader }) => trader)

describe('a trader is wash-like', () => {
  test('if it matched a fifth of the volume with itself', async () => {
    // Of 2 x 10 and 80 shares 20 are with itself.
    const rows = [...match('a', 'a', 10), ...match('b', 'a', 40), ...match('c', 'a', 40), ...busy('b', 'c')]
    expect(cut(await shares(...rows), 'trader', 'volume_usd', 'self_usd', 'self_share')[0]).toEqual(['a', 50, 10, 0.2])
    expect(await washers(...rows)).toEqual(['a'])
    expect(await washers(...rows, ...match('b', 'a', 1))).toEqual([])
  })

  test('if it matched a fifth with a partner that is half of the volume of one of them, and so is the partner', async () => {
    const others = [...match('m', 'a', 40), ...match('n', 'a', 40), ...busy('m', 'n', 'o')]
    const pair = [...match('a', 'p', 8), ...match('a', 'p', 6), ...match('a', 'p', 6)]
    const far = [...match('o', 'p', 20)]
    expect(await washers(...others, ...pair, ...far)).toEqual(['a', 'p'])
    // Two large matches are no habit.
    expect(await washers(...others, ...match('a', 'p', 10), ...match('a', 'p', 10), ...far)).toEqual([])
    expect(await washers(...others, ...pair, ...far, ...match('o', 'p', 1))).toEqual([])
    expect(await washers(...others, ...match('m', 'a', 1), ...pair, ...far)).toEqual([])
  })

  test('not who trades with one market maker of many customers', async () => {
    const customers = Array.from({ length: 6 }, (_, i) => match('maker', `c${i}`, 100)).flat()
    expect(await washers(...customers)).toEqual([])
  })
})

test('a taker’s volume is shared by what each maker gave; prices are those of the own token', async () => {
  // The taker bought 100 YES at 0.6: 25 from b at 0.6, and 75 minted with c, which bought NO at 0.4.
  const rows = [
    row('0x', 'a', 'taker', 100, { price: 0.6, cash_usd: 60 }),
    row('0x', 'b', 'maker', 25, { price: 0.6, cash_usd: 15 }),
    row('0x', 'c', 'maker', 75, { price: 0.4, cash_usd: 30, token_id: 'no', side: 'buy' }),
  ]
  expect(cut(await shares(...rows), 'trader', 'partner', 'partner_usd', 'partner_share')).toEqual([
    ['a', 'c', 45, 0.75],
    ['b', 'a', 15, 1],
    ['c', 'a', 30, 1],
  ])
})

test('a transaction of two takers names no partners', async () => {
  const rows = [row('0x', 'a', 'taker', 10), row('0x', 'b', 'taker', 10), row('0x', 'c', 'maker', 20)]
  expect(cut(await shares(...rows), 'trader', 'partner', 'volume_usd')).toEqual([
    ['a', null, 5],
    ['b', null, 5],
    ['c', null, 10],
  ])
})
