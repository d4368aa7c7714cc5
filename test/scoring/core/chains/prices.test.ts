import { describe, expect, test } from 'vitest'

import type { Rows } from '#test/scoring/core/wallets/tables.ts'

import { build, movesOf, swap, timeOf, transaction } from './lake.ts'

const e18 = 10n ** 18n
const usd = (amount: number): [string, bigint] => ['usdc', BigInt(amount * 1_000_000)]
const dai = (amount: number): [string, bigint] => ['dai', BigInt(amount) * e18]
const weth = (amount: number): [string, bigint] => ['weth', BigInt(amount * 1_000) * (e18 / 1_000n)]
const a = (amount: number): [string, bigint] => ['a', BigInt(amount) * e18]

type Swap = { by: string; at: number; pool: string; paid: [string, bigint]; got: [string, bigint] }

/** A lake with these swaps, one a block. */
const lakeOf = (swaps: readonly Swap[]): Rows => ({
  'lake.transactions': swaps.map(({ by, at }) => transaction(by, { block: at })),
  'lake.swaps': swaps.map(({ at, pool, paid, got }) => swap(pool, paid, got, { block: at })),
  'lake.transfers': swaps.flatMap(({ by, at, pool, paid, got }) => movesOf(pool, by, [paid, got], { block: at })),
})

const pricesOf = async (swaps: readonly Swap[]) => (await build(['core.prices'], lakeOf(swaps)))['core.prices']

/** The coin at 3,000 dollars in two pools. */
const coin: Swap[] = [
  { by: 'ann', at: 1, pool: 'eth_1', paid: usd(3_000), got: weth(1) },
  { by: 'bob', at: 2, pool: 'eth_2', paid: weth(2), got: usd(6_000) },
]

describe('the price of', () => {
  test('a stable is a dollar, of the coin its price in stables, of a token its price in both, weighted by volume', async () => {
    const rows = await pricesOf([
      ...coin,
      { by: 'ann', at: 3, pool: 'a_usd', paid: usd(100), got: a(50) },
      { by: 'cem', at: 4, pool: 'a_eth', paid: a(1_500), got: weth(1) },
    ])
    const shown = rows.map(
      ({ token, ts, usd_per_token, method, volume_usd, amount, n_pools, n_senders, depth_usd, is_thin }) =>
        [token, ts, usd_per_token, method, volume_usd, amount, n_pools, n_senders, depth_usd, is_thin].join(' '),
    )
    expect(shown).toEqual([
      `a ${timeOf(0).replace('T', ' ')} 2 vwap 3100.000000 ${1_550n * e18} 2 2 0.000000 false`,
      `native ${timeOf(0).replace('T', ' ')} 3000 vwap 9000.000000 ${3n * e18} 2 2 0.000000 false`,
      `usdc ${timeOf(0).replace('T', ' ')} 1 peg 9000.000000 9000000000 2 2 0.000000 false`,
    ])
  })
})

test('a coin of a base pool has no price of the token at its position in the pool', async () => {
  const paid = dai(100)
  const got = usd(80)
  const given = lakeOf([{ by: 'ann', at: 1, pool: 'meta', paid, got }])
  const numbered = { token0: null, token1: null, coin0_index: 1, coin1_index: 0 }
  const printsOf = async (family: string) => {
    const swaps = given['lake.swaps']?.map((row) => ({ ...row, ...numbered, family }))
    const pools = [{ chain: 'base', pool: 'meta', family: 'curve_stable', tokens: ['usdc', 'a'], source: 'evm' }]
    const { 'core.pool_prints': rows } = await build(['core.pool_prints'], {
      ...given,
      'lake.swaps': swaps ?? [],
      'lake.pools': pools,
    })
    return rows.map(({ token }) => token)
  }
  expect(await printsOf('curve_stable')).toEqual(['a'])
  expect(await printsOf('curve_meta')).toEqual([])
})

describe('a dollar', () => {
  const lost = ['ann', 'bob', 'cem'].map((by, n): Swap => ({
    by,
    at: 10 + n,
    pool: 'dai_usd',
    paid: dai(100),
    got: usd(80),
  }))

  test('that lost its peg has its price in the trusted one, and is no money in that hour', async () => {
    const { 'core.prices': rows, 'core.unit_prices': units } = await build(['core.prices', 'core.unit_prices'], {
      ...lakeOf([...coin, ...lost, { by: 'ann', at: 20, pool: 'eth_dai', paid: dai(10_000), got: weth(1) }]),
    })
    const shown = (token: string): unknown[][] =>
      rows
        .filter((row) => row['token'] === token)
        .map(({ usd_per_token, method, volume_usd }) => [usd_per_token, method, volume_usd])
    expect(shown('dai')).toEqual([[0.8, 'vwap', '240.000000']])
    expect(shown('native')).toEqual([[3_000, 'vwap', '9000.000000']])
    // The stable is worth a dollar until then.
    const ofDai = units
      .filter(({ token }) => token === 'dai')
      .map(({ ts, to_at, usd_per_unit }) => [ts, to_at, usd_per_unit])
    expect(ofDai).toEqual([
      ['1970-01-01 00:00:00', '2026-11-20 10:00:00', 1e-18],
      ['2026-11-20 10:00:00', '9999-01-01 00:00:00', expect.closeTo(0.8e-18, 30)],
    ])
  })

  test('keeps its peg where only two senders say otherwise', async () => {
    const rows = await pricesOf([...coin, ...lost.slice(1)])
    expect(rows.find(({ token }) => token === 'dai')).toMatchObject({ usd_per_token: 1, method: 'peg' })
  })
})

test('depth_usd leaves out the senders who sell in the same five minutes', async () => {
  const sale = (by: string, at: number): Swap => ({ by, at, pool: 'a_usd', paid: a(10), got: usd(20) })
  const rows = await pricesOf([sale('ann', 1), sale('bob', 2), sale('ann', 200), sale('cem', 201)])
  expect(rows.filter(({ token }) => token === 'a').map(({ depth_usd }) => depth_usd)).toEqual(['0.000000', '20.000000'])
})

test('a thin price values nothing, and any other one values a day', async () => {
  const { 'core.unit_prices': units } = await build(
    ['core.unit_prices'],
    lakeOf([...coin, { by: 'ann', at: 3, pool: 'a_usd', paid: usd(100), got: a(50) }]),
  )
  expect(units.filter(({ token }) => token === 'native' || token === 'a')).toEqual([
    { chain: 'base', token: 'native', ts: '2026-11-20 10:00:00', to_at: '2026-11-21 10:00:00', usd_per_unit: 3e-15 },
  ])
})

test('an event that no transfer of the money backs makes no price, unless its coins were sent with the transaction', async () => {
  const fake = swap('a_eth', a(1), weth(1), { block: 3 })
  const manager = { ...swap('0xid', weth(1), a(1_500), { block: 4 }), emitter: 'manager' }
  const lake = lakeOf(coin)
  const pricesWith = async (amount: bigint) => {
    const { 'core.prices': rows } = await build(['core.prices'], {
      ...lake,
      'lake.transactions': [
        ...(lake['lake.transactions'] ?? []),
        transaction('eve', { block: 3 }),
        transaction('eve', { block: 4 }, { amount }),
      ],
      'lake.swaps': [...(lake['lake.swaps'] ?? []), fake, manager],
    })
    return rows
      .filter(({ token }) => token === 'a')
      .map(({ usd_per_token, n_pools }) => [usd_per_token, Number(n_pools)])
  }
  expect(await pricesWith(weth(1)[1] - 1n)).toEqual([])
  expect(await pricesWith(weth(1)[1])).toEqual([[2, 1]])
})
