import { expect, test } from 'vitest'

import { monies, run, trade } from '#test/scoring/core/wallets/run.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

const day = (n: number): string => `2026-11-${String(n).padStart(2, '0')}`

/** A wallet that closes `n` tokens, one a day from the first of November, each for `sold` dollars after 10. */
const closing = (wallet: string, n: number, sold: number, chain = 'base'): Rows[string][number][] =>
  Array.from({ length: n }, (_, place) => [
    trade('buy', 2 * place, day(place + 1), { wallet, chain, token: `t${place}`, usd: 10 }),
    trade('sell', 2 * place + 1, `${day(place + 1)} 05:00:00`, { wallet, chain, token: `t${place}`, usd: sold }),
  ]).flat()

const given: Rows = {
  'core.tokens': monies,
  'core.trades': [
    ...closing('0xa', 6, 11),
    ...closing('0xb', 12, 12),
    ...closing('0xc', 6, 11),
    ...closing('0xd', 2, 90),
    ...closing('0xe', 6, 99),
    trade('sell', 90, day(18), { wallet: '0xe', token: 'nowhere', usd: 500 }),
  ],
  'core.prices': Array.from({ length: 12 }, (_, place) => ({
    chain: 'base',
    token: `t${place}`,
    ts: `${day(place + 1)} 05:00:00`,
    n_pools: 2,
    depth_usd: 1_000,
  })),
}

test('a list is ordered by the served figure, then by address, and holds eligible wallets only', async () => {
  const rows = await run('marts.discover', given)
  const listOf = (sort: string, scope = 'all', range = '30d'): string[] =>
    rows
      .filter((row) => row['scope'] === scope && row['range'] === range && row['sort'] === sort)
      .sort((a, b) => Number(a['rank']) - Number(b['rank']))
      .map(({ address, rank, pnl_30d }) => `${String(rank)} ${String(address)} ${String(pnl_30d)}`)
  // 0xd is unproven, and 0xe sold half its volume from nowhere.
  expect(listOf('pnl')).toEqual(['1 0xb 24', '2 0xa 6', '3 0xc 6'])
  expect(listOf('pnl', 'base')).toEqual(listOf('pnl'))
  expect(listOf('win_rate')).toEqual(['1 0xb 24'])
  expect(listOf('pnl', 'all', '7d')).toEqual([])
})

test('every wallet has a profile, with the reason why it is not listed', async () => {
  const rows = await run('marts.wallet', given)
  expect(
    rows.map((row) => [row['address'], row['realized_all_time'], row['unmatched'], row['unlisted_reason']]),
  ).toEqual([
    ['0xa', 6, 10, null],
    ['0xb', 24, 10, null],
    ['0xc', 6, 10, null],
    ['0xd', 160, 10, 'fewer than 10 trades or 5 closed tokens'],
    ['0xe', 534, 510, 'more than 5 % of the volume was sold without a known purchase'],
  ])
})

test('the tokens of a wallet add up to its result', async () => {
  const rows = await run('marts.wallet_tokens', given)
  const of = rows.filter(({ address }) => address === '0xa')
  expect(of.map(({ token }) => token)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 'usdc'])
  expect(of.reduce((sum, row) => sum + Number(row['realized_all_time']), 0)).toBe(6)
  expect(of[0]).toMatchObject({ realized_30d: 1, bought: 10, sold: 11, unmatched: 0, n_matched: 1, is_ranked: true })
})
