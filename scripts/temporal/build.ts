import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { findTemporal, goFolder } from './find.ts'

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
  const child = spawn('go', ['install', module], { stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'exit')
  const path = code === 0 ? await findTemporal() : undefined
  if (path === undefined) throw new Error(`go install ${module} failed: see above; or name the command in TEMPORAL_CLI`)
  return path
}
