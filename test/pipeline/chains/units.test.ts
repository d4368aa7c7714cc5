import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { buildMarts, type Built } from '#builder/build.ts'
import type { UnitRows } from '#lake/units/column_batch.ts'
import type { Unit } from '#lake/units/unit.ts'
import { loadScoring } from '#scoring/index.ts'
import { newLake, storeRows } from '#test/lake/fixture.ts'
import { walletWorlds, type WalletWorld } from '#test/oracle/chains/wallet_worlds.ts'
import { tokens } from '#test/oracle/chains/worlds.ts'

const start = Date.UTC(2026, 10, 1)
const instant = (minute: number): string => new Date(start + minute * 60_000).toISOString()
const asOf = Date.UTC(2026, 10, 20) * 1000

/** The money of the chain `base` in the registry. The other names are as good as addresses. */
const addresses: Record<string, string> = {
  usdc: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  dai: '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca',
  weth: '0x4200000000000000000000000000000000000006',
}
const addressOf = (name: string): string => addresses[name] ?? name

/** A row of a world as sources write it: instants in microseconds, whole amounts, addresses. */
const stored = (
  { source: _, ...row }: Record<string, unknown>,
  missing: Record<string, null>,
): Record<string, unknown> => ({
  ...missing,
  ...Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (name === 'ts') return [name, Date.parse(String(value)) * 1000]
      if (name.startsWith('amount')) return [name, BigInt(String(value))]
      return [name, name.startsWith('token') ? addressOf(String(value)) : value]
    }),
  ),
})

const nulls = (names: string): Record<string, null> => Object.fromEntries(names.split(' ').map((name) => [name, null]))
const lacking = {
  transactions: nulls('nonce gas_used amount_l1_fee'),
  swaps: nulls('coin0_index coin1_index sender trader sqrt_price liquidity'),
  transfers: {},
  user_operations: {},
}
const names = ['transactions', 'swaps', 'transfers', 'user_operations'] as const

const unitOf = (from: number, to: number): Unit => ({
  source: 'evm_swaps',
  kind: 'blocks',
  part: 'base',
  key: '',
  from,
  to,
  params: [],
})

/** A lake of a world in units of `size` blocks, stored in an order. Each unit is stored as of another fork before. */
async function lakeOf({ rows }: WalletWorld, size: number, isReversed: boolean) {
  const lake = await newLake()
  const seen_at = start * 1000
  const described = Object.entries({ ...tokens.decimals, native: undefined }).flatMap(([token, decimals]) =>
    decimals === undefined
      ? []
      : [{ chain: 'base', token: addressOf(token), seen_at, symbol: token, name: null, decimals, standard: 'erc20' }],
  )
  await storeRows(
    lake,
    { ...unitOf(0, 1), kind: 'observation', source: 'evm_tokens', from: seen_at, to: seen_at + 1 },
    { tokens: described },
  )
  const n_blocks = Math.max(...rows.transactions.map(({ block }) => Number(block))) + 1
  const froms = Array.from({ length: Math.ceil(n_blocks / size) }, (_, n) => n * size)
  for (const from of isReversed ? froms.toReversed() : froms) {
    const ofUnit = (isFork: boolean) =>
      Object.fromEntries(
        names.map((name) => {
          const own = rows[name].filter(({ block }) => Number(block) >= from && Number(block) < from + size)
          const shown = isFork ? own.map((row) => ({ ...row, tx: `${String(row['tx'])}f` })) : own
          return [name, shown.map((row) => stored(row, lacking[name]))]
        }),
      ) as unknown as Record<(typeof names)[number], UnitRows>
    for (const isFork of [true, false])
      await storeRows(lake, unitOf(from, from + size), ofUnit(isFork), {
        to: from + size,
        state: isFork ? 'head' : 'done',
      })
  }
  return lake
}

const models = await loadScoring()
const marts = new Set(['discover', 'wallet', 'wallet_tokens', 'holdings', 'token_prices'])

async function build(world: WalletWorld, size: number, isReversed: boolean): Promise<Built> {
  const lake = await lakeOf(world, size, isReversed)
  return buildMarts(lake, 'scores', { models, asOf, threads: 1, memory: '1GB', now: () => asOf })
}

const ofWallets = ({ tables }: Built) =>
  tables.flatMap(({ name, n_rows, content_hash }) => (marts.has(name) ? [[name, n_rows, content_hash]] : []))

test('the marts of wallets are the same for units of any size, in any order, after a reorganization of each', async () => {
  const [world] = fc.sample(walletWorlds(90, instant), { numRuns: 1, seed: 7 })
  if (world === undefined) throw new Error('no world; expected a sample')
  const built = await build(world, 1_000, false)
  const instance = await DuckDBInstance.create(built.file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const wallets = await connection.runAndReadAll('select address from marts.wallet order by address')
  expect(wallets.getRowsJson().flat()).toEqual([...new Set(world.trades.map(({ wallet }) => wallet))].toSorted())
  connection.closeSync()
  instance.closeSync()
  for (const size of [7, 20]) expect(ofWallets(await build(world, size, size === 7))).toEqual(ofWallets(built))
})
