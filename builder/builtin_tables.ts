import type { DuckDBConnection } from '@duckdb/node-api'

import { chains } from '#registry/chains/registry.ts'
import { platformWeights } from '#registry/platforms/index.ts'
import { venues } from '#registry/venues/index.ts'
import { literal } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

import { parseColumns } from './columns.ts'
import type { ModelColumn } from './model.ts'

type Value = string | number | boolean | null | readonly string[]
type BuiltinTable = { doc: string; columns: ModelColumn[]; rows: readonly Readonly<Record<string, Value>>[] }

/** The tables of the registry, by `schema.name`. */
export const registryTables: Readonly<Record<string, BuiltinTable>> = {
  'core.chains': {
    doc: 'A chain of the registry: the token of its native coin, and the tokens that are worth a US dollar, the most traded first, with their symbols, and the website that shows its blocks.',
    columns: parseColumns(
      'chain; chain_id? BIGINT, native_symbol, native_decimals UTINYINT, wrapped?, stables VARCHAR[], stable_symbols VARCHAR[], explorer?',
    ),
    rows: chains.map(({ slug, id, native, wrapped, stables, stableSymbols, explorer }) => ({
      chain: slug,
      chain_id: id,
      native_symbol: native.symbol,
      native_decimals: native.decimals,
      wrapped,
      stables,
      // An address stands for a symbol that no list names.
      stable_symbols: stables.map((token) => stableSymbols[token] ?? token),
      explorer,
    })),
  },
  'core.venues': {
    doc: 'A venue of the registry: the case of the ids of its markets (lower, upper), the first characters and the length of the ids of its combos, its sources of accounts and of pushed books, and how its figures are meant.',
    columns: parseColumns(
      `venue; label, id_case, combo_prefix?, combo_length? INTEGER, account_source?, book_source?, is_anonymous,
       is_takers_only, is_set_by_cash, is_zero_omitted, first_block?, system_addresses VARCHAR[], system_labels VARCHAR[]`,
    ),
    rows: venues.map(({ id, label, market, ...venue }) => ({
      venue: id,
      label,
      id_case: market.case,
      combo_prefix: market.combo === undefined ? null : `${id}:${market.combo.prefix}`,
      combo_length: market.combo === undefined ? null : id.length + 1 + market.combo.length,
      account_source: venue.accountSource,
      book_source: venue.bookSource,
      is_anonymous: venue.isAnonymous,
      is_takers_only: venue.listsTakersOnly,
      is_set_by_cash: venue.countsSetsByCash,
      is_zero_omitted: venue.omitsZeroVolume,
      first_block: venue.firstBlock,
      system_addresses: Object.keys(venue.systemAddresses),
      system_labels: Object.values(venue.systemAddresses),
    })),
  },
  'core.platforms': {
    doc: "A platform of the registry, and its weight in the mean of the platforms' shares. The weights sum to 1.",
    columns: parseColumns('platform; weight'),
    rows: platformWeights,
  },
}

/** The columns of the tables that exist before the first model of a build runs, by `schema.name`. */
export const builtinTables: Readonly<Record<string, ModelColumn[]>> = {
  'core.clock': parseColumns('as_of;'),
  ...Object.fromEntries(Object.entries(registryTables).map(([name, { columns }]) => [name, columns])),
}

export const createClock = async (connection: DuckDBConnection, asOf: Micros): Promise<void> => {
  await connection.run(`create table core.clock as select timestamp ${literal(isoMicros(asOf))} as as_of`)
}

/** The description of `core.clock`. */
export const clockDoc = 'The instant that the build is as of.'

/** Creates the tables of the registry, all or the named ones. */
export async function createRegistryTables(
  connection: { run: (sql: string) => Promise<unknown> },
  names: readonly string[] = Object.keys(registryTables),
): Promise<void> {
  for (const [table, { columns, rows }] of Object.entries(registryTables)) {
    if (!names.includes(table)) continue
    const shape = JSON.stringify([Object.fromEntries(columns.map(({ name, sql }) => [name, sql]))])
    await connection.run(`create table ${table} (${columns.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
    await connection.run(
      `insert into ${table} select unnest(from_json(${literal(JSON.stringify(rows))}, ${literal(shape)}), max_depth := 2)`,
    )
  }
}
