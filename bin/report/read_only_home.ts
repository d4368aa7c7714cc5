import { existsSync } from 'node:fs'
import { access, chmod, constants, copyFile, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import Libsql from 'libsql'

import type { Config } from '#config.ts'
import { isOfFullDisk } from '#storage/disk_space.ts'

/** The databases that a command opens for writing, even if it only reads the home. */
const opened = ['catalog.sqlite', 'runs.db', 'accounts.db']

/**
 * Runs a command that only reads a home. A home that cannot be written, such as a read-only mount or one on a full disk,
 * is replaced by a folder with copies of its databases and links to all else, and a home that does not exist by an empty
 * folder.
 */
export async function withReadableHome<T>(
  config: Config,
  work: (config: Config) => Promise<T>,
  canWrite: (home: string) => Promise<boolean> = isWritable,
): Promise<T> {
  const isThere = existsSync(config.home)
  // A catalog on a server knows its data files by the path of their home.
  if (config.database !== undefined) return work(config)
  let copyDatabase = copyCommitted
  if (isThere && (await canWrite(config.home))) {
    try {
      return await work(config)
    } catch (error) {
      if (!isOfFullDisk(error)) throw error
      // On a full disk SQLite opens no database that no other process has open: neither it nor its log changes.
      copyDatabase = copyFiles
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-read-only-'))
  try {
    for (const name of isThere ? await readdir(config.home) : []) {
      if (opened.includes(name)) await copyDatabase(join(config.home, name), join(folder, name))
      else if (name !== 'scratch' && !opened.some((database) => name.startsWith(`${database}-`)))
        await symlink(resolve(config.home, name), join(folder, name))
    }
    return await work({ ...config, home: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether files of a home can be written. */
export const isWritable = (home: string): Promise<boolean> =>
  access(home, constants.W_OK).then(
    () => true,
    () => false,
  )

/** A writer elsewhere has a log beside the file, with which it can be read. Without one the file is whole. */
async function copyCommitted(from: string, to: string): Promise<void> {
  if (!existsSync(`${from}-wal`)) return copyFiles(from, to)
  const database = new Libsql(from, { readonly: true })
  try {
    database.prepare('vacuum into ?').run(to)
  } finally {
    database.close()
  }
}

async function copyFiles(from: string, to: string): Promise<void> {
  for (const end of ['', '-wal']) {
    if (!existsSync(`${from}${end}`)) continue
    await copyFile(`${from}${end}`, `${to}${end}`)
    // A copy keeps the mode of its file.
    await chmod(`${to}${end}`, 0o600)
  }
}
