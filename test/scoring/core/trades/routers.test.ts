import { expect, test } from 'vitest'

import { build, swap, transaction, transfer } from '#test/scoring/core/chains/lake.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

const e18 = 10n ** 18n

/** Purchases by a router that wraps all of the coin, or keeps a part of it. */
const purchases = (router: string, from: number, kept: readonly bigint[]): Rows => {
  const rows = kept.map((part, n) => ({ block: from + n, part }))
  return {
    'lake.transactions': rows.map(({ block }) => ({
      ...transaction(`ann${block}`, { block }),
      recipient: router,
      amount: e18,
    })),
    'lake.transfers': rows.map(({ block, part }) => ({
      ...transfer('weth', ['', router], e18 - part, { block, log_index: 1 }),
      kind: 'wrap',
    })),
  }
}
const joined = (...all: Rows[]): Rows =>
  Object.fromEntries(
    [...new Set(all.flatMap((rows) => Object.keys(rows)))].map((name) => [
      name,
      all.flatMap((rows) => rows[name] ?? []),
    ]),
  )

test('a router is plain if it wraps all of the coin that it is sent, but for refunds', async () => {
  const exact = Array.from({ length: 19 }, () => 0n)
  const rows = joined(
    purchases('plain', 100, [...exact, 1n]),
    purchases('taking', 200, [...exact, 1n, 1n, 1n]),
    purchases('rare', 300, exact),
  )
  const { 'core.routers': routers } = await build(['core.routers'], rows)
  expect(routers.map(({ router, n_sent, n_exact, is_plain }) => [router, n_sent, n_exact, is_plain])).toEqual([
    ['plain', '20', '19', true],
    ['rare', '19', '19', false],
    ['taking', '22', '19', false],
  ])
})

test('a sale for coin that no row shows counts in lists only if the router is plain', async () => {
  const sale = (router: string, block: number): Rows => ({
    'lake.transactions': [{ ...transaction('ann', { block }), recipient: router }],
    'lake.swaps': [{ ...swap('pool', ['a', 5n * e18], ['weth', e18], { block, log_index: 3 }) }],
    'lake.transfers': [
      transfer('a', ['ann', 'pool'], 5n * e18, { block, log_index: 1 }),
      transfer('weth', ['pool', router], e18, { block, log_index: 2 }),
      { ...transfer('weth', [router, ''], e18, { block, log_index: 4 }), kind: 'unwrap' },
    ],
  })
  const rows = joined(
    purchases(
      'plain',
      100,
      Array.from({ length: 20 }, () => 0n),
    ),
    sale('plain', 400),
    sale('other', 500),
  )
  const { 'core.trades': trades } = await build(['core.trades'], rows)
  const sales = trades.filter(({ wallet }) => wallet === 'ann')
  expect(
    sales.map(({ block, is_bound, is_certain, is_countable }) => [block, is_bound, is_certain, is_countable]),
  ).toEqual([
    ['400', false, true, true],
    ['500', true, true, false],
  ])
})
