import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import type { SocialWorld } from '#sim/social/world.ts'
import { HOUR } from '#time.ts'

/** Stores the assets of a world as the dictionary of a lake, long enough before its start. */
export async function storeAssets(lake: Lake, { assets, start }: SocialWorld): Promise<void> {
  const seen_at = start - 2 * HOUR
  const rows = assets.map(({ id, symbol, name }, n) => ({
    asset_id: id,
    valid_at: start,
    seen_at,
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
  const unit = {
    source: 'assets',
    kind: 'observation',
    part: 'assets',
    key: '',
    from: seen_at,
    to: seen_at,
    params: [],
  } as const
  const contents = { rows: { assets: rows }, rejected: [], precedence: 1, asked: [], checkedAt: seen_at }
  await storeUnit(lake, { ...unit, params: [] }, { ...contents, state: 'done', to: seen_at, proof: 'planted' })
}
