import { createHash } from 'node:crypto'

import type { DuckDBConnection } from '@duckdb/node-api'

import type { ModelColumn, SqlModel } from './model.ts'

/**
 * The content hash of a table whose key is unique: the exclusive or of the MD5 of each row, in hex. A row's text is the
 * JSON array of its values as texts. Builds with the same rows have the same hash, whatever the order of the rows, the
 * bytes of their files and the version of DuckDB. It finds differences, not forgeries.
 */
export async function contentHash(
  connection: DuckDBConnection,
  table: string,
  columns: readonly ModelColumn[],
): Promise<string> {
  const values = columns.map(({ name }) => `"${name}"::varchar`).join(', ')
  // No two rows of a key are equal, so that none cancel each other out.
  const sum = `bit_xor(md5_number(to_json([${values}])::varchar))`
  const reader = await connection.runAndReadAll(`select hex(coalesce(${sum}, 0)) from ${table}`)
  const digits = String(reader.getRows()[0]?.[0]).padStart(32, '0')
  // DuckDB takes the last byte of an MD5 for the highest one.
  return Buffer.from(digits, 'hex').reverse().toString('hex')
}

/** The hash of a model: its columns and its select. */
export const modelHash = ({ columns, sql }: SqlModel): string =>
  createHash('sha256')
    .update(JSON.stringify([columns, sql]))
    .digest('hex')
