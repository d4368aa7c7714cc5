import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { conditionIdOf, questionIdOf, tokenIds } from '#sources/markets/polymarket/chain/position_ids.ts'
import { newLake } from '#test/lake/fixture.ts'
import { followRound, runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { chainHouse, type ChainHouse } from './chain/chain_house.ts'
import { logOf, events } from './chain/event_logs.ts'
import { forkOf, timeOf, txOf } from './chain/logs_node.ts'
import { matchV1, matchV2 } from './chain/matching.ts'
import { rowsOf } from './chain/replay.ts'
import { at, openSettlement, type TestMarket } from './chain/settlement.ts'
import { convert, redeem } from './chain/wallet_actions.ts'

const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]
const group = `0x${'e'.repeat(62)}00`
const questions = [0, 1, 2].map((index): TestMarket => {
  const condition = conditionIdOf(at.adapter, questionIdOf(group, index))
  return { condition, tokens: tokenIds(condition, true), group, index }
})
const condition = conditionIdOf(alice, `0x${'7'.repeat(64)}`)
const market: TestMarket = { condition, tokens: tokenIds(condition, false) }
const payer = '0xdd8db71ce3be8d71ff148b2163d64da181a29e8b'

/** One transaction of each kind, and logs that the filter leaves out. */
function stories() {
  const state = openSettlement()
  const taker = { wallet: bob, isBuy: true, outcome: 0 as const, price: 600_000n, size: 5_000_000n }
  const maker = { wallet: alice, isBuy: true, outcome: 1 as const, price: 400_000n, size: 5_000_000n }
  const prepared = { oracle: alice, questionId: `0x${'7'.repeat(64)}`, outcomeSlotCount: 2n }
  state.emit(at.ctf, 'prepared', { ...prepared, conditionId: condition })
  state.end()
  for (const match of [matchV1, matchV2]) {
    match(state, market, taker, [maker], { ceiling_bps: 1_000n, kept: 10n })
    state.end()
  }
  for (const question of questions) state.adapterSplit(alice, question, 9_000_000n)
  state.end()
  convert(
    state,
    { group, questions },
    { wallet: alice, indexes: [0, 2], amount: 4_000_000n, n_questions: 3, isV2: true },
  )
  state.end()
  state.send(alice, alice, bob, market.tokens[1], 1_000_000n)
  state.end()
  state.emit(at.ctf, 'resolved', { ...prepared, conditionId: condition, payoutNumerators: [0n, 1n] })
  state.end()
  redeem(state, market, { wallet: alice, numerators: [0n, 1n], way: 'adapter' })
  state.end()
  const unwanted = [
    logOf(at.usdce, events.erc20, { from: alice, to: bob, value: 5n }),
    logOf('0xd216153c06e857cd7f72665e0af1d7d82172f494', events.relayed, {
      relay: alice,
      from: bob,
      to: alice,
      selector: '0x01020304',
      status: 0,
      charge: 0n,
    }),
  ]
  const paid = logOf(at.usdce, events.erc20, { from: payer, to: bob, value: 7_000_000n })
  const safe = logOf('0xaacfeea03eb1561c4e67d661e40682bd20e3541b', events.proxyCreation, { proxy: bob, owner: alice })
  return [...state.transactions, unwanted, [paid, safe]]
}
const all = stories()

/** Blocks have up to two of the transactions; those of forks have others. */
const transactionsOf = (block: number, fork: number) =>
  Array.from({ length: (block + fork) % 3 }, (_, n) => all[(block * 7 + fork * 3 + n) % all.length] ?? [])

const fillShape = z.object({
  tx: z.string(),
  seq: z.number(),
  trader: z.string(),
  side: z.string(),
  role: z.string(),
  token_id: z.string(),
  size: z.string(),
  cash_usd: z.string(),
  fee_usd: z.string(),
  ts: z.date(),
})
const moveShape = z.object({
  tx: z.string(),
  seq: z.number(),
  trader: z.string(),
  kind: z.string(),
  size: z.string().nullable(),
  n_questions: z.number().nullable(),
})
const textOf = (row: unknown): string => JSON.stringify(row)
const decimal = (amount: bigint): string => `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`

/** The fills and movements of a lake, as sorted texts. */
const rowsIn = (lake: Lake): Promise<string[]> =>
  lake.read(async ({ query }) =>
    [
      ...(await query(
        `select tx, seq, trader, side, role, token_id, size::varchar as size, cash_usd::varchar as cash_usd,
         fee_usd::varchar as fee_usd, ts from lake.fills`,
        fillShape,
      )),
      ...(await query(
        'select tx, seq, trader, kind, size::varchar as size, n_questions from lake.activity',
        moveShape,
      )),
    ]
      .map(textOf)
      .toSorted(),
  )

/** The same of the chain, block by block. */
function trueRows({ chain }: ChainHouse): string[] {
  const rows: string[] = []
  for (let block = 0; block < chain().n_blocks; block++) {
    const fork = forkOf(chain(), block)
    let n_logs = 0
    for (const [n, logs] of transactionsOf(block, fork).entries()) {
      const tx = txOf(block, fork, n)
      const { fills, moves } = rowsOf(logs.map((log) => ({ ...log, log_index: n_logs++ })))
      for (const { log_index: seq, trader, role, isBuy, token: token_id, size, cash, fee } of fills)
        rows.push(
          textOf({
            tx,
            seq,
            trader,
            side: isBuy ? 'buy' : 'sell',
            role,
            token_id,
            size: decimal(size),
            cash_usd: decimal(cash),
            fee_usd: decimal(fee),
            ts: new Date(timeOf(block) * 1_000),
          }),
        )
      for (const { log_index: seq, trader, kind, size, n_questions = null } of moves)
        rows.push(textOf({ tx, seq, trader, kind, size: size === null ? null : decimal(size), n_questions }))
    }
  }
  return rows.toSorted()
}

const backfill = (house: ChainHouse, lake: Lake) =>
  runBackfill(house, house.activities(lake), { source: 'polymarket_chain' })
const round = (house: ChainHouse, lake: Lake) => followRound(house, house.activities(lake), 'polymarket_chain', 'chain')

test('a backfill has every fill and movement of the chain, and a reparse the same', async () => {
  const house = chainHouse(450, transactionsOf)
  const lake = await newLake()
  expect(await backfill(house, lake)).toMatchObject({ units: 5, failed: 0, quarantined: 0 })
  const rows = await rowsIn(lake)
  expect(rows.length).toBeGreaterThan(400)
  expect(rows).toEqual(trueRows(house))
  const count = z.object({ source: z.string(), part: z.string(), state: z.string(), n: z.coerce.number() })
  const states = await lake.read(({ query }) =>
    query(
      `select source, part, state, count(*) as n from lake.coverage where dataset = 'fills' group by all order by state`,
      count,
    ),
  )
  const common = { source: 'polymarket_chain', part: 'polymarket' }
  expect(states).toEqual([
    { ...common, state: 'done', n: 2 },
    { ...common, state: 'head', n: 3 },
  ])
  expect(await reparse(lake, house.source, () => undefined)).toMatchObject({ units: 5, quarantined: 0, failed: [] })
  expect(await rowsIn(lake)).toEqual(rows)
})

test('conditions have their tokens, resolutions their payouts, wallets their owners', async () => {
  const house = chainHouse(60, transactionsOf)
  const lake = await newLake()
  await backfill(house, lake)
  const rows = z.record(z.string(), z.unknown())
  const [conditions, resolutions, owners] = await lake.read(async ({ query }) => [
    await query('select distinct market_id, token_ids, oracle, neg_risk_id from lake.conditions', rows),
    await query('select distinct market_id, payouts::varchar as payouts, status from lake.resolutions', rows),
    await query('select distinct venue, wallet, owner from lake.wallet_owners', rows),
  ])
  const market_id = `polymarket:${condition}`
  expect(conditions).toEqual([{ market_id, token_ids: market.tokens, oracle: alice, neg_risk_id: null }])
  expect(resolutions).toEqual([{ market_id, payouts: '[0.000000, 1.000000]', status: 'resolved' }])
  expect(owners).toEqual([{ venue: 'polymarket', wallet: bob, owner: alice }])
})

test('a follow replaces blocks of another fork, with faults and answers that lack logs', async () => {
  const house = chainHouse(230, transactionsOf)
  const lake = await newLake()
  await backfill(house, lake)
  house.setFaults(0.2)
  for (const depth of [1, 3, 8, 64]) {
    house.reorg(depth)
    for (let tries = 0; tries < 10 && (await round(house, lake)) !== null; tries++);
    house.grow(5)
  }
  house.setFaults(0)
  expect(await round(house, lake)).toBeNull()
  expect(await rowsIn(lake)).toEqual(trueRows(house))
})

test('a chain without the contracts of the venue is refused, and counts as nothing', async () => {
  const house = chainHouse(120, () => [])
  house.strip()
  const lake = await newLake()
  const request = { source: 'polymarket_chain', from: 0, to: house.now(), keys: [] }
  const refusal = house.activities(lake).plan({ ...request, after: '', limit: 10 })
  await expect(refusal).rejects.toThrow(/no contract at 0x4d97dcd97ec945f40cf65f87097ace5ea0476045/)
  expect(await lake.read(({ query }) => query('select source from lake.coverage', z.unknown()))).toEqual([])
})

test('a follow reads nothing unless the setting is on', async () => {
  const house = chainHouse(120, transactionsOf, 'off')
  const lake = await newLake()
  expect(await round(house, lake)).toBeNull()
  expect(await rowsIn(lake)).toEqual([])
  expect(await backfill(house, lake)).toMatchObject({ units: 2, failed: 0 })
  expect(await rowsIn(lake)).toEqual(trueRows(house))
})
