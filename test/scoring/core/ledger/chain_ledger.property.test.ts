import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import { toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { loadScoring } from '#scoring/index.ts'
import { openChainRows } from '#sources/markets/polymarket/chain/chain_rows.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { sized } from '#test/run/sized.ts'
import { buildTables, createGiven, type Rows } from '#test/scoring/core/wallets/tables.ts'
import { act, actions, allMarkets, wallets } from '#test/sources/markets/polymarket/chain/actions.ts'
import { openSettlement, type Settlement } from '#test/sources/markets/polymarket/chain/settlement.ts'

const models = await loadScoring()
let instance: DuckDBInstance
beforeAll(async () => {
  instance = await openDuckDB({ threads: 2, memory: '1GB', scratch: join(tmpdir(), `tapeline-chain-${process.pid}`) })
})
afterAll(() => instance.closeSync())

const start_s = Date.UTC(2026, 5, 1) / 1_000
const instant = (micros: number): string => new Date(micros / 1_000).toISOString().slice(0, 23)
const sources = { chain: 'polymarket_chain', account: 'polymarket_activity' }

/** A block for each transaction, as the source makes rows of it. */
function chainRows({ transactions }: Settlement): Rows {
  const rows = openChainRows(findChain('polygon'), transactions.length)
  for (const [block, logs] of transactions.entries())
    rows.add({
      block,
      hash: `0x${String(block).padStart(64, 'a')}`,
      parent_hash: `0x${String(block - 1).padStart(64, 'a')}`,
      time_s: start_s + block,
      transactions: [],
      logs: logs.map(({ address, topics, data, log_index }) => ({
        tx: `0x${String(block).padStart(64, 'd')}`,
        tx_index: 0,
        log: { address, topics, data, logIndex: `0x${log_index.toString(16)}` },
      })),
    })
  const { rows: made, rejected } = rows.result({
    final: transactions.length,
    is_whole: false,
    proofs: ['root'],
    unproved: [],
  })
  expect(rejected).toEqual([])
  return Object.fromEntries(
    Object.entries(made).map(([name, batch]) => [
      `lake.${name}`,
      toRows(batch).map((row) => written(name as DatasetName, row)),
    ]),
  )
}

/** A row as the tables of a test take it, of the source of the chain. */
function written(name: DatasetName, row: Record<string, unknown>): Rows[string][number] {
  const columns: Record<string, { sql: string }> = datasets[name].columns
  const entries = Object.entries(row).map(([column, value]) => {
    const sql = columns[column]?.sql ?? ''
    if (value === null) return [column, null]
    if (sql === 'TIMESTAMP') return [column, instant(Number(value))]
    if (/^DECIMAL.*\[\]$/.test(sql)) return [column, (value as bigint[]).map((part) => decimal(part))]
    return [column, sql.startsWith('DECIMAL') ? decimal(value as bigint) : value]
  })
  return { ...Object.fromEntries(entries), source: sources.chain }
}

const markets = allMarkets.map(({ condition, tokens, group, index }) => ({
  market_id: `polymarket:${condition}`,
  seen_at: '2026-05-01',
  venue: 'polymarket',
  event_id: `polymarket:${group ?? condition}`,
  question: condition,
  labels: ['Yes', 'No'],
  token_ids: tokens,
  status: 'open',
  is_open: true,
  neg_risk_id: group === undefined ? null : `polymarket:${group}`,
  neg_risk_index: index ?? null,
  source: 'polymarket_markets',
}))

/** The lake of a chain. The Data API has the same rows of each wallet, with other keys. */
function lakeOf(state: Settlement): Rows {
  const rows = chainRows(state)
  const n_blocks = state.transactions.length
  const again = (table: string): Rows[string][number][] => {
    const of_chain = rows[table] ?? []
    return [
      ...of_chain,
      ...of_chain.map((row) => ({ ...row, seq: 0, source: sources.account, n_questions: null, index_set: null })),
    ]
  }
  const activity = again('lake.activity').filter(({ source, kind }) => source === sources.chain || kind !== 'convert')
  const fills = again('lake.fills').map(({ n_questions: _, index_set: __, ...row }) => row)
  const unit = { part: 'polymarket', state: 'head' }
  const coverage = ['fills', 'activity'].flatMap((dataset) => [
    { ...unit, dataset, unit: 'chain', source: sources.chain, precedence: 40, from_block: 0, to_block: n_blocks },
    // The other accounts are complete by the chain alone.
    ...wallets.slice(0, 2).map((key) => ({
      ...unit,
      dataset,
      unit: key,
      key,
      source: sources.account,
      precedence: 20,
      from_at: '1970-01-01',
      to_at: '2026-09-01',
    })),
  ])
  // The last three wallets have one owner, who has none of them for an address.
  const owners = wallets.slice(2).map((wallet) => ({ venue: 'polymarket', wallet, owner: `0x${'f'.repeat(40)}` }))
  return {
    ...rows,
    'lake.wallet_owners': owners,
    'lake.fills': fills,
    'lake.activity': activity,
    'lake.coverage': coverage,
    'lake.markets': markets,
  }
}

const inputs = [
  'core.clock',
  ...'coverage blocks fills activity resolutions conditions markets wallet_owners venue_contracts quotes'
    .split(' ')
    .map((name) => `lake.${name}`),
]

/** Texts, but for the flags: sums of decimals are compared as they are written. */
const rowsShape = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])))

async function buildFrom(state: Settlement) {
  await createGiven(instance, { 'core.clock': [{ as_of: '2026-10-01' }], ...lakeOf(state) }, inputs)
  await buildTables(
    instance,
    models,
    ['core.positions', 'core.history_completeness', 'core.share_transfers', 'core.chain_differences'],
    inputs,
  )
  return withConnection(instance, async (connection) => {
    const read = async (sql: string) => rowsShape.parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
    return {
      positions: await read(
        `select trader, market_id, outcome, size::varchar as size, size_untracked::varchar as untracked,
           cost_usd::varchar as cost, is_valued
         from core.positions`,
      ),
      // The cash of a trader is its result without the value of what others gave it, or got from it.
      cash: await read(
        `select trader, (sum(sold_usd - bought_usd) + coalesce(any_value(value_usd), 0))::varchar as cash
         from core.positions left join (
           select trader, sum(case kind when 'transfer_in' then value_usd else -value_usd end) as value_usd
           from core.share_transfers group by trader
         ) using (trader) group by trader`,
      ),
      differences: await read(
        `select trader, fact, kind from core.chain_differences where fact <> 'convert' and kind <> 'dust'`,
      ),
      transfers: await read(
        'select kind, sum(value_usd)::varchar as value_usd from core.share_transfers group by kind',
      ),
      histories: await read('select trader, is_complete, reason_code from core.history_completeness order by trader'),
    }
  })
}

const decimal = (value: bigint): string => {
  const [sign, size] = value < 0n ? ['-', -value] : ['', value]
  return `${sign}${size / 1_000_000n}.${String(size % 1_000_000n).padStart(6, '0')}`
}

/** Adds up what the addresses of a trader have. */
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

test('the ledger by the chain alone equals what the contracts leave, and the same rows of accounts count for nothing', async () => {
  const some = fc.array(actions, { minLength: 4, maxLength: 6 }).map((lists) => lists.flat())
  await fc.assert(
    fc.asyncProperty(some, async (steps) => {
      const state = openSettlement()
      for (const market of allMarkets) state.prepare(market)
      state.end()
      for (const step of steps) {
        act(state, step)
        state.end()
      }
      const { positions, cash, histories, transfers, differences } = await buildFrom(state)
      expect(differences).toEqual([])
      const sizes = new Map<string, bigint>()
      for (const { trader, market_id, outcome, size, untracked } of positions) {
        expect(untracked).toBe('0.000000')
        sizes.set(`${trader} ${market_id} ${outcome}`, BigInt(String(size).replace('.', '')))
      }
      for (const people of [wallets.slice(0, 1), wallets.slice(1, 2), wallets.slice(2)]) {
        for (const { condition, tokens } of allMarkets)
          for (const [outcome, token] of tokens.entries())
            expect(sum(people.map((wallet) => sizes.get(`${wallet} polymarket:${condition} ${outcome}`) ?? 0n))).toBe(
              sum(people.map((wallet) => state.has(wallet, token))),
            )
        const moved = cash.filter(({ trader }) => people.includes(String(trader)))
        expect(moved.length).toBeLessThanOrEqual(1)
        const expected = decimal(sum(people.map((wallet) => state.cash.get(wallet) ?? 0n)))
        expect([people, moved[0]?.['cash'] ?? '0.000000']).toEqual([people, expected])
      }
      // What somebody gave is what somebody got.
      expect(new Set(transfers.map(({ value_usd }) => value_usd)).size).toBeLessThanOrEqual(1)
      for (const history of histories) expect(history).toMatchObject({ is_complete: true, reason_code: null })
    }),
    { numRuns: sized(2, 5, 200), endOnFailure: true },
  )
})

test('shares of somebody else count at the price of the moment; those of one owner keep their cost', async () => {
  const state = openSettlement()
  for (const market of allMarkets) state.prepare(market)
  state.end()
  const [market] = allMarkets
  const [ann = '', bob = '', cleo = '', dan = ''] = wallets
  if (market === undefined) throw new Error('no market')
  for (const wallet of [ann, cleo]) state.split(wallet, market, 5_000_000n)
  state.end()
  state.send(ann, ann, cleo, market.tokens[0], 2_000_000n)
  state.end()
  state.send(cleo, cleo, dan, market.tokens[1], 3_000_000n)
  state.end()
  const { positions, histories } = await buildFrom(state)
  const shown = positions.map(({ trader, outcome, size, cost, is_valued }) => [trader, outcome, size, cost, is_valued])
  // Without a trade or a quote, a share is half a dollar.
  expect(shown.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
    [ann, 0, '3.000000', '1.500000', true],
    [ann, 1, '5.000000', '2.500000', false],
    [cleo, 0, '7.000000', '3.500000', true],
    [cleo, 1, '5.000000', '2.500000', false],
  ])
  expect(histories).toEqual([
    { trader: ann, is_complete: true, reason_code: null },
    // He was read, and did nothing.
    { trader: bob, is_complete: true, reason_code: null },
    { trader: cleo, is_complete: true, reason_code: null },
  ])
})
