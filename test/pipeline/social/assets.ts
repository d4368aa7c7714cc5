import type { Lake } from '#lake/lake.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import { storeAssets as storeDictionary } from '#sources/social/store_assets.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import { HOUR } from '#time.ts'

/** The assets of a world as a dictionary that finds each name and symbol. */
export const assetsOf = ({ assets, start }: SocialWorld): Asset[] =>
  assets.map(({ id, symbol, name }, n) => ({
    asset_id: id,
    valid_at: start,
    symbol,
    name,
    market_rank: n + 1,
    dominance: null,
    is_tracked: true,
    is_never_bare: false,
    aliases: [name.toLowerCase()],
    context_any: [],
    exclude_any: [],
    tokens: [],
  }))

/** Stores the assets of a world as the dictionary of a lake, long enough before its start. */
export async function storeAssets(lake: Lake, world: SocialWorld): Promise<void> {
  await storeDictionary(lake, assetsOf(world), world.start - 2 * HOUR, [])
}
