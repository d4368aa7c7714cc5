import { existsSync } from 'node:fs'
import { join } from 'node:path'

import duckdb from '@duckdb/node-api'

/** DuckDB's extensions that read a DuckLake whose catalog is in SQLite or PostgreSQL. */
export const extensions = ['sqlite_scanner', 'postgres_scanner', 'ducklake'] as const

/** The version of DuckDB, which is that of its extensions: `1.5.5`. */
export const version = duckdb.version().replace(/^v/, '')

/** The folder into which `npx tsx scripts/ducklake.ts` installs the extensions. */
export const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.ducklake', version)

/**
 * The files of the extensions; undefined where one is missing. Tests that read a lake with them are skipped then.
 */
export function findDuckLake(): string[] | undefined {
  const files = extensions.map((name) => join(folder, `${name}.duckdb_extension`))
  return files.every((file) => existsSync(file)) ? files : undefined
}
