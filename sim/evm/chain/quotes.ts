import type { Hex } from 'viem'

import type { Contracts } from '#sim/evm/contracts/deploy.ts'
import { rawDollars, rawTokens } from '#sim/evm/contracts/price.ts'
import type { Venue } from '#sim/evm/types.ts'

import type { Pool, Pools } from './pools.ts'

/** A pool between an asset and what it is paid with, as decimal amounts: the state that a trader sees. */
export type Quote = { pool: Pool; assetAmount: number; paidAmount: number; price: number }

const unit = { dollar: 1e6, other: 1e18 } as const

/** The pool of a venue between two assets; undefined if there is none. */
export function quoteOf(
  pools: Pools,
  { dollar }: Contracts,
  venue: Venue,
  asset: string,
  paid: string,
): Quote | undefined {
  const pool = pools.find(venue, asset, paid)
  if (pool === undefined) return undefined
  const { reserve0, reserve1 } = pools.reservesOf(pool)
  const [mine, theirs] = pool.token0 === asset ? [reserve0, reserve1] : [reserve1, reserve0]
  const assetAmount = Number(mine) / (asset === dollar ? unit.dollar : unit.other)
  const paidAmount = Number(theirs) / (paid === dollar ? unit.dollar : unit.other)
  return { pool, assetAmount, paidAmount, price: paidAmount / assetAmount }
}

/** Dollars for one native coin, in its pool of V3. */
export function coinPrice(pools: Pools, contracts: Contracts): number {
  const quote = quoteOf(pools, contracts, 'v3', 'native', contracts.dollar)
  if (quote === undefined) throw new Error('native: no pool with the dollar; expected one of V3')
  return quote.price
}

/** Raw units of what a wallet pays with. */
export const rawPaid = (paid: Hex | 'native', { dollar }: Contracts, amount: number): bigint =>
  paid === dollar ? rawDollars(amount) : rawTokens(amount)

/**
 * The payment that moves a pool to a price: an amount of `paid` raises the price, an amount of the asset lowers it.
 * Undefined if the pool has the price.
 */
export function amountTo(
  { assetAmount, paidAmount, price }: Quote,
  target: number,
  fee: number,
): { isPurchase: boolean; amount: number } | undefined {
  if (Math.abs(Math.log(target / price)) < 0.003) return undefined
  const product = assetAmount * paidAmount
  const kept = 1 - fee / 1e6
  return target > price
    ? { isPurchase: true, amount: (Math.sqrt(product * target) - paidAmount) / kept }
    : { isPurchase: false, amount: (Math.sqrt(product / target) - assetAmount) / kept }
}
