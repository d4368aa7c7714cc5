/** A wallet of a leaderboard, a profile, a traded token or a holding as a test states it; the rest has plain values. */
export type ChainRows = {
  discovered?: {
    address: string
    chain?: string
    scope?: string
    range?: string
    sort?: string
    pnl?: string
    unranked_30d?: string
    volume?: string
    win_rate?: string
    tags?: string[]
  }[]
  chainWallets?: {
    address: string
    chain?: string
    tags?: string[]
    realized_30d?: string
    realized_all_time?: string
    unranked_30d?: string
    unranked_all_time?: string
    archetype?: string
    volume?: string
    is_complete?: boolean
    unlisted_reason?: string
  }[]
  /** Tokens by the instant of their last trade. */
  traded?: { address: string; chain?: string; token: string; last_at?: string }[]
  holdings?: {
    address: string
    chain?: string
    rank?: number
    contract: string
    token?: string
    amount?: number
    usd_value?: string
    usd_per_token?: number
    seen_at?: string
  }[]
  /** Histories that were read by address. */
  histories?: { address: string; chain?: string; state: string; since_at?: string; read_at?: string }[]
  /** Last known prices of tokens, with the symbols of the tokens. */
  prices?: { chain?: string; contract: string; token?: string; usd_per_token: number }[]
}

/** The marts of on-chain wallets, as the data dictionary has them. */
export const chainTables = `
  create table marts.discover (scope VARCHAR, range VARCHAR, sort VARCHAR, rank INTEGER, address VARCHAR, chain VARCHAR,
    pnl_30d DECIMAL(38,2), unranked_30d DECIMAL(38,2), volume_30d DECIMAL(38,2), win_rate DECIMAL(9,6), tags VARCHAR[], pnl DECIMAL(38,2),
    volume DECIMAL(38,2), n_closed BIGINT, lower_win_rate DECIMAL(9,6));
  create table marts.wallet (address VARCHAR, chain VARCHAR, tags VARCHAR[], realized_30d DECIMAL(38,2),
    realized_all_time DECIMAL(38,2), unranked_30d DECIMAL(38,2), unranked_all_time DECIMAL(38,2),
    behavior_archetype VARCHAR, volume_30d DECIMAL(38,2), is_complete BOOLEAN, unlisted_reason VARCHAR, unmatched DECIMAL(38,2), gas_outside_trades DECIMAL(38,2),
    n_closed BIGINT, n_won BIGINT, shrunk_win_rate DECIMAL(9,6), lower_win_rate DECIMAL(9,6), traits MAP(VARCHAR, DOUBLE));
  create table marts.wallet_histories (address VARCHAR, chain VARCHAR, since_block BIGINT, to_block BIGINT,
    since_at TIMESTAMP, read_at TIMESTAMP, state VARCHAR);
  create table marts.wallet_tokens (address VARCHAR, chain VARCHAR, token VARCHAR, symbol VARCHAR,
    realized_30d DECIMAL(38,2), realized_all_time DECIMAL(38,2), unranked_30d DECIMAL(38,2),
    unranked_all_time DECIMAL(38,2), bought DECIMAL(38,2), sold DECIMAL(38,2),
    unmatched DECIMAL(38,2), n_matched BIGINT, is_ranked BOOLEAN, last_at TIMESTAMP);
  create table marts.holdings (address VARCHAR, chain VARCHAR, rank INTEGER, token VARCHAR, amount DOUBLE,
    usd_value DECIMAL(38,2), contract VARCHAR, amount_raw VARCHAR, decimals UTINYINT, usd_per_token DOUBLE,
    seen_at TIMESTAMP);
  create table marts.token_prices (chain VARCHAR, token VARCHAR, symbol VARCHAR, decimals UTINYINT, usd_per_token DOUBLE,
    priced_at TIMESTAMP);`

const text = (value: string | undefined) => (value === undefined ? 'null' : `'${value.replaceAll("'", "''")}'`)
const list = (values: string[] = []) => `[${values.map(text).join(', ')}]::VARCHAR[]`
const seen = '2026-03-01 11:00:00'

/** Ranks count the wallets of a scope, a range and an order, as in a built mart. */
const discovered = (
  row: NonNullable<ChainRows['discovered']>[number],
  i: number,
  all: ChainRows['discovered'] = [],
) => {
  const { scope = 'all', range = '30d', sort = 'pnl', chain = 'base' } = row
  const before = all.slice(0, i).filter((one) => {
    const of = { scope: 'all', range: '30d', sort: 'pnl', ...one }
    return of.scope === scope && of.range === range && of.sort === sort
  })
  return `(${text(scope)}, ${text(range)}, ${text(sort)}, ${before.length + 1}, ${text(row.address)}, ${text(chain)},
    ${row.pnl ?? '1'}, ${row.unranked_30d ?? '0'}, ${row.volume ?? '10'}, ${row.win_rate ?? '0.5'}, ${list(row.tags)}, 0, 0, 10, 0.4)`
}

const wallet = (row: NonNullable<ChainRows['chainWallets']>[number]) =>
  `(${text(row.address)}, ${text(row.chain ?? 'base')}, ${list(row.tags)}, ${row.realized_30d ?? '0'},
    ${row.realized_all_time ?? '0'}, ${row.unranked_30d ?? '0'}, ${row.unranked_all_time ?? '0'}, ${text(row.archetype ?? 'generalist')}, ${row.volume ?? '0'},
    ${row.is_complete ?? true}, ${text(row.unlisted_reason)}, 0, 0, 0, 0, 0.5, 0, map {'n_trades': 12.0})`

const reached = (row: NonNullable<ChainRows['histories']>[number]) =>
  `(${text(row.address)}, ${text(row.chain ?? 'base')}, 0, 1000, ${text(row.since_at)}, ${text(row.read_at ?? seen)},
    ${text(row.state)})`

const traded = (row: NonNullable<ChainRows['traded']>[number]) =>
  `(${text(row.address)}, ${text(row.chain ?? 'base')}, ${text(row.token)}, 'USDC', 0, 0, 0, 0, 0, 0, 0, 0, true,
    ${text(row.last_at ?? seen)})`

const holding = (row: NonNullable<ChainRows['holdings']>[number], i: number) =>
  `(${text(row.address)}, ${text(row.chain ?? 'base')}, ${row.rank ?? i + 1}, ${text(row.token ?? row.contract)},
    ${row.amount ?? 1}, ${row.usd_value ?? '1'}, ${text(row.contract)}, '1', 18, ${row.usd_per_token ?? 1},
    ${text(row.seen_at ?? seen)})`

const price = (row: NonNullable<ChainRows['prices']>[number]) =>
  `(${text(row.chain ?? 'base')}, ${text(row.contract)}, ${text(row.token)}, 18, ${row.usd_per_token}, ${text(seen)})`

/** The rows of each table as SQL. */
export const chainValues = (rows: ChainRows): Record<string, string[]> => ({
  'marts.discover': (rows.discovered ?? []).map(discovered),
  'marts.wallet': (rows.chainWallets ?? []).map(wallet),
  'marts.wallet_histories': (rows.histories ?? []).map(reached),
  'marts.wallet_tokens': (rows.traded ?? []).map(traded),
  'marts.holdings': (rows.holdings ?? []).map(holding),
  'marts.token_prices': (rows.prices ?? []).map(price),
})
