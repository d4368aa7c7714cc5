import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { findDuckDB1, folder, version } from './find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/duckdb_v1/install.ts`: installs DuckDB 1.0 for the test that opens an exported file with it. It is a Python
 * package, since the npm packages of that version are not built for newer Nodes; the machine needs `python3` with `venv`.
 */
async function install(): Promise<string> {
  const found = await findDuckDB1()
  if (found !== undefined) return found
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `duckdb==${version}`])
    return join(folder, 'bin', 'python')
  } catch (error) {
    // Half an environment would be found by the next run.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

console.log(await install())
