import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { unpricedOn } from '#registry/chains/unpriced.ts'

/**
 * A chain that the settings name or the lake has: its first stored block, what has no price on it, and the accounts that
 * were read by their addresses, of which `n_whole` have their whole history.
 */
export type ChainState = {
  chain: string
  is_read: boolean
  since: string | null
  unpriced: string | null
  n_accounts: number
  n_whole: number
}

const accountsShape = z.object({ chain: z.string(), n_accounts: z.coerce.number(), n_whole: z.coerce.number() })
const rowShape = z.object({ chain: z.string(), since: z.date() })

/** The chains that are read, by the settings, and those with stored blocks, by name. */
export async function chainStates(lake: Lake, read: ReadonlySet<string>): Promise<ChainState[]> {
  const stored = await lake.read(({ query }) =>
    query('select chain, min(ts) as since from lake.blocks group by chain', rowShape),
  )
  const since = new Map(stored.map((row) => [row.chain, row.since.toISOString()]))
  const accounts = new Map((await accountsIn(lake)).map((row) => [row.chain, row]))
  return [...new Set([...read, ...since.keys(), ...accounts.keys()])].toSorted().map((chain) => ({
    chain,
    is_read: read.has(chain),
    since: since.get(chain) ?? null,
    unpriced: unpricedOn(findChain(chain)),
    n_accounts: accounts.get(chain)?.n_accounts ?? 0,
    n_whole: accounts.get(chain)?.n_whole ?? 0,
  }))
}

/** The accounts of chains. The stretches of a whole history reach from block 0 on without a gap. */
const accountsIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `with accounts as (
         select part, key, sum(to_block - from_block) = max(to_block) and bool_and(state in ('done', 'head')) as is_whole
         from lake.coverage
         where source = 'evm_accounts' and dataset = 'transactions' and state <> 'unavailable'
         group by part, key
       )
       select part as chain, count(*) as n_accounts, count(*) filter (is_whole) as n_whole from accounts group by part`,
      accountsShape,
    ),
  )

/** The lines of the chains in `status`. */
export function describeChains(states: readonly ChainState[]): string[] {
  if (states.length === 0) return ['chains    none is read; TAPELINE_CHAINS names those to read']
  return states.map(({ chain, is_read, since, unpriced, n_accounts, n_whole }) => {
    const facts = [
      since === null ? 'no block stored yet' : `since ${since}`,
      ...(is_read ? [] : ['not read by these settings']),
      ...(n_accounts === 0 ? [] : [`accounts read by address: ${n_accounts}, whole: ${n_whole}`]),
      ...(unpriced === null ? [] : [`not priced: ${unpriced}`]),
    ]
    return `chain     ${chain}, ${facts.join('; ')}`
  })
}
