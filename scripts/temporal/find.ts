import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

type Env = Record<string, string | undefined>

const run = promisify(execFile)

/**
 * The path of the `temporal` command: what `TEMPORAL_CLI` names, else the first one on the `PATH`, else the one in Go's
 * folder of commands; undefined where there is none. Builds nothing. Throws where `TEMPORAL_CLI` names something else.
 */
export async function findTemporal(env: Env = process.env): Promise<string | undefined> {
  const named = env['TEMPORAL_CLI']
  if (named !== undefined && named !== '') {
    if (await isTemporal(named)) return named
    throw new Error(`TEMPORAL_CLI=${named}: expected the path of the command temporal, with its development server`)
  }
  for (const folder of [...(env['PATH'] ?? '').split(delimiter), await goFolder(env)]) {
    if (folder === undefined || folder === '') continue
    const path = join(folder, 'temporal')
    if (await isTemporal(path)) return path
  }
  return undefined
}

/** Where Go puts the commands that it installs; undefined where there is no Go. */
export async function goFolder(env: Env = process.env): Promise<string | undefined> {
  const reported = await run('go', ['env', 'GOBIN', 'GOPATH'], { env }).catch(() => undefined)
  if (reported === undefined) return undefined
  const [bin = '', paths = ''] = reported.stdout.split('\n')
  return bin === '' ? join(paths.split(delimiter)[0] ?? '', 'bin') : bin
}

/** Other things are called `temporal` too: this one shows which server it holds. */
const isTemporal = (path: string): Promise<boolean> =>
  run(path, ['--version'], { timeout: 20_000 }).then(
    ({ stdout }) => /^temporal version .*\(Server \d/.test(stdout),
    () => false,
  )
