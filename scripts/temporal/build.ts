import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { findTemporal, goFolder } from './find.ts'

const run = promisify(execFile)

/** The newest version that `go install` accepts. It rejects later versions, since they replace modules. */
const module = 'github.com/temporalio/cli/cmd/temporal@v1.5.1'

/** Builds the `temporal` command with Go, into Go's folder of commands, and returns its path. */
export async function buildTemporal(): Promise<string> {
  if ((await goFolder()) === undefined) {
    throw new Error(
      'temporal: neither the command nor Go is installed; expected the command (https://docs.temporal.io/cli), ' +
        'Go to build it (https://go.dev/doc/install), or the path of the command in TEMPORAL_CLI',
    )
  }
  process.stderr.write(`building ${module}: this takes some minutes\n`)
  try {
    await run('go', ['install', module], { maxBuffer: 64 * 2 ** 20 })
  } catch (error) {
    const reported = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new Error(`go install ${module}: failed; expected the command temporal\n${reported}`, { cause: error })
  }
  const path = await findTemporal()
  if (path === undefined)
    throw new Error(
      `go install ${module}: succeeded without the command temporal; expected it in Go's folder of commands`,
    )
  return path
}
