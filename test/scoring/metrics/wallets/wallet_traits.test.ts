import { expect, test } from 'vitest'

import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

type TradeRow = Rows[string][number]

const start = Date.parse('2026-10-01T00:00:00Z')
const at = (hours: number): string => new Date(start + hours * 3_600_000).toISOString().slice(0, -1)

/** The trades of a planted wallet in its n-th token: their times and values, and the age of the token's pool. */
type Habit = {
  archetype: string
  n_tokens: number
  heldHours: number
  buy: number
  sell: number
  poolHours?: number
  startHours?: number
  n_bought?: number
  isRoundTrip?: boolean
}

const habits: Habit[] = [
  { archetype: 'arbitrageur', n_tokens: 6, heldHours: 1, buy: 10, sell: 11, isRoundTrip: true },
  { archetype: 'sniper', n_tokens: 6, heldHours: 30, buy: 10, sell: 12, poolHours: 0.01 },
  { archetype: 'fade_target', n_tokens: 22, heldHours: 30, buy: 10, sell: 6 },
  { archetype: 'scalper', n_tokens: 6, heldHours: 0.5, buy: 10, sell: 11 },
  { archetype: 'swing_trader', n_tokens: 6, heldHours: 60, buy: 10, sell: 11 },
  { archetype: 'diamond_hands', n_tokens: 6, heldHours: 24 * 100, buy: 10, sell: 11, startHours: -24 * 120 },
  { archetype: 'accumulator', n_tokens: 6, heldHours: 24 * 20, buy: 10, sell: 11, n_bought: 5 },
  { archetype: 'whale', n_tokens: 6, heldHours: 24 * 20, buy: 900_000, sell: 910_000 },
  { archetype: 'dormant', n_tokens: 6, heldHours: 24 * 20, buy: 10, sell: 11, startHours: -24 * 150 },
  { archetype: 'generalist', n_tokens: 6, heldHours: 24 * 20, buy: 10, sell: 11 },
  { archetype: 'unproven', n_tokens: 4, heldHours: 60, buy: 10, sell: 11, n_bought: 3 },
]

/**
 * Wallets of every habit, `n` of each, with their tokens. A whale is the only one, so that it is among the first
 * percent.
 */
function planted(n: number): {
  trades: TradeRow[]
  tokens: TradeRow[]
  prices: TradeRow[]
  archetypes: Map<string, string>
} {
  const trades: TradeRow[] = []
  const tokens: TradeRow[] = []
  const prices: TradeRow[] = []
  const archetypes = new Map<string, string>()
  for (const habit of habits) {
    for (let copy = 0; copy < (habit.archetype === 'whale' ? 1 : n); copy++) {
      const wallet = `0x${habit.archetype}${copy}`
      archetypes.set(wallet, habit.archetype)
      for (let place = 0; place < habit.n_tokens; place++) {
        const token = `${wallet}-${place}`
        const bought = (habit.startHours ?? 0) + place * 6 + copy
        const sold = bought + habit.heldHours
        tokens.push({
          chain: 'base',
          token,
          kind: 'other',
          decimals: 18,
          first_pool_at: at(bought - (habit.poolHours ?? 500)),
        })
        prices.push({
          chain: 'base',
          token,
          ts: at(sold)
            .slice(0, 16)
            .replace(/:\d\d$/, ':00'),
          n_senders: 3,
          depth_usd: 1e7,
        })
        const add = (side: 'buy' | 'sell', hours: number, usd: number): unknown =>
          trades.push(trade(side, trades.length, at(hours), { wallet, token, usd }))
        for (let times = 0; times < (habit.n_bought ?? 1); times++) add('buy', bought, habit.buy)
        if (habit.n_bought === undefined) add('sell', sold, habit.sell)
        else trades.push(trade('sell', trades.length, at(sold), { wallet, token, usd: habit.sell, amount: 50 }))
        if (habit.isRoundTrip === true) {
          const row = trade('buy', trades.length, at(sold), { wallet, token, usd: 5_000, amount: 5_010 })
          trades.push({ ...row, token_sold: token, amount_sold: 5_000, kind: 'arbitrage' })
        }
      }
    }
  }
  return { trades, tokens, prices, archetypes }
}

test('every planted archetype is found in all of its wallets', async () => {
  const { trades, tokens, prices, archetypes } = planted(12)
  const rows = await run('metrics.wallet_traits', {
    'core.trades': trades,
    'core.tokens': [...monies, ...tokens],
    'core.prices': prices,
  })
  const found = new Map(rows.map((row) => [String(row['wallet']), String(row['archetype'])]))
  const recalls = habits.map(({ archetype }) => {
    const wallets = [...archetypes].filter(([, planted]) => planted === archetype).map(([wallet]) => wallet)
    return { archetype, recall: wallets.filter((wallet) => found.get(wallet) === archetype).length / wallets.length }
  })
  expect(recalls.filter(({ recall }) => recall < 1)).toEqual([])
})

test('the top percentage by volume is among the wallets that traded in the 90 days', async () => {
  const swap = (wallet: string, n: number, day: string, usd: number) =>
    trade('buy', n, day, { wallet, token: 't', usd })
  const rows = await run('metrics.wallet_traits', {
    'core.trades': [
      swap('0xa', 0, '2026-11-18', 300),
      swap('0xb', 1, '2026-11-18', 200),
      ...['0xc', '0xd', '0xe'].map((wallet, n) => swap(wallet, 2 + n, '2026-01-01', 900)),
    ],
    'core.tokens': monies,
  })
  expect(rows.map((row) => [row['wallet'], row['volume_90d_usd'], row['volume_90d_pct']])).toEqual([
    ['0xa', 300, 50],
    ['0xb', 200, 100],
    ...['0xc', '0xd', '0xe'].map((wallet) => [wallet, 0, 100]),
  ])
})

test('tags name what the evidence shows', async () => {
  const trades = Array.from({ length: 12 }, (_, place) => [
    trade('buy', 2 * place, `2026-11-19 10:00:${String(place * 2).padStart(2, '0')}`, { usd: 100, token: `t${place}` }),
    trade('sell', 2 * place + 1, `2026-11-19 10:00:${String(place * 2 + 1).padStart(2, '0')}`, {
      usd: 90,
      token: `t${place}`,
    }),
  ]).flat()
  const rows = await run('metrics.wallet_traits', {
    'core.trades': trades,
    'core.tokens': [
      ...monies,
      ...Array.from({ length: 12 }, (_, place) => ({
        chain: 'base',
        token: `t${place}`,
        kind: 'other',
        decimals: 18,
        first_pool_at: '2026-11-18',
      })),
    ],
    'core.prices': Array.from({ length: 12 }, (_, place) => ({
      chain: 'base',
      token: `t${place}`,
      ts: '2026-11-19 10:00:00',
      n_pools: 2,
      depth_usd: 1_000,
    })),
    'staging.addresses': [{ chain: 'base', address: '0xa', kind: 'contract', first_tx_at: '2026-11-18' }],
    'staging.balances': [{ chain: 'base', address: '0xa', token: 'usdc', amount: 5, seen_at: '2026-11-19' }],
  })
  expect(rows[0]?.['tags']).toEqual([
    'fresh_wallet',
    'stable_heavy',
    'wash_like',
    'early_buyer',
    'contract',
    'losing_90d',
  ])
  expect(rows[0]).toMatchObject({ n_washes: 12, n_early_buys: 12, held_s: 1, archetype: 'scalper', n_hour_max: 24 })
})

test('the first buyers of a token are known if its first pool is', async () => {
  const bought = (first_pool_at: string | null): Promise<Record<string, unknown>[]> =>
    run('metrics.wallet_traits', {
      'core.trades': ['t1', 't2', 't3'].map((token, n) => trade('buy', n, '2026-11-19 10:00:00', { usd: 100, token })),
      'core.tokens': [
        ...monies,
        ...['t1', 't2', 't3'].map((token) => ({ chain: 'base', token, kind: 'other', decimals: 18, first_pool_at })),
      ],
    })
  expect(await bought('2026-11-19 09:00:00')).toMatchObject([{ n_early_buys: 3, tags: ['early_buyer'] }])
  // The pool is older than the blocks that were read, so others bought before.
  expect(await bought(null)).toMatchObject([{ n_early_buys: 0, tags: [] }])
})

test('a wash is a sale of as much as any purchase of the last 60 seconds', async () => {
  const at = (minute: number, second: number): string =>
    new Date(Date.UTC(2026, 10, 19, 10, minute, second)).toISOString()
  const sold = async (second: number, amount: number): Promise<unknown> => {
    const rows = await run('metrics.wallet_traits', {
      'core.trades': [
        trade('buy', 1, at(0, 50), { usd: 100, amount: 1_000 }),
        trade('buy', 2, at(0, 58), { usd: 1, amount: 10 }),
        trade('buy', 3, at(1, 10), { usd: 1, amount: 10 }),
        trade('sell', 4, at(1, second), { usd: 90, amount }),
      ],
      'core.tokens': monies,
    })
    return rows[0]?.['n_washes']
  }
  expect(await sold(10, 1_000)).toBe(1)
  expect(await sold(50, 995)).toBe(1)
  expect(await sold(51, 1_000)).toBe(0)
  expect(await sold(20, 980)).toBe(0)
  expect(await sold(59, 10)).toBe(1)
})

test.each([
  ['seven days and more ago', '2026-11-13 12:00:00', []],
  ['in the last seven days', '2026-11-13 12:00:01', ['fresh_wallet']],
  ['now', '2026-11-20 12:00:00', ['fresh_wallet']],
  ['after the clock', '2026-11-20 12:00:01', []],
  ['at an unknown time', null, []],
])('a wallet is fresh by its first transaction: %s', async (_, first_tx_at, tags) => {
  const rows = await run('metrics.wallet_traits', {
    'core.trades': [trade('buy', 0, '2026-11-19 10:00:00', { usd: 100, token: 't' })],
    'core.tokens': monies,
    'staging.addresses': [{ chain: 'base', address: '0xa', kind: 'eoa', first_tx_at }],
  })
  expect(rows.map((row) => row['tags'])).toEqual([tags])
})

test('a sandwich has a victim between two swaps of one sender in one pool', async () => {
  const swap = (log_index: number, tx: string, amount0: string): TradeRow => ({
    chain: 'base',
    block: 1,
    tx,
    log_index,
    pool: 'p',
    coin0_index: 0,
    coin1_index: 1,
    amount0,
  })
  const sender = (tx: string, wallet: string): TradeRow => ({
    chain: 'base',
    block: 1,
    tx,
    sender: wallet,
    ts: '2026-11-19',
  })
  const transactions = [sender('a1', '0xa'), sender('v', '0xv'), sender('a2', '0xa')]
  const sandwiches = (swaps: TradeRow[]): Promise<Record<string, unknown>[]> =>
    run('metrics.wallet_sandwiches', { 'staging.swaps': swaps, 'staging.transactions': transactions })
  expect(await sandwiches([swap(1, 'a1', '5'), swap(2, 'v', '3'), swap(3, 'a2', '-5')])).toEqual([
    { wallet: '0xa', chain: 'base', n_sandwiches: 1 },
  ])
  expect(await sandwiches([swap(1, 'a1', '5'), swap(2, 'v', '-3'), swap(3, 'a2', '-5')])).toEqual([])
  expect(await sandwiches([swap(1, 'a1', '5'), swap(3, 'a2', '-5'), swap(4, 'v', '3')])).toEqual([])
  // Events that name the paid token first, of which each transaction counts its own.
  const paid = (tx_index: number, tx: string, token0: string, token1: string): TradeRow => ({
    ...swap(0, tx, '5'),
    tx_index,
    token0,
    token1,
    coin0_index: null,
    coin1_index: null,
    amount1: '-5',
  })
  expect(await sandwiches([paid(1, 'a1', 'x', 'y'), paid(2, 'v', 'x', 'y'), paid(3, 'a2', 'y', 'x')])).toEqual([
    { wallet: '0xa', chain: 'base', n_sandwiches: 1 },
  ])
  expect(await sandwiches([paid(1, 'a1', 'x', 'y'), paid(2, 'v', 'x', 'y'), paid(3, 'a2', 'z', 'x')])).toEqual([])
  expect(await sandwiches([paid(1, 'a1', 'x', 'y'), paid(2, 'v', 'y', 'x'), paid(3, 'a2', 'y', 'x')])).toEqual([])
  expect(await sandwiches([paid(-1, 'a1', 'x', 'y'), paid(2, 'v', 'x', 'y'), paid(3, 'a2', 'y', 'x')])).toEqual([])
})

test('the share of stables counts the wrapped coin as the coin', async () => {
  const balance = (token: string, amount: string) => ({
    chain: 'base',
    address: '0xa',
    token,
    amount,
    seen_at: '2026-11-19',
  })
  const rows = await run('metrics.wallet_traits', {
    'core.chains': [{ chain: 'base', wrapped: '0xweth' }],
    'core.tokens': [...monies, { chain: 'base', token: 'x', kind: 'other', decimals: 0 }],
    'core.prices': [{ chain: 'base', token: 'native', ts: '2026-11-18 12:00:00', usd_per_token: 3_000 }],
    'core.trades': [trade('buy', 1, '2026-11-17', { usd: 100 })],
    'staging.balances': [
      balance('usdc', '1000000000'),
      balance('native', '500000000000000000'),
      balance('0xweth', '500000000000000000'),
    ],
  })
  expect(rows.map(({ stable_share }) => stable_share)).toEqual([0.25])
})
