import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import type { Asset } from '#text/dictionary/asset.ts'
import type { Micros } from '#time.ts'

/**
 * Stores the dictionary in the lake as one observation of the source `asset_lists`, in the dataset `assets`. Storing it
 * again for the same minute replaces it. Returns the number of rows.
 */
export async function storeAssets(lake: Lake, assets: readonly Asset[], at: Micros, asked: string[]): Promise<number> {
  const { n_rows } = await storeUnit(
    lake,
    { source: 'asset_lists', kind: 'observation', part: 'assets', key: '', from: at, to: at, params: [] },
    {
      rows: { assets: assets.map((asset) => ({ ...asset, seen_at: at, source: 'asset_lists' })) },
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
