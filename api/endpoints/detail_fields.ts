import { z } from 'zod'

import { notReady } from '#api/contract/errors.ts'
import * as parameter from '#api/contract/input.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { venues } from '#registry/venues/index.ts'
import type { Snapshot } from '#snapshots/marts.ts'

/** Fields that the details of profiles share. */
export const usd = (about: string) => z.number().meta({ description: `${about}, in USD` })
export const count = (about: string) => z.int().min(0).meta({ description: about })
export const share = (about: string) => z.number().min(0).max(1).meta({ description: about })
export const text = (about: string) => z.string().meta({ description: about })
export const day = z.iso.date().meta({ description: 'The day, in UTC' })
export const instant = (about: string) => z.iso.datetime().meta({ description: about })
export const txUrl = z
  .string()
  .nullable()
  .meta({ description: "Its page at the chain's explorer; null for a trade of no chain, or without an explorer" })

/** The parameters of the details of a wallet: of one chain. */
export const walletOfChain = { address: parameter.address('The wallet'), chain: parameter.chain('The chain') }

/** An instant of a mart as it is served, in SQL. */
export const shownInstant = (column: string): string => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%gZ')`

/** Throws a 503 for a snapshot of a version without the mart. */
export function assertMart({ tables }: Pick<Snapshot, 'tables'>, mart: string): void {
  if (!tables.has(mart))
    throw notReady(`the snapshot of scores is of a version without ${mart} ("tapeline score" publishes a new one)`)
}

/** The page of a transaction at the explorer of a chain. */
export function explorerUrl(chain: string | null, tx: string): string | null {
  const { explorer, kind } = chain === null ? { explorer: null, kind: null } : findChain(chain)
  const isHash = kind === 'evm' ? /^0x[0-9a-f]{64}$/i.test(tx) : /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(tx)
  return explorer === null || !isHash ? null : `${explorer}/tx/${tx}`
}

/** The page of a trade of a market at the explorer of its venue's chain. */
export const tradeUrl = (market_id: string, tx: string): string | null =>
  explorerUrl(venues.find(({ id }) => market_id.startsWith(`${id}:`))?.chain ?? null, tx)
