import { DuckDBListValue, LIST, VARCHAR, type DuckDBConnection } from '@duckdb/node-api'

import { chains } from '#registry/chains/registry.ts'
import { literal } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

import { parseColumns } from './columns.ts'
import type { ModelColumn } from './model.ts'

/**
 * The tables that every build is given before its first model runs, by `schema.name`. `core.clock` has the instant that
 * the build is as of. `core.chains` has the chains of the registry: the token of the native coin, and the tokens that
 * are worth a US dollar, the most traded first.
 */
export const givenTables: Readonly<Record<string, ModelColumn[]>> = {
  'core.clock': parseColumns('as_of;'),
  'core.chains': parseColumns(
    'chain; chain_id? BIGINT, native_symbol, native_decimals UTINYINT, wrapped?, stables VARCHAR[]',
  ),
}

export const createClock = async (connection: DuckDBConnection, asOf: Micros): Promise<void> => {
  await connection.run(`create table core.clock as select timestamp ${literal(isoMicros(asOf))} as as_of`)
}

/** The description of `core.clock`. */
export const clockDoc = 'The instant that the build is as of.'

/** The description of `core.chains`. */
export const chainsDoc =
  'A chain of the registry: the token of its native coin, and the tokens that are worth a US dollar, the most traded first.'

export async function createChains(connection: DuckDBConnection): Promise<void> {
  const columns = givenTables['core.chains'] ?? []
  await connection.run(`create table core.chains (${columns.map(({ name, sql }) => `"${name}" ${sql}`).join(', ')})`)
  const appender = await connection.createAppender('chains', 'core')
  for (const { slug, id, native, wrapped, stables } of chains) {
    appender.appendVarchar(slug)
    if (id === null) appender.appendNull()
    else appender.appendBigInt(BigInt(id))
    appender.appendVarchar(native.symbol)
    appender.appendUTinyInt(native.decimals)
    if (wrapped === null) appender.appendNull()
    else appender.appendVarchar(wrapped)
    appender.appendList(new DuckDBListValue(stables), LIST(VARCHAR))
    appender.endRow()
  }
  appender.closeSync()
}
