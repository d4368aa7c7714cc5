import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { findPostgres } from './postgres/find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/postgres.ts`: prints the folder of PostgreSQL's commands, for the tests that start a server. Where
 * they are missing, root installs the Debian package.
 */
async function find(): Promise<string> {
  const found = await findPostgres()
  if (found !== undefined) return found
  await run('apt-get', ['install', '--yes', '--no-install-recommends', 'postgresql'])
  const installed = await findPostgres()
  if (installed === undefined)
    throw new Error('PostgreSQL: not found after its installation; expected initdb and pg_ctl')
  return installed
}

console.log(await find())
