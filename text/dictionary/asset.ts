import type { Micros } from '#time.ts'

/**
 * An asset as the matcher knows it, from `valid_at` to the next row of the same asset: a row of the dataset `assets`.
 *
 * The name and the symbol count without context if `aliases` has them, in any case of letters. Else the name, and the
 * upper-case symbol unless `is_never_bare`, count in a context: a term of `context_any`, or, if there is none, any sign
 * that the post is about crypto. A post with a phrase of `exclude_any` does not count bare words of the asset.
 */
export type Asset = {
  /** CoinGecko's id. */
  asset_id: string
  valid_at: Micros
  symbol: string
  name: string
  /** By market value, from 1; null if unknown. */
  market_rank: number | null
  /** Market value / that of the next asset with the same symbol; null if unknown. */
  dominance: number | null
  is_tracked: boolean
  is_never_bare: boolean
  aliases: string[]
  context_any: string[]
  exclude_any: string[]
  /** `<chain>:<token>`. */
  tokens: string[]
}
