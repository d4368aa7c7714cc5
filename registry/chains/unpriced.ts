import type { Chain } from './chain.ts'

/** What has no price on a chain since the registry lacks its dollars or its wrapped coin, as text; null if it has both. */
export function unpricedOn({ stables, wrapped }: Pick<Chain, 'stables' | 'wrapped'>): string | null {
  if (stables.length === 0) return 'all tokens: no dollar of the chain is in the registry'
  return wrapped === null ? 'trades in the wrapped coin: it is not in the registry' : null
}
