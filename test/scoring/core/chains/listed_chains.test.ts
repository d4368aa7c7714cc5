import { expect, test } from 'vitest'

import { registryTables } from '#builder/builtin_tables.ts'
import { chainFacts } from '#registry/chains/facts.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { overrides } from '#registry/chains/overrides.ts'

import { build, movesOf, swap, timeOf, transaction } from './lake.ts'

/** Only public lists know its dollars. */
const mode = findChain('mode')
const { wrapped } = mode
const [dollar] = mode.stables

test('a chain whose dollars come from public lists has prices', async () => {
  expect(overrides[mode.id ?? 0]?.stables).toBeUndefined()
  expect(chainFacts.get(mode.id ?? 0)?.dollars?.[0]?.address).toBe(dollar)
  if (wrapped === null || dollar === undefined) throw new Error('mode: no wrapped coin or no dollar; expected both')
  const units = { [dollar]: 6, [wrapped]: 18, a: 18 }
  const usd = (amount: number): [string, bigint] => [dollar, BigInt(amount) * 10n ** 6n]
  const coins = (token: string, amount: number): [string, bigint] => [token, BigInt(amount) * 10n ** 18n]
  const swaps = [
    { by: 'ann', block: 1, pool: 'eth_1', paid: usd(3_000), got: coins(wrapped, 1) },
    { by: 'bob', block: 2, pool: 'eth_2', paid: coins(wrapped, 2), got: usd(6_000) },
    { by: 'cem', block: 3, pool: 'a_usd', paid: usd(100), got: coins('a', 50) },
    { by: 'dan', block: 4, pool: 'a_eth', paid: coins('a', 1_500), got: coins(wrapped, 1) },
  ]
  const chain = mode.slug
  const { 'core.prices': prices, 'core.tokens': tokens } = await build(['core.prices', 'core.tokens'], {
    'core.chains': registryTables['core.chains']?.rows.filter((row) => row['chain'] === chain) ?? [],
    'lake.coverage': ['transactions', 'swaps', 'transfers', 'user_operations'].map((dataset) => ({
      dataset,
      unit: `evm/${chain}/0-1000`,
      part: chain,
      key: '',
      precedence: 1,
      state: 'done',
      from_block: 0,
      to_block: 1_000,
      source: 'evm',
    })),
    'lake.tokens': Object.entries(units).map(([token, decimals]) => ({ chain, token, decimals, source: 'evm' })),
    'lake.transactions': swaps.map(({ by, block }) => ({ ...transaction(by, { block }), chain })),
    'lake.swaps': swaps.map(({ block, pool, paid, got }) => ({ ...swap(pool, paid, got, { block }), chain })),
    'lake.transfers': swaps.flatMap(({ by, block, pool, paid, got }) =>
      movesOf(pool, by, [paid, got], { block }).map((row) => ({ ...row, chain })),
    ),
  })
  const at = timeOf(0).replace('T', ' ')
  expect(prices.map(({ token, ts, usd_per_token, method }) => [token, ts, usd_per_token, method].join(' '))).toEqual([
    `${dollar} ${at} 1 peg`,
    `a ${at} 2 vwap`,
    `native ${at} 3000 vwap`,
  ])
  const kinds = tokens.flatMap((row) =>
    row['chain'] === chain ? [`${String(row['token'])} ${String(row['kind'])}`] : [],
  )
  expect(kinds).toEqual(expect.arrayContaining([`${dollar} stable`, 'native native', 'a other']))
})
