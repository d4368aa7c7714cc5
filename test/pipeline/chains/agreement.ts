import { z } from 'zod'

const ranges = ['7d', '30d', '90d']
const listed = z.array(
  z.object({
    address: z.string(),
    chain: z.string(),
    pnl_30d: z.number(),
    unranked_30d: z.number(),
    tags: z.array(z.string()),
  }),
)
const profile = z.object({
  tags: z.array(z.string()),
  pnl: z.object({ realized_30d: z.number(), unranked_30d: z.number() }),
})

/**
 * The rows of `/v1/discover` whose figures are not those of `/v1/wallet` for that wallet and chain, as pairs. Throws if
 * nothing is listed.
 */
export async function disagreements(ask: (path: string) => Promise<Response>): Promise<unknown[]> {
  const different: unknown[] = []
  let n_rows = 0
  for (const range of ranges) {
    const rows = listed.parse(await (await ask(`discover?range=${range}&limit=500`)).json())
    n_rows += rows.length
    for (const { address, chain, ...figures } of rows) {
      const { pnl, tags } = profile.parse(await (await ask(`wallet?address=${address}&chain=${chain}`)).json())
      const served = { pnl_30d: pnl.realized_30d, unranked_30d: pnl.unranked_30d, tags }
      if (JSON.stringify(served) !== JSON.stringify(figures)) different.push({ address, chain, figures, served })
    }
  }
  if (n_rows === 0) throw new Error('discover: no rows; expected listed wallets')
  return different
}
