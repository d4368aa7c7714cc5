import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { unpricedOn } from '#registry/chains/unpriced.ts'

/** A chain that the settings name or the lake has: its first stored block, and what has no price on it. */
export type ChainState = { chain: string; is_read: boolean; since: string | null; unpriced: string | null }

const rowShape = z.object({ chain: z.string(), since: z.date() })

/** The chains that are read, by the settings, and those with stored blocks, by name. */
export async function chainStates(lake: Lake, read: ReadonlySet<string>): Promise<ChainState[]> {
  const stored = await lake.read(({ query }) =>
    query('select chain, min(ts) as since from lake.blocks group by chain', rowShape),
  )
  const since = new Map(stored.map((row) => [row.chain, row.since.toISOString()]))
  return [...new Set([...read, ...since.keys()])].toSorted().map((chain) => ({
    chain,
    is_read: read.has(chain),
    since: since.get(chain) ?? null,
    unpriced: unpricedOn(findChain(chain)),
  }))
}

/** The lines of the chains in `status`. */
export function describeChains(states: readonly ChainState[]): string[] {
  if (states.length === 0) return ['chains    none is read; TAPELINE_CHAINS names those to read']
  return states.map(({ chain, is_read, since, unpriced }) => {
    const facts = [
      since === null ? 'no block stored yet' : `since ${since}`,
      ...(is_read ? [] : ['not read by these settings']),
      ...(unpriced === null ? [] : [`not priced: ${unpriced}`]),
    ]
    return `chain     ${chain}, ${facts.join('; ')}`
  })
}
