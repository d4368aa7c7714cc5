import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'vitest'
import { z } from 'zod'

import type { EvmLedger } from '#sim/evm/ledger/ledger.ts'
import { trueBooks, trueResults, type TrueResult } from '#sim/evm/ledger/true_results.ts'
import type { SolanaHouse } from '#test/sources/solana/solana_house.ts'

/** The rows of a query over a snapshot of the marts. */
type Rows = <T>(sql: string, shape: z.ZodType<T>) => Promise<T[]>

/** Opens a snapshot for each query. */
export const rowsIn =
  (file: string): Rows =>
  async (sql, shape) => {
    const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    const found = await connection.runAndReadAll(sql)
    const rows = z.array(shape).parse(found.getRowObjectsJson())
    connection.closeSync()
    instance.closeSync()
    return rows
  }

/** The true ledger up to a slot. */
export function ledgerUpTo({ world: { ledger } }: SolanaHouse, end: number): EvmLedger {
  const isRead = ({ block }: { block: number }): boolean => block < end
  return {
    ...ledger,
    trades: ledger.trades.filter(isRead),
    transfers: ledger.transfers.filter(isRead),
    poolSwaps: ledger.poolSwaps.filter(isRead),
  }
}

const walletShape = z.object({
  address: z.string(),
  realized: z.coerce.number(),
  realized_30d: z.coerce.number(),
  volume_30d: z.coerce.number(),
  unmatched: z.coerce.number(),
  n_closed: z.coerce.number(),
  n_won: z.coerce.number(),
})
const holdingShape = z.object({ address: z.string(), contract: z.string(), amount: z.string() })

/** The true results of all wallets, over all time. */
export function trueResultsOf(house: SolanaHouse, ledger: EvmLedger): Map<string, TrueResult> {
  const { dollar } = house.world
  return trueResults(trueBooks(ledger, dollar), dollar, { from_s: 0, to_s: house.now() / 1_000_000 })
}

export const usd = (micros: bigint | undefined): number => Number(micros ?? 0n) / 1e6

/** Compares the results of all wallets with the true ledger, to the cent. */
export async function expectResults(rowsOf: Rows, house: SolanaHouse, ledger: EvmLedger): Promise<void> {
  const always = trueResultsOf(house, ledger)
  const wallets = await rowsOf(
    `select address, (realized_all_time + unranked_all_time)::varchar as realized,
       (realized_30d + unranked_30d)::varchar as realized_30d,
       volume_30d::varchar as volume_30d, unmatched::varchar as unmatched, n_closed, n_won
     from marts.wallet where chain = 'solana' order by address`,
    walletShape,
  )
  expect(wallets.map(({ address }) => address)).toEqual([...always.keys()].toSorted())
  for (const { address, ...row } of wallets) {
    const truth = always.get(address)
    expect({ address, n_closed: row.n_closed, n_won: row.n_won }).toEqual({
      address,
      n_closed: truth?.n_closed,
      n_won: truth?.n_won,
    })
    const differences = {
      // Halves of a sum, which has two roundings.
      realized: (row.realized - usd(truth?.realized_usd)) / 2,
      realized_30d: (row.realized_30d - usd(truth?.realized_usd)) / 2,
      volume_30d: row.volume_30d - usd(truth?.volume_usd),
      unmatched: row.unmatched - usd(truth?.unmatched_usd),
    }
    // The marts round to a cent.
    for (const [name, difference] of Object.entries(differences))
      expect(`${address} ${name} ${Math.abs(difference) < 0.0051 ? 'equal' : difference}`).toBe(
        `${address} ${name} equal`,
      )
  }
}

/** Compares the stored holdings with the true ledger, in raw units. */
export async function expectHoldings(rowsOf: Rows, read: EvmLedger): Promise<void> {
  const truth = new Map<string, bigint>()
  const hold = (wallet: string, token: string, amount: bigint): unknown =>
    truth.set(`${wallet} ${token}`, (truth.get(`${wallet} ${token}`) ?? 0n) + amount)
  for (const { wallet, token, amount, direction } of read.transfers)
    hold(wallet, token, direction === 'in' ? amount : -amount)
  for (const { wallet, token_sold, amount_sold, token_bought, amount_bought } of read.trades) {
    hold(wallet, token_sold, -amount_sold)
    hold(wallet, token_bought, amount_bought)
  }
  const held = await rowsOf(
    `select address, contract, amount_raw::varchar as amount from marts.holdings where chain = 'solana' and usd_value >= 1`,
    holdingShape,
  )
  expect(held.length).toBeGreaterThan(40)
  for (const { address, contract, amount } of held)
    expect([address, contract, BigInt(amount)]).toEqual([address, contract, truth.get(`${address} ${contract}`)])
}
