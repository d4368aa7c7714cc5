import { createHash } from 'node:crypto'

import type { DuckDBConnection } from '@duckdb/node-api'

import { streamOf } from '#storage/stream.ts'

import { keyOf, type ModelColumn, type SqlModel } from './model.ts'

/**
 * The content hash of a table of `n_rows` rows: sha256 over its rows in key order. Each row is one line of canonical
 * text, a JSON array of its values. Builds with the same rows have the same hash, whatever the bytes of their files.
 */
export async function contentHash(
  connection: DuckDBConnection,
  table: string,
  { columns, n_rows }: { columns: readonly ModelColumn[]; n_rows: number },
): Promise<string> {
  const values = columns.map(({ name }) => `"${name}"::varchar`).join(', ')
  const sql = `select to_json([${values}])::varchar from ${table} order by ${keyOf(columns)}`
  const hash = createHash('sha256')
  for await (const chunk of streamOf(connection, sql, n_rows)) {
    for (const line of chunk.getColumnValues(0)) hash.update(`${String(line)}\n`)
  }
  return hash.digest('hex')
}

/** The hash of a model: its columns and its select. */
export const modelHash = ({ columns, sql }: SqlModel): string =>
  createHash('sha256')
    .update(JSON.stringify([columns, sql]))
    .digest('hex')
