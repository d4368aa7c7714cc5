import { isDeepStrictEqual } from 'node:util'

import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import { assetsAt } from '#text/dictionary/shipped.ts'
import type { Micros } from '#time.ts'

import { assetsBefore } from './dictionary.ts'

/**
 * Stores the dictionary in the lake as one observation of the source `asset_lists`, in the dataset `assets`. From its
 * instant on it replaces what was stored before: an asset that it lacks is no longer tracked. Storing it again for the
 * same minute replaces it. Returns the number of rows.
 */
export async function storeAssets(lake: Lake, assets: readonly Asset[], at: Micros, asked: string[]): Promise<number> {
  const rows = [...assets, ...(await renewed(lake, assets, at))]
  const { n_rows } = await storeUnit(
    lake,
    { source: 'asset_lists', kind: 'observation', part: 'assets', key: '', from: at, to: at, params: [] },
    {
      rows: { assets: rows.map((asset) => ({ ...asset, seen_at: at, source: 'asset_lists' })) },
      rejected: [],
      precedence: 1,
      state: 'done',
      to: at,
      proof: 'the whole of each list was read',
      asked,
      checkedAt: at,
    },
  )
  return n_rows
}

/** Rows from the instant on of assets to which earlier lists gave a later date than the new ones, or which these lack. */
async function renewed(lake: Lake, assets: readonly Asset[], at: Micros): Promise<Asset[]> {
  const assetById = new Map(assetsAt(assets, at).map((asset) => [asset.asset_id, asset]))
  const before = assetsAt(await lake.read((reader) => assetsBefore(reader, at)), at)
  return before.flatMap((asset) => {
    const now = assetById.get(asset.asset_id)
    if (now === undefined) return asset.is_tracked ? [{ ...asset, valid_at: at, is_tracked: false }] : []
    const isOlder = now.valid_at < asset.valid_at
    return isOlder && !isDeepStrictEqual({ ...now, valid_at: at }, { ...asset, valid_at: at })
      ? [{ ...now, valid_at: at }]
      : []
  })
}
