import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { findSchemathesis, folder, version } from './schemathesis/find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/schemathesis.ts`: installs schemathesis, which makes requests from the OpenAPI description, for the
 * tests that attack the API. It is a Python package; the machine needs `python3` with `venv`.
 */
async function install(): Promise<string> {
  const found = await findSchemathesis()
  if (found !== undefined) return found
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${version}`])
  } catch (error) {
    // Half an environment would be found by the next run.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  const installed = await findSchemathesis()
  if (installed === undefined)
    throw new Error(`${folder}: no schemathesis after its installation; expected the command`)
  return installed
}

console.log(await install())
