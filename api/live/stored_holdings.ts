import { z } from 'zod'

import type { Chain } from '#registry/chains/chain.ts'
import type { Snapshot } from '#snapshots/marts.ts'

/** A token of a chain as it is served, and its last known price in USD of a whole unit. */
export type LastPrice = { contract: string; token: string; usd_per_token: number }

/** A holding of a wallet as the snapshot knows it, and the time of its balance. */
export type LastHolding = LastPrice & { amount: number; usd_value: number; seen_at: number }

const priceShape = z.object({ contract: z.string(), token: z.string(), usd_per_token: z.number() })
const holdingShape = priceShape.extend({ amount: z.number(), usd_value: z.number(), seen_at: z.number() })
const tokenShape = z.object({ token: z.string() })

/** The last known holdings of a wallet, in their order; none in a snapshot without them. */
export async function lastHoldings(
  { tables, query }: Snapshot,
  { slug }: Chain,
  wallet: string,
): Promise<LastHolding[]> {
  if (!tables.has('holdings')) return []
  const rows = await query(
    `select contract, token, usd_per_token, amount, usd_value, seen_at from marts.holdings
     where address = $wallet and chain = $slug order by rank`,
    { wallet, slug },
  )
  return z.array(holdingShape).parse(rows)
}

/** The contracts of tokens that a wallet traded, the last one first. The native coin is not among them. */
export async function tradedTokens(
  { tables, query }: Snapshot,
  { chain, wallet, most }: { chain: Chain; wallet: string; most: number },
): Promise<string[]> {
  if (!tables.has('wallet_tokens')) return []
  const rows = await query(
    `select token from marts.wallet_tokens
     where address = $wallet and chain = $slug and starts_with(token, '0x') order by last_at desc, token limit ${most}`,
    { wallet, slug: chain.slug },
  )
  return z
    .array(tokenShape)
    .parse(rows)
    .map(({ token }) => token)
}

/** The last known prices of tokens. A snapshot without that mart has none. */
export async function lastPrices(
  { tables, query }: Snapshot,
  { slug }: Chain,
  contracts: readonly string[],
): Promise<LastPrice[]> {
  if (!tables.has('token_prices') || contracts.length === 0) return []
  const named = Object.fromEntries(contracts.map((contract, i) => [`contract_${i}`, contract]))
  const rows = await query(
    `select token as contract, coalesce(symbol, token) as token, usd_per_token
     from marts.token_prices
     where chain = $slug and marts.token_prices.token in (${Object.keys(named)
       .map((name) => `$${name}`)
       .join(', ')})`,
    { slug, ...named },
  )
  return z.array(priceShape).parse(rows)
}
