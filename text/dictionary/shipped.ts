import { readFileSync } from 'node:fs'

import type { Asset } from './asset.ts'
import { parseAssets } from './parse_assets.ts'

/**
 * The assets of `assets.psv`, which the repository ships: about 310 of the largest and of those that were, compiled by
 * hand. Wrapped, bridged and staked forms of an asset are no assets of their own.
 */
export const shippedAssets = (): Asset[] => parseAssets(readFileSync(new URL('assets.psv', import.meta.url), 'utf8'))

/** The rows that hold at an instant: of each asset the last one with `valid_at` at or before it. */
export function assetsAt(assets: readonly Asset[], at: number): Asset[] {
  const held = new Map<string, Asset>()
  for (const asset of assets) {
    const other = held.get(asset.asset_id)
    if (asset.valid_at > at || (other !== undefined && other.valid_at > asset.valid_at)) continue
    held.set(asset.asset_id, asset)
  }
  return [...held.values()]
}
