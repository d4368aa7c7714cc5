import type { DuckDBConnection } from '@duckdb/node-api'

/**
 * What is published of traders, and its names: the first of each list that exists is read. `pm_wallet` has a row a
 * trader, the analysts' table `metrics.clv` one for each kind. `score` orders the list; `points` is the estimate of the
 * closing line value itself.
 */
const walletNames = {
  trader: ['address'],
  score: ['clv_score'],
  se: ['clv_se'],
  points: ['clv_points', 'clv_score'],
  points_se: ['clv_points_se', 'clv_se'],
  kind: ['clv_kind'],
  n_eff: ['clv_n_eff', 'n_eff'],
  archetype: ['archetype'],
  unlisted_code: ['unlisted_code'],
  pnl: ['total_pnl'],
  roi: ['roi'],
  win_rate: ['win_rate'],
} as const
const guardNames = { kind: ['kind'], subset: ['subset'], is_held: ['is_held'] } as const
const kindNames = {
  trader: ['trader'],
  kind: ['kind'],
  raw: ['raw_points', 'edge_points'],
  raw_lower: ['raw_lower_points', 'edge_lower_points'],
  raw_upper: ['raw_upper_points', 'edge_upper_points'],
  points: ['clv_points'],
  se: ['se'],
  n_eff: ['n_eff'],
} as const

/** Makes `wallets`, `kinds` and `guards`, with null for what is not published. */
export async function loadPublished(connection: DuckDBConnection): Promise<void> {
  await rename(connection, { from: 'marts.pm_wallet', to: 'wallets', where: 'true' }, walletNames)
  await rename(connection, { from: 'metrics.clv', to: 'kinds', where: `range = 'all'` }, kindNames)
  await rename(connection, { from: 'metrics.clv_guards', to: 'guards', where: 'true' }, guardNames)
}

/** The tables that are read. */
export const publishedTables = ['marts.pm_wallet', 'metrics.clv', 'metrics.clv_fills', 'metrics.clv_guards']

type Renamed = { from: string; to: string; where: string }
type Names = Readonly<Record<string, readonly string[]>>

async function rename(connection: DuckDBConnection, { from, to, where }: Renamed, names: Names): Promise<void> {
  const reader = await connection.runAndReadAll(`select column_name from (describe ${from})`)
  const columns = new Set(reader.getRows().map(([name]) => String(name)))
  const selects = Object.entries(names).map(([name, candidates]) => {
    const column = candidates.find((candidate) => columns.has(candidate))
    return `${column ?? 'null'} as ${name}`
  })
  await connection.run(`create or replace temp table ${to} as select ${selects.join(', ')} from ${from} where ${where}`)
}
