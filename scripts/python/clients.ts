import { join } from 'node:path'

import { findPython } from './environment.ts'

/** A client of exported files: a version of DuckDB, in a Python environment with exactly these packages. */
export type Client = { version: string; packages: readonly string[]; folder: string }

const clientOf = (version: string, ...others: string[]): Client => ({
  version,
  packages: [`duckdb==${version}`, ...others],
  folder: join(import.meta.dirname, '..', '..', 'node_modules', '.duckdb', version),
})

/** The oldest DuckDB that opens an exported file. Its npm packages are not built for newer Nodes. */
export const oldest = clientOf('1.0.0')

/** DuckDB as analysts install it today, with all that the notebook of `examples/` needs. */
export const newest = clientOf('2.0.0', 'ipykernel==7.4.0', 'matplotlib==3.11.2', 'nbclient==0.11.0')

/** The Python of a client, installed by `npx tsx scripts/python/install.ts`; undefined if it is not installed. */
export const findClient = ({ folder }: Client): Promise<string | undefined> => findPython(folder)
