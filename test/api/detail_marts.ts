/**
 * The details of one trader, one wallet, one market and one asset as a test states them. Each mart has a few rows of
 * plain values, whose figures differ from each other.
 */
export type DetailRows = {
  details?: { trader: string; wallet: string; chain?: string; market: string; question?: string; asset: string }
}

/** The marts of details, as the data dictionary has them. */
export const detailTables = `
  create table marts.pm_wallet_days (address VARCHAR, day DATE, pnl DECIMAL(18,2), equity DECIMAL(18,2),
    drawdown DECIMAL(18,2), volume DECIMAL(18,2), n_fills BIGINT);
  create table marts.pm_wallet_categories (address VARCHAR, category VARCHAR, n_markets BIGINT, n_closed BIGINT,
    cost DECIMAL(18,2), pnl DECIMAL(18,2), cost_share DECIMAL(9,6));
  create table marts.pm_wallet_positions (address VARCHAR, market_id VARCHAR, outcome INTEGER, question VARCHAR,
    label VARCHAR, size DECIMAL(38,6), price DECIMAL(9,6), cost DECIMAL(18,2), value DECIMAL(18,2), last_at TIMESTAMP);
  create table marts.pm_wallet_markets (address VARCHAR, market_id VARCHAR, question VARCHAR, cost DECIMAL(18,2),
    pnl DECIMAL(18,2), volume DECIMAL(18,2), last_at TIMESTAMP, closed_at TIMESTAMP);
  create table marts.pm_wallet_fills (address VARCHAR, rank INTEGER, market_id VARCHAR, question VARCHAR, label VARCHAR,
    ts TIMESTAMP, tx VARCHAR, side VARCHAR, role VARCHAR, price DECIMAL(9,6), size DECIMAL(38,6), cash DECIMAL(18,2),
    fee DECIMAL(18,6));
  create table marts.wallet_days (address VARCHAR, chain VARCHAR, day DATE, pnl DECIMAL(38,2), unranked DECIMAL(38,2),
    equity DECIMAL(38,2), drawdown DECIMAL(38,2), bought DECIMAL(38,2), sold DECIMAL(38,2));
  create table marts.wallet_trades (address VARCHAR, chain VARCHAR, rank INTEGER, ts TIMESTAMP, tx VARCHAR, kind VARCHAR,
    sold_token VARCHAR, sold_symbol VARCHAR, sold_amount DOUBLE, bought_token VARCHAR, bought_symbol VARCHAR,
    bought_amount DOUBLE, value DECIMAL(38,2), gas DECIMAL(38,2), pnl DECIMAL(38,2), protocol VARCHAR);
  create table marts.pm_market_outcomes (market_id VARCHAR, outcome INTEGER, label VARCHAR, category VARCHAR,
    event_id VARCHAR, created_at TIMESTAMP, starts_at TIMESTAMP, ends_at TIMESTAMP, closed_at TIMESTAMP,
    resolved_at TIMESTAMP, payout DECIMAL(9,6), n_holders BIGINT, size DECIMAL(38,6), n_proven BIGINT,
    size_proven DECIMAL(38,6));
  create table marts.pm_market_hours (market_id VARCHAR, hour_at TIMESTAMP, yes_price DECIMAL(9,6), bid DECIMAL(9,6),
    ask DECIMAL(9,6), volume DECIMAL(18,2), n_matches BIGINT);
  create table marts.pm_market_holders (market_id VARCHAR, outcome INTEGER, rank INTEGER, address VARCHAR,
    size DECIMAL(38,6), cost DECIMAL(18,2), archetype VARCHAR, is_proven BOOLEAN);
  create table marts.pm_market_fills (market_id VARCHAR, rank INTEGER, ts TIMESTAMP, tx VARCHAR, address VARCHAR,
    label VARCHAR, side VARCHAR, role VARCHAR, price DECIMAL(9,6), size DECIMAL(38,6), cash DECIMAL(18,2));
  create table marts.asset_days (symbol VARCHAR, day DATE, platform VARCHAR, n_posts BIGINT, n_clusters BIGINT,
    credit DECIMAL(38,6), day_pct DECIMAL(9,6));`

const text = (value: string) => `'${value.replaceAll("'", "''")}'`
const tx = (n: number) => `0x${String(n).padStart(64, '0')}`
const day = (n: number) => `2026-02-${String(n).padStart(2, '0')}`
const range = (n: number) => Array.from({ length: n }, (_, i) => i + 1)

/** The rows of each table as SQL. */
export function detailValues({ details }: DetailRows): Record<string, string[]> {
  if (details === undefined) return {}
  const { chain = 'base', question = 'Will it rain?' } = details
  const [trader, market, asset] = [text(details.trader), text(details.market), text(details.asset)]
  const wallet = `${text(details.wallet)}, '${chain}'`
  const asked = `${market}, ${text(question)}`
  return {
    'marts.pm_wallet_days': [
      [120.5, 120.5, 0],
      [-50.25, 70.25, 50.25],
      [80, 150.25, 0],
      [-30.01, 120.24, 30.01],
    ].map(
      ([pnl, equity, drawdown], n) => `(${trader}, '${day(n + 1)}', ${pnl}, ${equity}, ${drawdown}, 1000, ${n + 2})`,
    ),
    'marts.pm_wallet_categories': [
      `(${trader}, 'sports', 12, 11, 900, 101.11, 0.9)`,
      `(${trader}, '', 2, 2, 100, -20.5, 0.1)`,
    ],
    'marts.pm_wallet_positions': [
      `(${trader}, ${market}, 0, ${text(question)}, 'Yes', 1200, 0.635, 640.2, 762, '2026-02-28 09:12:44')`,
      `(${trader}, ${market}, 1, ${text(question)}, 'No', 10, null, 4.2, null, '2026-02-28 09:12:45')`,
    ],
    'marts.pm_wallet_markets': range(60).map(
      (n) =>
        `(${trader}, 'polymarket:m${n}', 'Closed question ${n}?', ${100 + n}, ${n % 2 === 0 ? n : -n}.5, ${n}, ` +
        `'2026-01-01 00:00:${String(n - 1).padStart(2, '0')}', ${n === 1 ? 'null' : "'2026-02-01'"})`,
    ),
    'marts.pm_wallet_fills': range(3).map(
      (n) =>
        `(${trader}, ${n}, ${asked}, 'Yes', '2026-02-28 09:12:4${n}', '${tx(n)}', 'buy', 'taker', 0.6${n}, 12${n}, 7${n}.5, 0.5)`,
    ),
    'marts.wallet_days': [
      [12.5, 12.5, 0],
      [-2.5, 10, 2.5],
    ].map(
      ([pnl, equity, drawdown], n) => `(${wallet}, '${day(n + 1)}', ${pnl}, 0, ${equity}, ${drawdown}, 900, 912.5)`,
    ),
    'marts.wallet_trades': [
      `(${wallet}, 1, '2026-02-28 09:12:44', '${tx(9)}', 'swap', '0xa', 'WETH', 0.5, '0xb', 'USDC', 1650, 1650, 0.02, 121.8, 'uniswap_v3')`,
      `(${wallet}, 2, '2026-02-27 09:12:44', '${tx(8)}', 'swap', '0xb', 'USDC', 1650, '0xc', null, null, null, 0.03, null, '')`,
    ],
    'marts.pm_market_outcomes': [
      `(${market}, 0, 'Yes', 'sports', 'e', '2026-01-01', null, '2026-07-01', null, null, null, 41, 9120, 2, 1204.5)`,
      `(${market}, 1, 'No', 'sports', 'e', '2026-01-01', null, '2026-07-01', null, null, null, 12, 4000, 0, 0)`,
    ],
    'marts.pm_market_hours': [0.41, 0.52, null, 0.635].map(
      (price, n) =>
        `(${market}, '2026-02-28 0${n}:00:00', ${price}, ${price === null ? 'null' : price - 0.01}, 0.7, ${n}00.5, ${n})`,
    ),
    'marts.pm_market_holders': [
      `(${market}, 0, 1, ${trader}, 1200, 640.2, 'sharp', true)`,
      `(${market}, 1, 1, ${text(details.wallet)}, 800, 240.2, 'generalist', false)`,
    ],
    'marts.pm_market_fills': [
      `(${market}, 1, '2026-02-28 09:12:44', '${tx(7)}', ${trader}, 'Yes', 'buy', 'taker', 0.61, 120, 73.2)`,
      `(${market}, 2, '2026-02-28 09:11:44', 'trade-6', null, 'No', 'sell', 'taker', 0.39, 20, 7.8)`,
    ],
    'marts.asset_days': range(3).flatMap((n) => [
      `(${asset}, '${day(n)}', 'bluesky', ${40 + n}, ${30 + n}, 12, ${n}.25)`,
      `(${asset}, '${day(n)}', 'reddit', ${20 + n}, ${10 + n}, 8, ${n}.5)`,
    ]),
  }
}
