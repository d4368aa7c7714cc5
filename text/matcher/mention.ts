/**
 * The rules by which a text names an asset, the most certain first: 1 an id or address, 2 a cashtag, 3 a name that is
 * no common word, 4 a symbol or name in a context.
 */
export type Tier = 1 | 2 | 3 | 4

/** An asset in a text, at `[start, end)`; -1 for an asset that the platform names beside the text. */
export type Mention = { asset_id: string; tier: Tier; start: number; end: number }

/** The weight of a mention by its tier, from 0 to 1. */
export const confidence: Record<Tier, number> = { 1: 1, 2: 0.98, 3: 0.95, 4: 0.8 }

/** One mention for each asset: the most certain one, of these the first. In the order of the assets' first mentions. */
export function strongest(mentions: readonly Mention[]): Mention[] {
  const byAsset = new Map<string, Mention>()
  for (const mention of mentions) {
    const other = byAsset.get(mention.asset_id)
    if (other === undefined || mention.tier < other.tier) byAsset.set(mention.asset_id, mention)
  }
  return [...byAsset.values()]
}
