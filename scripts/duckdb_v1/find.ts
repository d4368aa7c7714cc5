import { access } from 'node:fs/promises'
import { join } from 'node:path'

/** The oldest DuckDB that opens an exported file. */
export const version = '1.0.0'

/** The Python environment into which `npx tsx scripts/duckdb_v1/install.ts` installs it. */
export const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.duckdb_v1', version)

/** The environment's Python, which imports DuckDB 1.0; undefined if it is not installed. */
export async function findDuckDB1(): Promise<string | undefined> {
  const python = join(folder, 'bin', 'python')
  return (await isThere(python)) ? python : undefined
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
