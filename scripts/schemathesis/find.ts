import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The version that the tests run. */
export const version = '4.32.5'

/** The Python environment into which `npx tsx scripts/schemathesis.ts` installs it. */
export const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.schemathesis', version)

/** The command `schemathesis`: that of the environment, or else of PATH; undefined if there is none. */
export async function findSchemathesis(path = process.env['PATH'] ?? ''): Promise<string | undefined> {
  for (const of of [join(folder, 'bin'), ...path.split(delimiter)]) {
    const command = join(of, 'schemathesis')
    if (await isThere(command)) return command
  }
  return undefined
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
