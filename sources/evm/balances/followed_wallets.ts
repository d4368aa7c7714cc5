import { z } from 'zod'

import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

/** The followed wallets of a unit. Most nodes have the state of a block for minutes, so that a unit must be short. */
export const mostFollowed = 200

/**
 * The wallets whose balances on a chain were read the longest ago, at most {@link mostFollowed}: those without a
 * balance first, and those of one reading in the given order. Every reading of a wallet has a row, that of the coin.
 */
export async function followedWallets(lake: LakeReader, chain: string, wallets: readonly string[]): Promise<string[]> {
  if (wallets.length <= mostFollowed) return [...wallets]
  const rows = await lake.query(
    `with asked as (
       select unnest(string_split($wallets, ',')) as wallet
     )
     select b.address, epoch_us(max(b.seen_at)) as read_at
     from lake.balances b semi join asked a on a.wallet = b.address
     where b.chain = $chain
     group by b.address`,
    z.object({ address: z.string(), read_at: z.coerce.number() }),
    { chain, wallets: wallets.join() },
    { balances: [`evm_balances/${chain}/`] },
  )
  const readAt = new Map<string, Micros>(rows.map(({ address, read_at }) => [address, read_at]))
  const lastOf = (wallet: string): Micros => readAt.get(wallet) ?? 0
  return wallets.toSorted((a, b) => lastOf(a) - lastOf(b)).slice(0, mostFollowed)
}
