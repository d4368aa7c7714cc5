/** The momentum of an asset, and a platform behind it, as a test states them; the rest has plain values. */
export type SocialRows = {
  momentum?: { symbol: string; range?: string; pct?: string; delta?: string; sentiment?: string; n_posts?: number }[]
  /** Tracked assets without a row of momentum. */
  unread?: string[]
  platforms?: {
    platform: string
    range?: string
    is_healthy?: boolean
    was_healthy?: boolean
    covered_share?: number
    n_credited?: number
  }[]
}

/** The marts of attention, as the data dictionary has them. */
export const socialTables = `
  create table marts.signals (range VARCHAR, rank INTEGER, symbol VARCHAR, mindshare_pct DECIMAL(9,6),
    mindshare_delta DECIMAL(9,6), sentiment VARCHAR, mindshare_se DOUBLE, before_pct DECIMAL(9,6), net DOUBLE,
    net_se DOUBLE, n_authors BIGINT, n_posts BIGINT, platforms VARCHAR[]);
  create table marts.assets (symbol VARCHAR, asset_id VARCHAR, name VARCHAR, market_rank INTEGER);
  create table marts.signal_platforms (range VARCHAR, platform VARCHAR, weight DECIMAL(9,6), covered_share DECIMAL(9,6),
    n_credited BIGINT, is_healthy BOOLEAN, was_healthy BOOLEAN);`

type Momentum = NonNullable<SocialRows['momentum']>[number]

/** Ranks count the assets of a range, as in a built mart. */
const asset = (row: Momentum, i: number, all: readonly Momentum[]) => {
  const { symbol, range = '30d', pct = '1', delta = '0', sentiment = 'neutral', n_posts = 20 } = row
  const rank = 1 + all.slice(0, i).filter((one) => (one.range ?? '30d') === range).length
  return `('${range}', ${rank}, '${symbol}', ${pct}, ${delta}, '${sentiment}', 0.1, null, 0, 0, 10, ${n_posts}, ['x'])`
}

/** A healthy platform was read in full, and another one was never read. */
const platform = (row: NonNullable<SocialRows['platforms']>[number]) => {
  const { range = '30d', is_healthy = true, was_healthy = true } = row
  const { covered_share = is_healthy ? 1 : 0, n_credited = is_healthy ? 500 : 0 } = row
  return `('${range}', '${row.platform}', 0.1, ${covered_share}, ${n_credited}, ${is_healthy}, ${was_healthy})`
}

/** The rows of each table as SQL. */
export const socialValues = (rows: SocialRows): Record<string, string[]> => ({
  'marts.signals': (rows.momentum ?? []).map(asset),
  'marts.assets': [...new Set((rows.momentum ?? []).map(({ symbol }) => symbol)), ...(rows.unread ?? [])].map(
    (symbol) => `('${symbol}', '${symbol.toLowerCase()}', '${symbol}', null)`,
  ),
  'marts.signal_platforms': (rows.platforms ?? []).map(platform),
})
