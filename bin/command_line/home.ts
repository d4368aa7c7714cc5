import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { ConfigError } from '#config.ts'

/**
 * Rejects a home that is a file, or that takes no files. A home that does not exist is created later, unless the command
 * only reads one. A stat of a path below a file throws on Node 20.
 */
export function assertHome(home: string, isRead: boolean): void {
  const isThere = existsSync(home)
  if (isThere && !statSync(home).isDirectory())
    throw new ConfigError([`TAPELINE_HOME: ${home} is a file; expected a folder`])
  if (!isThere && isRead)
    throw new Error(`home ${home}: does not exist; expected a folder of \`tapeline backfill\` or \`tapeline start\``)
  assertTakesFolders(home)
}

/** The error of a home that cannot be created, with the code of the machine. */
export const notCreated = (path: string | undefined, code: string | undefined): string =>
  `${path}: cannot be created (${code}); expected a folder to write`

/**
 * Rejects a home in a folder that takes no folders and calls them missing, such as /proc: Node creates the parents of a
 * missing folder for ever there. A folder of another name shows it, since a further process may create the home.
 */
function assertTakesFolders(home: string): void {
  let existing = resolve(home)
  while (!existsSync(existing)) existing = dirname(existing)
  try {
    rmdirSync(mkdtempSync(join(existing, '.tapeline-')))
  } catch (error) {
    // The command itself meets all other problems, if it writes to the home.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) return
    const fault = existing === resolve(home) ? notWritten(home, error.code) : notCreated(home, error.code)
    throw new Error(fault, { cause: error })
  }
}

const notWritten = (home: string, code: string): string =>
  `${home}: takes no folders (${code}); expected a folder to write`
