import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Model } from '#builder/model.ts'
import type { Ledger, Trade, Transfer } from '#test/oracle/lots/types.ts'
import { openLotDuckDB, runLots } from '#test/scoring/core/lots/ledgers.ts'
import { loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

import { folder, isRecorded } from './files.ts'
import { eventsOf, goldenRows, units, type Step } from './rp2.ts'

const golden = join(folder, 'eprbell__rp2/input/golden/generic')
const sheets = isRecorded
  ? readdirSync(golden)
      .filter((name) => name.endsWith('fifo_rp2_full_report.csvs'))
      .flatMap((name) => readdirSync(join(golden, name)).map((file) => join(name, file)))
      .filter((file) => file.endsWith('_Tax.csv'))
  : []

let models: Model[]
let duckdb: DuckDBInstance
beforeAll(async () => {
  models = await loadWalletModels()
  duckdb = await openLotDuckDB(1)
})
afterAll(() => duckdb.closeSync())

test('recordings are there', ({ skip }) => {
  const message = `no recordings in ${folder}, so that no golden lot was compared: RECORDINGS_DIR names their folder`
  skip(!isRecorded && process.env['CI'] !== 'true', message)
  expect(isRecorded, message).toBe(true)
})

/** The ledger of steps in one token: purchases and sales for a stable, other outflows as transfers. */
function ledgerOf(steps: readonly Step[]): Promise<Ledger> {
  const trades: Trade[] = []
  const transfers: Transfer[] = []
  steps.forEach(({ kind, ts, amount, usd, gas = 0n }, block) => {
    const place = { wallet: '0xa', chain: 'base', block, tx_index: 0, tx: `0x${block}`, seq: 0, ts }
    if (kind === 'out') {
      transfers.push({ ...place, token: 'x', direction: 'out', amount, counterparty: '0xb', usd, basis: 'market' })
      return
    }
    const [sold, bought] = kind === 'sell' ? [amount, usd] : [usd, amount]
    const [token_sold, token_bought] = kind === 'sell' ? ['x', 'usdc'] : ['usdc', 'x']
    trades.push({ ...place, token_sold, amount_sold: sold, token_bought, amount_bought: bought, usd, gas })
  })
  return runLots(duckdb, models, { trades, transfers, owners: new Map(), kinds: new Map([['usdc', 'stable']]) })
}

/** The disposals, and what no lot covered, of the token in question. */
const ofToken = <T extends { token: string }>(rows: readonly T[]): T[] => rows.filter(({ token }) => token === 'x')

const total = (values: readonly (bigint | null)[]): number => Number(values.reduce((a: bigint, b) => a + (b ?? 0n), 0n))

describe.runIf(isRecorded)("the first-in, first-out report of RP2's golden file", () => {
  test('the files hold parts of lots, most of them sold', () => {
    const rows = sheets.flatMap((sheet) => goldenRows(readFileSync(join(golden, sheet), 'utf8')))
    expect(rows.length).toBe(82)
    expect(rows.filter(({ gain }) => gain !== undefined).length).toBeGreaterThan(30)
  })

  test.each(sheets)('%s: each part of each lot, its cost, and the gain of each sale', async (sheet) => {
    const text = readFileSync(join(golden, sheet), 'utf8')
    const steps = eventsOf(readFileSync(join(golden, sheet.replace('_Tax.csv', '_In-Out.csv')), 'utf8'))
    const { lots, disposals } = await ledgerOf(steps)
    const acquiredAt = new Map(ofToken(lots).map(({ lot, ts }) => [lot, ts]))
    const found = ofToken(disposals)
      .map((row) => ({ ...row, since: acquiredAt.get(row.lot) ?? 0 }))
      .sort((a, b) => a.ts - b.ts || a.block - b.block || a.lot - b.lot)
    const expected = goldenRows(text)
    expect(found.map(({ ts, since, amount }) => ({ ts, since, amount }))).toEqual(
      expected.map(({ ts, since, amount }) => ({ ts, since, amount })),
    )
    expected.forEach(({ cost, gain }, index) => {
      expect(Math.abs(Number(found[index]?.cost) / 1e6 - cost)).toBeLessThan(1e-5)
      if (gain !== undefined) expect(Math.abs(Number(found[index]?.pnl) / 1e6 - gain)).toBeLessThan(1e-5)
    })
  })
})

type Oracles = {
  average_cost_sequence: { events: { op: 'buy' | 'sell'; qty: string; price: string; missing_qty?: string }[] } & {
    fifo_realized_DERIVED_BY_US_not_rotki: string[]
  }
  fifo_lot_consumption: {
    lots: [string, string][]
    spend?: string
    spends?: string[]
    cost_basis_total?: string
    cost_basis?: string[]
    remaining_lots: [string, string][]
  }[]
  mixed_history_eur: { expected_trade_pnl_eur: { FIFO: string } }
}

describe.runIf(isRecorded)("rotki's sequences", () => {
  const oracles = (): Oracles =>
    JSON.parse(readFileSync(join(folder, 'rotki__rotki/pnl_oracles.json'), 'utf8')) as Oracles
  const usdOf = (amount: string, price: string): bigint => BigInt(Math.round(Number(amount) * Number(price) * 1e6))

  test('each step realizes its result; what no lot covers is unmatched and not profit', async () => {
    const { events, fifo_realized_DERIVED_BY_US_not_rotki: realized } = oracles().average_cost_sequence
    const { disposals, unmatched } = await ledgerOf(
      events.map(({ op, qty, price }, index) => ({
        kind: op,
        ts: index * 1_000_000,
        amount: units(qty),
        usd: usdOf(qty, price),
      })),
    )
    events.forEach(({ missing_qty }, block) => {
      const pnl = total(ofToken(disposals.filter((row) => row.block === block)).map((row) => row.pnl))
      const apart = ofToken(unmatched.filter((row) => row.block === block))
      expect(apart.map(({ amount }) => amount)).toEqual(missing_qty === undefined ? [] : [units(missing_qty)])
      expect(pnl + total(apart.map(({ proceeds }) => proceeds))).toBe(Number(realized[block]) * 1e6)
    })
  })

  test('lots are consumed at their cost', async () => {
    for (const { lots, spend, spends, cost_basis_total, cost_basis, remaining_lots } of oracles()
      .fifo_lot_consumption) {
      const bought = lots.map(([amount, price], index) => ({
        kind: 'buy' as const,
        ts: index * 1_000_000,
        amount: units(amount),
        usd: usdOf(amount, price),
      }))
      const sold = (spends ?? [spend ?? '']).map((amount, index) => ({
        kind: 'sell' as const,
        ts: (lots.length + index) * 1_000_000,
        amount: units(amount),
        usd: 0n,
      }))
      const ledger = await ledgerOf([...bought, ...sold])
      const costs = sold.map((_, index) =>
        total(ofToken(ledger.disposals.filter(({ block }) => block === lots.length + index)).map(({ cost }) => cost)),
      )
      expect(costs).toEqual((cost_basis ?? [cost_basis_total]).map((cost) => Math.round(Number(cost) * 1e6)))
      const left = ofToken(ledger.lots).filter(({ amount_left }) => amount_left > 0n)
      expect(left.map((lot) => [lot.amount_left, lot.cost_left])).toEqual(
        remaining_lots.map(([amount, price]) => [units(amount), usdOf(amount, price)]),
      )
    }
  })

  test('a history of trades of two coins realizes the same total, up to its treatment of fees', async () => {
    const place = { wallet: '0xa', chain: 'base', tx_index: 0, seq: 0, gas: 0n }
    const trade = (block: number, sold: [string, string], bought: [string, string], usd: number): Trade => ({
      ...place,
      block,
      tx: `0x${block}`,
      ts: block,
      token_sold: sold[0],
      amount_sold: units(sold[1]),
      token_bought: bought[0],
      amount_bought: units(bought[1]),
      usd: BigInt(Math.round(usd * 1e6)),
    })
    const trades = [
      trade(0, ['eur', '22031.622064438'], ['btc', '82'], 22031.622064438),
      trade(1, ['eur', '335.804485'], ['eth', '1450'], 335.804485),
      trade(2, ['btc', '0.9291375'], ['eth', '50'], 0.9291375 * 556.435),
      trade(3, ['eth', '25'], ['btc', '0.5524745'], 25 * 11.925),
    ]
    const world = { trades, transfers: [], owners: new Map(), kinds: new Map([['eur', 'stable' as const]]) }
    const { disposals } = await runLots(duckdb, models, world)
    const realized = total(disposals.map(({ pnl }) => pnl)) / 1e6
    expect(Math.abs(realized - Number(oracles().mixed_history_eur.expected_trade_pnl_eur.FIFO))).toBeLessThan(0.1)
  })
})
