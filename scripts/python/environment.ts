import { execFile } from 'node:child_process'
import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The Python of an environment in a folder; undefined if there is none. */
export async function findPython(folder: string): Promise<string | undefined> {
  const python = join(folder, 'bin', 'python')
  return access(python).then(
    () => python,
    () => undefined,
  )
}

/**
 * Makes a Python environment in a folder and installs packages of exact versions, such as `duckdb==1.0.0`. Returns its
 * Python. The machine needs `python3` with `venv`.
 */
export async function makeEnvironment(folder: string, packages: readonly string[]): Promise<string> {
  const python = join(folder, 'bin', 'python')
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(python, ['-m', 'pip', 'install', '--quiet', ...packages])
    return python
  } catch (error) {
    // Half an environment would be found by the next run.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}
