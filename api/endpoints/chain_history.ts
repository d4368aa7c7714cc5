import { z } from 'zod'

import { findChain } from '#registry/chains/find_chain.ts'
import { unpricedOn } from '#registry/chains/unpriced.ts'
import type { Snapshot } from '#snapshots/marts.ts'

/** What is known of a chain. */
export const chainHistory = {
  since: z.iso.datetime().nullable().meta({ description: 'The first stored block; null if it is unknown or none' }),
  unpriced: z.string().nullable().meta({ description: 'What has no price on the chain; null if nothing is excluded' }),
}

type ChainHistory = { chain: string; since: string | null; unpriced: string | null }

const rowShape = z.array(z.object({ chain: z.string(), since: z.number().nullable() }))

/** The history of each chain with stored trades or transfers, by name; of one chain, also without them. */
export async function readHistories({ tables, query }: Snapshot, slug?: string): Promise<ChainHistory[]> {
  const stored = tables.has('coverage')
    ? await query(
        `select part as chain, min(from_at) as since from marts.coverage
         where kind = 'chain' and n_rows > 0 and dataset in ('swaps', 'transactions', 'transfers')
         group by part order by part`,
      )
    : []
  const rows = rowShape.parse(stored)
  const since = new Map(rows.map((row) => [row.chain, row.since]))
  return (slug === undefined ? rows.map(({ chain }) => chain) : [slug]).map((chain) => {
    const at = since.get(chain) ?? null
    return {
      chain,
      since: at === null ? null : new Date(at / 1_000).toISOString(),
      unpriced: unpricedOn(findChain(chain)),
    }
  })
}
