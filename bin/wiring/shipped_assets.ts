import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import { shippedAssets } from '#text/dictionary/shipped.ts'
import { SECOND, type Micros } from '#time.ts'

/**
 * Stores the shipped dictionary of assets in a lake without one: mindshare ranks the assets that the lake tracks. Posts
 * are matched by the same lines before and after.
 */
export async function storeShippedAssets(lake: Lake, now: Micros): Promise<void> {
  const n_rows = await lake.read(async ({ query }) => {
    const [row] = await query('select count(*) as n from lake.assets', z.object({ n: z.bigint() }))
    return row?.n ?? 0n
  })
  if (n_rows > 0n) return
  const at = now - (now % (60 * SECOND))
  await storeAssets(lake, shippedAssets(), at, ['the assets that the repository ships'])
}
