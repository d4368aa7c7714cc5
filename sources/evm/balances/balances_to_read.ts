import { z } from 'zod'

import type { LakeReader } from '#lake/reader.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { mostTokens, tokensToRead } from '#registry/chains/tokens_to_read.ts'

import type { Asked } from './read_amounts.ts'

/**
 * The balances to read: of each wallet the coin, its contract, the dollars, and the tokens that it moved, the last
 * first.
 */
export async function balancesToRead(lake: LakeReader, chain: Chain, wallets: readonly string[]): Promise<Asked[]> {
  const rows = await lake.query(
    `with asked as (
       select unnest(string_split($wallets, ',')) as wallet
     ),
     moved as (
       select m.sender as wallet, m.token, m.ts from lake.transfers m semi join asked a on a.wallet = m.sender
       where m.source = 'evm_swaps' and m.chain = $chain
       union all
       select m.recipient, m.token, m.ts from lake.transfers m semi join asked a on a.wallet = m.recipient
       where m.source = 'evm_swaps' and m.chain = $chain
     )
     select wallet, token from moved where token <> 'native' group by wallet, token
     qualify row_number() over (partition by wallet order by max(ts) desc, token) <= ${mostTokens}
     order by wallet, max(ts) desc, token`,
    z.object({ wallet: z.string(), token: z.string() }),
    { chain: chain.slug, wallets: wallets.join() },
    { transfers: [`evm_swaps/${chain.slug}/`] },
  )
  const touched = new Map<string, string[]>(wallets.map((wallet) => [wallet, []]))
  for (const { wallet, token } of rows) touched.get(wallet)?.push(token)
  return wallets.flatMap((wallet) => tokensToRead(chain, touched.get(wallet) ?? []).map((token) => ({ wallet, token })))
}
