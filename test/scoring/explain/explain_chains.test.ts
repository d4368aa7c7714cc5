import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { parseMacro } from '#builder/load.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { trade } from '#test/scoring/core/wallets/run.ts'
import { buildTables, createGiven, loadWalletModels, type Rows } from '#test/scoring/core/wallets/tables.ts'

const name = 'explain_chains'
const file = fileURLToPath(new URL(`../../../scoring/explain/${name}.sql`, import.meta.url))
const macro = parseMacro(name, await readFile(file, 'utf8'))
const as_of = '2026-11-20 12:00:00'
const wallet = '0xa'

type Row = Rows[string][number]

/** A trade of another wallet without a value, and an event of its transaction. */
const unpriced = (block: number, ts: string, token_sold: string, token_bought: string): Row => ({
  ...trade('buy', block, ts, { usd: 0, wallet: '0xd', usd_method: 'none' }),
  usd: null,
  token_sold,
  amount_sold: 5,
  token_bought,
})
const swap = (block: number, log_index: number, more: Row): Row => ({
  chain: 'base',
  block,
  tx: `0x${block}`,
  log_index,
  family: 'uniswap_v4',
  coin0_index: 0,
  coin1_index: 1,
  ...more,
})

/** A wallet on two chains: bought, sold, received, sent, sold what it never bought, and paid for a failure. */
const given: Rows = {
  'core.clock': [{ as_of }],
  'core.tokens': [
    { chain: 'base', token: 'usdc', symbol: 'USDC', decimals: 0, kind: 'stable' },
    { chain: 'base', token: 'native', symbol: 'ETH', decimals: 18, kind: 'native' },
    { chain: 'base', token: 'x', decimals: 2, kind: 'other' },
    { chain: 'base', token: 'y', symbol: 'Y', decimals: 18, kind: 'other' },
    { chain: 'base', token: 'z', decimals: 30, kind: 'other' },
    { chain: 'base', token: 'v', decimals: 18, kind: 'other' },
    { chain: 'base', token: 'thin', decimals: 18, kind: 'other' },
  ],
  'core.prices': [
    { chain: 'base', token: 'native', ts: '2026-11-13 12:00:00', usd_per_token: 2_000, method: 'vwap' },
    { chain: 'base', token: 'x', ts: '2026-11-10', usd_per_token: 1, method: 'vwap', n_pools: 2, depth_usd: 1e6 },
    { chain: 'base', token: 'thin', ts: '2026-11-10', usd_per_token: 1, method: 'vwap', is_thin: true },
    { chain: 'base', token: 'v', ts: '2026-11-09 12:00:00', usd_per_token: 1, method: 'vwap' },
  ],
  'core.trades': [
    trade('buy', 1, '2026-11-01', { usd: 100, gas_usd: 1, protocol: 'uniswap_v3', n_swaps: 2, usd_method: 'stable' }),
    trade('buy', 2, '2026-11-02', { usd: 60, amount: 50 }),
    trade('sell', 10, '2026-11-10', { usd: 240, gas_usd: 2, amount: 120 }),
    trade('sell', 11, '2026-11-11', { usd: 33, token: 'y', amount: '1500000000000000001', is_self: true }),
    trade('buy', 3, '2026-11-03', { usd: 5, chain: 'polygon', token: 'q', is_bound: true }),
    // Without a price of q, its result counts in no list.
    trade('sell', 6, '2026-11-04', { usd: 8, chain: 'polygon', token: 'q', is_certain: false }),
    trade('buy', 4, '2026-11-03', { usd: 5, wallet: '0xb' }),
    unpriced(21, '2026-11-10 12:00:00', 'v', 'w'),
    unpriced(22, '2026-11-10 12:00:00', 'x', 'thin'),
  ],
  'staging.swaps': [
    // Pools without a key, one with its tokens, a fill that names them, and a pool of a trade with a value.
    swap(21, 0, { pool: '0xp4' }),
    swap(21, 1, { pool: '0xp5' }),
    swap(22, 0, { family: 'uniswap_v3', pool: '0xp3' }),
    swap(22, 1, { family: 'quoted', pool: '0xq', token0: 'x', token1: 'thin', coin0_index: null, coin1_index: null }),
    swap(4, 0, { pool: '0xp4' }),
  ],
  'staging.pools': [{ chain: 'base', pool: '0xp3', family: 'uniswap_v3', tokens: ['usdc', 'x'] }],
  'core.chains': [{ chain: 'base', wrapped: 'weth' }],
  'staging.balances': [
    { chain: 'base', address: wallet, token: 'x', seen_at: '2026-11-11', block: 11, amount: 33 },
    { chain: 'base', address: wallet, token: 'y', seen_at: '2026-11-11', block: 11, amount: 7 },
    { chain: 'base', address: '0xc', token: 'x', seen_at: '2026-11-11', block: 11, amount: 33 },
  ],
  'core.transfers': [
    {
      wallet,
      chain: 'base',
      block: 12,
      tx_index: 0,
      tx: '0xt1',
      seq: 0,
      token: 'z',
      ts: '2026-11-12',
      direction: 'in',
      amount: '123456789012345678901234567890123456789',
      counterparty: '0xc',
      basis: 'unpriced',
    },
    {
      wallet,
      chain: 'base',
      block: 13,
      tx_index: 0,
      tx: '0xt2',
      seq: 0,
      token: 'x',
      ts: '2026-11-13',
      direction: 'out',
      amount: 7,
      counterparty: '',
      usd: 14,
      basis: 'market',
    },
  ],
  'staging.transactions': [
    {
      chain: 'base',
      block: 14,
      tx_index: 0,
      tx: '0xf',
      ts: '2026-11-14',
      sender: wallet,
      is_ok: false,
      amount_fee: '1000000000000000',
    },
  ],
}

const partShape = z.object({
  part: z.string(),
  place: z.string(),
  ts: z.string().nullable(),
  what: z.string(),
  amount: z.string().nullable(),
  usd: z.string().nullable(),
  pnl_usd: z.string().nullable(),
  ref: z.string().nullable(),
})
type Part = z.output<typeof partShape>

const profileShape = z.object({
  chain: z.string(),
  realized_all_time: z.string(),
  unranked_all_time: z.string(),
  unmatched: z.string(),
  gas_outside_trades: z.string(),
})

const instance = await openDuckDB({
  threads: 1,
  memory: '1GB',
  scratch: join(tmpdir(), `tapeline-explain-${process.pid}`),
})
const ask = (sql: string) =>
  withConnection(instance, async (connection) => (await connection.runAndReadAll(sql)).getRowObjectsJson())

let rows: Part[]
beforeAll(async () => {
  await createGiven(instance, given)
  const tables = ['marts.wallet', 'core.lots', 'core.disposals', 'core.balance_checks']
  await buildTables(instance, await loadWalletModels(), tables)
  await ask(`create macro core.${name}(${macro.parameter}) as table ${macro.sql}`)
  rows = z.array(partShape).parse(await ask(`from core.${name}('0xA')`))
})

const of = (part: string, place = '') => rows.filter((row) => row.part === part && row.place.startsWith(place))
/** The sum of a column in millionths. */
const sum = (parts: Part[], column: 'usd' | 'pnl_usd') =>
  parts.reduce((total, row) => total + BigInt((row[column] ?? '0').replace('.', '')), 0n)
const micros = (cents: string) => BigInt(cents.replace('.', '')) * 10_000n

test('has the documented columns, types and parts, in their order', async () => {
  const described = await ask(`describe from core.${name}('')`)
  expect(described.map((row) => [row['column_name'], row['column_type']])).toEqual(
    macro.columns.map((column) => [column.name, column.sql]),
  )
  const documented = [...macro.doc.matchAll(/^ {2}([a-z_]+)/gm)].map(([, part]) => part)
  expect([...new Set(rows.map(({ part }) => part))]).toEqual(documented)
})

test('an unknown address has no rows, and an address of another case is the same', async () => {
  for (const address of ['', '0xff', 'base', "0xa' or 1=1"])
    expect(await ask(`from core.${name}('${address.replaceAll("'", "''")}')`)).toEqual([])
  expect(await ask(`from core.${name}('0xa')`)).toEqual(rows)
})

describe('the sums', () => {
  test('of disposals, of tokens and of the result are the realized result of the profile, chain by chain, and unranked ones apart', async () => {
    const profiles = z
      .array(profileShape)
      .parse(await ask(`from marts.wallet where address = '${wallet}' order by chain`))
    expect(profiles.map(({ chain }) => chain)).toEqual(['base', 'polygon'])
    for (const { chain: place, realized_all_time, unranked_all_time, unmatched, gas_outside_trades } of profiles) {
      const realized = micros(realized_all_time)
      expect(sum(of('disposal', place), 'pnl_usd')).toBe(realized)
      expect(sum(of('token', place), 'pnl_usd')).toBe(realized)
      const all = of('chain_result', place).filter(({ what }) => what.startsWith('all:'))
      expect(all).toHaveLength(1)
      expect(sum(all, 'pnl_usd')).toBe(realized)
      expect(sum(of('unranked', place), 'pnl_usd')).toBe(micros(unranked_all_time))
      expect(sum(of('unmatched', place), 'usd')).toBe(micros(unmatched))
      expect(sum(of('chain_history', place), 'usd')).toBe(micros(unmatched))
      expect(sum(of('gas', place), 'usd')).toBe(micros(gas_outside_trades))
    }
    // 120 sold for 240 less gas: 100 at 101, 20 at 24.
    expect(sum(of('disposal', 'base'), 'pnl_usd')).toBe(113_000_000n)
    expect(of('unranked').map(({ place, pnl_usd }) => [place, pnl_usd])).toEqual([['polygon:q', '3.000000']])
  })
})

describe('the rows', () => {
  test('of a trade show both legs in raw units, and name the transaction', () => {
    expect(of('trade', 'base')[0]).toEqual({
      part: 'trade',
      place: 'base',
      ts: '2026-11-01 00:00:00',
      what: 'swap of 100 units of USDC usdc for 100 units of x by uniswap_v3, swaps: 2, value by stable, gas 1.000000',
      amount: null,
      usd: '100.000000',
      pnl_usd: null,
      ref: '0x1',
    })
    expect(of('trade', 'base').at(-1)?.what).toMatch(/, with oneself$/)
    expect(of('trade', 'polygon')[0]?.what).toMatch(/, a leg is a bound$/)
    expect(of('trade', 'polygon').at(-1)?.what).toMatch(/, or no trade$/)
    expect(of('trade')).toHaveLength(6)
  })

  test('of a trade without a value name the reason for each leg, and the pools of unknown tokens', async () => {
    const own = z.array(partShape).parse(await ask(`from core.${name}('0xd')`))
    const reasons = own.filter(({ part }) => part === 'trade').map(({ what }) => what.slice(what.indexOf('not priced')))
    expect(reasons).toEqual([
      'not priced: no price of v in 24 hours, the decimals of w are unknown, pools of unknown tokens: uniswap_v4 0xp4, uniswap_v4 0xp5',
      'not priced: the value of x is 2 billion or more, thin has a thin price alone',
    ])
    expect(of('trade').filter(({ what }) => /not priced|unknown tokens/.test(what))).toEqual([])
  })

  test('of lots, disposals and unmatched parts have exact amounts in whole units', () => {
    expect(of('lot', 'base:x').map(({ amount, usd, what }) => [amount, usd, what])).toEqual([
      ['1.000000', '101.000000', 'lot 0 by buy, left: 0 of 100 units, at cost 0.000000'],
      ['0.500000', '60.000000', 'lot 1 by buy, left: 23 of 50 units, at cost 27.600000'],
    ])
    expect(of('disposal', 'base:x').map(({ amount, usd, pnl_usd, ref }) => [amount, usd, pnl_usd, ref])).toEqual([
      ['1.000000', '200.000000', '97.333333', '0x10'],
      ['0.200000', '40.000000', '15.666667', '0x10'],
      ['0.070000', null, null, '0xt2'],
    ])
    expect(of('unmatched', 'base:y')).toMatchObject([
      { amount: '1.500000', usd: '33.000000', pnl_usd: null, ref: '0x11' },
    ])
  })

  test('of transfers have the sign of their direction, and each digit of a large amount', () => {
    expect(of('transfer').map(({ place, what, amount }) => [place, what, amount])).toEqual([
      ['base:z', 'in from 0xc, unpriced', '123456789.012346'],
      ['base:x', 'out, market', '-0.070000'],
    ])
  })

  test('of balances name the lots at their block, and what the lake has no movement for', () => {
    expect(of('balance').map(({ place, what, amount }) => [place, what, amount])).toEqual([
      ['base:x', 'held after block 11: 33 units, in lots 30, untracked 3', '0.330000'],
      [
        'base:y',
        'held after block 11: 7 units, in lots 0, untracked 7, left without a lot 1500000000000000001',
        '0.000000',
      ],
    ])
  })

  test('of gas name the failed transaction, and those of traits the evidence', () => {
    expect(of('gas')).toMatchObject([{ what: 'a failed transaction', usd: '2.000000', ref: '0xf' }])
    expect(of('chain_trait', 'base').map(({ what }) => what)).toContain('n_trades: 4')
    expect(of('behavior').map(({ place, what }) => [place, what])).toEqual([
      ['base', 'unproven'],
      ['polygon', 'unproven'],
    ])
  })
})

test('a filter on the place gives its rows where the tables are views of files, as in the analysts’ file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-explain-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const results = 'metrics.wallet_results'
  // As many wallets as make the file a dictionary of its chains.
  await ask(`insert into ${results} select r.* replace ('0xb' || n as wallet) from range(300) t(n), ${results} r
    where r.wallet = '${wallet}' and r.chain = 'base' order by n, r.range`)
  const named = `select schema_name || '.' || table_name as n from duckdb_tables() where schema_name <> 'main'`
  for (const { n: table } of z.array(z.object({ n: z.string() })).parse(await ask(named))) {
    const path = join(folder, `${table}.parquet`)
    await ask(`copy ${table} to '${path}'`)
    await ask(`drop table ${table}`)
    await ask(`create view ${table} as from read_parquet('${path}')`)
  }
  for (const address of [wallet, '0xb0', '0xb50', '0xb150', '0xb299']) {
    const all = await ask(`from core.${name}('${address}')`)
    expect(await ask(`from core.${name}('${address}') where place = 'base'`)).toEqual(
      all.filter(({ place }) => place === 'base'),
    )
  }
})
