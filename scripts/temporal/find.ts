import { execFile } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

type Env = Record<string, string | undefined>

const run = promisify(execFile)

/**
 * The path of the `temporal` command; undefined if it is missing. The order is `TEMPORAL_CLI`, the `PATH`, Go's folder
 * of commands. It builds nothing. It throws if `TEMPORAL_CLI` is not the path of that command.
 */
export async function findTemporal(env: Env = process.env): Promise<string | undefined> {
  const named = env['TEMPORAL_CLI']
  if (named !== undefined && named !== '') {
    if (await isTemporal(named)) return named
    throw new Error(`TEMPORAL_CLI ${named}: not the command temporal; expected its path, with its development server`)
  }
  for (const folder of [...(env['PATH'] ?? '').split(delimiter), await goFolder(env)]) {
    if (folder === undefined || folder === '') continue
    const path = join(folder, 'temporal')
    if (await isTemporal(path)) return path
  }
  return undefined
}

/** The folder of commands that Go installs; undefined without Go. */
export async function goFolder(env: Env = process.env): Promise<string | undefined> {
  const reported = await run('go', ['env', 'GOBIN', 'GOPATH'], { env }).catch(() => undefined)
  if (reported === undefined) return undefined
  const [bin = '', paths = ''] = reported.stdout.split('\n')
  return bin === '' ? join(paths.split(delimiter)[0] ?? '', 'bin') : bin
}

/**
 * Whether a command is Temporal's. Other programs have the same name, but only this one prints the version of its
 * server.
 */
const isTemporal = (path: string): Promise<boolean> =>
  run(path, ['--version'], { timeout: 20_000 }).then(
    ({ stdout }) => /^temporal version .*\(Server \d/.test(stdout),
    () => false,
  )
