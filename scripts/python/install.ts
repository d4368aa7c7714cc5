import { findClient, newest, oldest, type Client } from './clients.ts'
import { makeEnvironment } from './environment.ts'

/**
 * `npx tsx scripts/python/install.ts`: installs the oldest and the newest DuckDB that open an exported file, the newest
 * with Jupyter's client and matplotlib, for the tests that open such a file and run the notebook of `examples/`. The
 * machine needs `python3` with `venv`.
 *
 * Prints the path of each Python. A machine without PyPI fails here, and the tests are reported as skipped.
 */
async function install(client: Client): Promise<string> {
  const found = await findClient(client)
  return found ?? makeEnvironment(client.folder, client.packages)
}

for (const client of [oldest, newest]) {
  // One after the other, since both fill the cache of pip.
  const python = await install(client)
  console.log(`DuckDB ${client.version}: ${python}`)
}
