import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { findOpenApiTools, folder, packages, pythonPackage } from './find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/openapi_tools/install.ts`: installs a linter and two generators of clients for the test of the
 * OpenAPI description. They are no dependencies of the project. The machine needs `python3` with `venv`.
 */
async function install(): Promise<string> {
  if ((await findOpenApiTools()) !== undefined) return folder
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{"private":true}\n')
    await run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages], { cwd: folder })
    await run('python3', ['-m', 'venv', join(folder, 'python')])
    const pip = ['-m', 'pip', 'install', '--quiet', pythonPackage]
    await run(join(folder, 'python', 'bin', 'python'), pip)
    return folder
  } catch (error) {
    // Half of the tools would be found by the next run.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

console.log(await install())
