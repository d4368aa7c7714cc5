import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { findTemporal, goFolder } from './find.ts'

const run = promisify(execFile)

/** The newest version that `go install` takes: later ones replace modules, which it refuses. */
const module = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'

/** Builds the `temporal` command with Go, into Go's folder of commands, and returns its path. */
export async function buildTemporal(): Promise<string> {
  if ((await goFolder()) === undefined) {
    throw new Error(
      'there is neither the command temporal nor Go to build it with: install it (https://docs.temporal.io/cli), or ' +
        'Go (https://go.dev/doc/install), or name the command in TEMPORAL_CLI',
    )
  }
  process.stderr.write(`building ${module}, which takes some minutes\n`)
  try {
    await run('go', ['install', module], { maxBuffer: 64 * 2 ** 20 })
  } catch (error) {
    const reported = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new Error(`go install ${module} failed:\n${reported}`, { cause: error })
  }
  const path = await findTemporal()
  if (path === undefined) throw new Error(`go install ${module} ended well, and there is no command temporal`)
  return path
}
