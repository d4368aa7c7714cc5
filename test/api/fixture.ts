import { mkdtemp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'

import { fileDigest } from '#snapshots/digest.ts'
import { publicationNames, type PublicationName } from '#snapshots/publications.ts'

import { chainTables, chainValues, type ChainRows } from './chain_marts.ts'
import { detailTables, detailValues, type DetailRows } from './detail_marts.ts'
import { feedTable, feedValues, type SignalRow } from './feed_marts.ts'
import { socialTables, socialValues, type SocialRows } from './social_marts.ts'

/** A market, trader or wallet as a test states it; an omitted field has a default. */
type MarketRow = Partial<Record<'id' | 'question' | 'platform', string>> & {
  volume?: string
  yes?: string
  is_open?: boolean
}
type TraderRow = {
  wallet: string
  rank_once?: number | null
  pnl?: string
  win_rate?: string
  range?: string
  sort?: string
}
type WalletRow = {
  address: string
  total_pnl?: string
  win_rate?: string
  markets_traded?: number
  archetype?: string
  is_complete?: boolean
  unlisted_code?: string
  unlisted_reason?: string
  /** False where its closing line value rests on closes that are not trusted. */
  is_trusted?: boolean
}

export type SnapshotRows = ChainRows &
  DetailRows &
  SocialRows & {
    /** Marts and columns of scores that the snapshot lacks, as one of an earlier version may: `wallet`, `wallet.tags`. */
    without?: string[]
    /** The guards of closes, by kind. */
    guards?: Record<string, boolean | null>
    markets?: MarketRow[]
    feed?: SignalRow[]
    closed?: MarketRow[]
    traders?: TraderRow[]
    wallets?: WalletRow[]
    /** Addresses of traders with another name. */
    addresses?: [address: string, trader: string][]
    /** The kind and part of stored data. */
    coverage?: [kind: string, part: string][]
    as_of?: string
    built_at?: string
  }

const marketColumns = `id VARCHAR, question VARCHAR, yes_price DECIMAL(9,6), no_price DECIMAL(9,6),
  volume_24h DECIMAL(38,2), platform VARCHAR, is_open BOOLEAN, event_id VARCHAR, yes_method VARCHAR, yes_at TIMESTAMP,
  volume_method VARCHAR`

const meta = `create schema marts; create schema meta;
  create table meta.build (name VARCHAR, publication VARCHAR, snapshot_id VARCHAR, as_of TIMESTAMP, n_rows BIGINT,
    content_hash VARCHAR, model_hash VARCHAR, built_at TIMESTAMP, took_s BIGINT);`

const tables: Record<string, string> = {
  pulse: `create table marts.pm_markets (${marketColumns}); ${feedTable}`,
  scores: `create table marts.pm_markets_closed (${marketColumns});
  create table marts.pm_traders (range VARCHAR, sort VARCHAR, rank INTEGER, wallet VARCHAR, pnl DECIMAL(38,2),
    win_rate DECIMAL(9,6), clv_score DECIMAL(9,6), archetype VARCHAR, n_closed BIGINT, lower_win_rate DECIMAL(9,6),
    expected_win_rate DECIMAL(9,6), roi DOUBLE, clv_kind VARCHAR, clv_se DOUBLE, clv_n_eff DOUBLE, rank_once INTEGER);
  create table marts.clv_guards (kind VARCHAR, is_held BOOLEAN, reason VARCHAR);
  create table marts.coverage (kind VARCHAR, part VARCHAR, dataset VARCHAR, n_done BIGINT, n_head BIGINT,
    n_missing BIGINT, n_unavailable BIGINT, n_quarantined BIGINT, n_unverified BIGINT, n_rows HUGEINT,
    from_at TIMESTAMP, to_at TIMESTAMP);
  create table marts.pm_addresses (address VARCHAR, trader VARCHAR);
  create table marts.pm_wallet (address VARCHAR, total_pnl DECIMAL(38,2), win_rate DECIMAL(9,6),
    clv_score DECIMAL(9,6), markets_traded INTEGER, archetype VARCHAR, is_complete BOOLEAN, unlisted_code VARCHAR,
    unlisted_reason VARCHAR, untracked DECIMAL(38,2), n_closed BIGINT, n_won BIGINT, shrunk_win_rate DECIMAL(9,6), lower_win_rate DECIMAL(9,6),
    clv_kind VARCHAR, clv_se DOUBLE, clv_n_eff DOUBLE, scored_share DECIMAL(9,6), traits MAP(VARCHAR, DOUBLE), role VARCHAR,
    unrealized_usd DECIMAL(38,2), income_usd DECIMAL(38,2), roi DOUBLE, volume_usd DECIMAL(38,6),
    drawdown_usd DECIMAL(38,6), n_fills BIGINT, expected_win_rate DECIMAL(9,6), clv_edge_points DECIMAL(9,6),
    clv_lower_points DECIMAL(9,6), clv_upper_points DECIMAL(9,6), clv_reason VARCHAR, entry_price DECIMAL(9,6),
    holding_s DOUBLE);
  ${detailTables}
  ${chainTables}
  ${socialTables}`,
}

const dropping = (mart = '', column?: string) =>
  column === undefined ? `drop table marts.${mart};` : `alter table marts.${mart} drop column ${column};`

const text = (value: string) => `'${value.replaceAll("'", "''")}'`

const market = (row: MarketRow, is_open: boolean) =>
  `(${text(row.id ?? 'polymarket:1')}, ${text(row.question ?? 'Will it?')}, ${row.yes ?? '0.25'},
    1 - ${row.yes ?? '0.25'}::DECIMAL(9,6), ${row.volume ?? '0'}, ${text(row.platform ?? 'polymarket')},
    ${row.is_open ?? is_open}, 'polymarket:e', 'mid', null, 'fills')`

/** Ranks count the traders of a range and an order, as in a built mart. */
const trader = (row: TraderRow, i: number, all: readonly TraderRow[]) =>
  `(${text(row.range ?? '30d')}, ${text(row.sort ?? 'clv')}, ${rankOf(row, all.slice(0, i))}, ${text(row.wallet)}, ${row.pnl ?? '1'},
    ${row.win_rate ?? '0.5'}, 0, 'generalist', 10, 0.4, 0.45, 0.1, null, null, null, ${row.rank_once ?? 'null'})`

const rankOf = (row: TraderRow, before: readonly TraderRow[]) =>
  1 + before.filter(({ range, sort }) => range === row.range && sort === row.sort).length

const wallet = (row: WalletRow) =>
  `(${text(row.address)}, ${row.total_pnl ?? '0'}, ${row.win_rate ?? '0'}, ${row.is_trusted === false ? 'null' : '0'},
    ${row.markets_traded ?? 0},
    ${text(row.archetype ?? 'generalist')}, ${row.is_complete ?? true},
    ${row.unlisted_code === undefined ? 'null' : text(row.unlisted_code)},
    ${row.unlisted_reason === undefined ? 'null' : text(row.unlisted_reason)}, 0, 0, 0, 0, 0,
    ${row.is_trusted === false ? "'event_start'" : 'null'}, null, null, null,
    map {'hold': 1.5}, 'taker', 310.5, 0, 0.1421, 91204.41, 50.25, 412, 0.534, 2.6, 0.9, 4.3, null, 0.48, 86400)`

const insert = (table: string, rows: string[]) => (rows.length ? `insert into ${table} values ${rows.join(', ')};` : '')

/** A folder as the publisher keeps it. */
export const newMartsDir = async () => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-'))
  const dir = join(home, 'marts')
  await mkdir(dir)
  return { home, dir, remove: () => rm(home, { recursive: true }) }
}

/** Writes a snapshot, `<publication>-<name>`. No reader opens it until the pointer names it. */
const writeFileOf = async (dir: string, publication: PublicationName, name: string, rows: SnapshotRows) => {
  const id = `${publication}-${name}`
  const instance = await DuckDBInstance.create(join(dir, `${id}.duckdb`), { threads: '1' })
  const connection = await instance.connect()
  const as_of = rows.as_of ?? '2026-03-01 12:00:00'
  const built_at = rows.built_at ?? '2026-03-01 12:00:07.5'
  const open = (rows.markets ?? []).map((row) => market(row, true))
  const closed = (rows.closed ?? []).map((row) => market(row, false))
  const inserts: Record<string, string[]> = {
    pulse: [insert('marts.pm_markets', open), insert('marts.feed', feedValues(rows.feed))],
    scores: [
      insert('marts.pm_markets_closed', closed),
      insert('marts.pm_traders', (rows.traders ?? []).map(trader)),
      insert(
        'marts.clv_guards',
        Object.entries(rows.guards ?? {}).map(
          ([kind, isHeld]) => `(${text(kind)}, ${isHeld}, ${text(`${kind}: slope 0.60`)})`,
        ),
      ),
      insert(
        'marts.coverage',
        (rows.coverage ?? []).flatMap(([kind, part]) =>
          (kind === 'chain' ? ['swaps', 'transfers'] : ['fills', 'markets']).map(
            (of) => `('${kind}', '${part}', '${of}', 9, 1, 1, 0, 0, 0, 1, '2026-01-01', '2026-03-01')`,
          ),
        ),
      ),
      insert('marts.pm_wallet', (rows.wallets ?? []).map(wallet)),
      insert(
        'marts.pm_addresses',
        (rows.addresses ?? []).map(([address, trader]) => `(${text(address)}, ${text(trader)})`),
      ),
      ...Object.entries({ ...chainValues(rows), ...detailValues(rows), ...socialValues(rows) }).map(([table, values]) =>
        insert(table, values),
      ),
      ...(rows.without ?? []).map((name) => dropping(...name.split('.'))),
    ],
  }
  await connection.run(
    [
      meta,
      tables[publication] ?? '',
      ...(inserts[publication] ?? []),
      `insert into meta.build values ('table', '${publication}', ${text(id)}, '${as_of}', 0, '', '', '${built_at}', 1);
       checkpoint;`,
    ].join('\n'),
  )
  connection.closeSync()
  instance.closeSync()
  await writeFile(join(dir, `${id}.sha256`), await fileDigest(join(dir, `${id}.duckdb`)))
}

/** Writes the files of one publication, or of all if none is named. */
export const writeSnapshot = async (dir: string, name: string, rows: SnapshotRows = {}, of?: PublicationName) => {
  for (const publication of of ? [of] : publicationNames()) await writeFileOf(dir, publication, name, rows)
}

/** Makes snapshots the current ones, as the publisher does: of one publication, or of all if none is named. */
export const flip = async (dir: string, name: string, of?: PublicationName) => {
  const path = join(dir, 'current.json')
  const before: object = JSON.parse(await readFile(path, 'utf8').catch(() => '{}'))
  const named = Object.fromEntries(
    (of ? [of] : publicationNames()).map((publication) => [publication, `${publication}-${name}`]),
  )
  await writeFile(`${path}.new`, JSON.stringify({ ...before, ...named }))
  await rename(`${path}.new`, path)
}

export const publish = async (dir: string, name: string, rows: SnapshotRows = {}, of?: PublicationName) => {
  await writeSnapshot(dir, name, rows, of)
  await flip(dir, name, of)
}
