import { z } from 'zod'

import type { Snapshot } from '#snapshots/marts.ts'

/** How much of an account on a chain was read by its address. `since` is the first known instant, null if unknown. */
export type AddressHistory = { since: string | null; reason: string | null; isOld: boolean }

const reasons: Readonly<Record<string, string | null>> = {
  complete: null,
  growing: 'older blocks are read next',
  budget: 'the account has too many transactions, and older ones are not read',
  unproved: 'of some blocks no second endpoint has the same transfers of the account',
}

const rowShape = z.array(z.object({ since_at: z.number().nullable(), read_at: z.number(), state: z.string() }))

/** An account is read again on request after a day. */
const rest = 86_400_000_000

/** The history of an account on a chain; null if it was not read by its address. */
export async function readAddressHistory(
  { tables, query, asOf }: Snapshot,
  address: string,
  chain: string,
): Promise<AddressHistory | null> {
  if (!tables.has('wallet_histories')) return null
  const rows = await query(
    'select since_at, read_at, state from marts.wallet_histories where address = $address and chain = $chain',
    { address, chain },
  )
  const [row] = rowShape.parse(rows)
  if (row === undefined) return null
  const { since_at, read_at, state } = row
  const since = since_at === null ? null : new Date(since_at / 1_000).toISOString()
  return { since, reason: reasons[state] ?? null, isOld: read_at < asOf - rest }
}
