import { existsSync } from 'node:fs'
import { access, chmod, constants, copyFile, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import Libsql from 'libsql'

import type { Config } from '#config.ts'

/** The databases that a command opens for writing, even if it only reads the home. */
const opened = ['catalog.sqlite', 'runs.db']

/**
 * Runs a command that only reads a home. A home that cannot be written, such as a read-only mount, is replaced by a
 * folder with copies of its databases and links to all else, and a home that does not exist by an empty folder.
 */
export async function withReadableHome<T>(
  config: Config,
  work: (config: Config) => Promise<T>,
  canWrite: (home: string) => Promise<boolean> = isWritable,
): Promise<T> {
  const isThere = existsSync(config.home)
  // A catalog on a server knows its data files by the path of their home.
  if (config.database !== undefined || (isThere && (await canWrite(config.home)))) return work(config)
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-read-only-'))
  try {
    for (const name of isThere ? await readdir(config.home) : []) {
      if (opened.includes(name)) await copyDatabase(join(config.home, name), join(folder, name))
      else if (name !== 'scratch' && !opened.some((one) => name.startsWith(`${one}-`)))
        await symlink(resolve(config.home, name), join(folder, name))
    }
    return await work({ ...config, home: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isWritable = (home: string): Promise<boolean> =>
  access(home, constants.W_OK).then(
    () => true,
    () => false,
  )

/** A writer elsewhere has a log beside the file, with which it can be read. Without one the file is whole. */
async function copyDatabase(from: string, to: string): Promise<void> {
  if (!existsSync(`${from}-wal`)) {
    await copyFile(from, to)
    // A copy keeps the mode of its file.
    await chmod(to, 0o600)
    return
  }
  const database = new Libsql(from, { readonly: true })
  try {
    database.prepare('vacuum into ?').run(to)
  } finally {
    database.close()
  }
}
