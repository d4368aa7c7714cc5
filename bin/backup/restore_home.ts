import { randomUUID } from 'node:crypto'
import { chmod, copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { openAccountsOf } from '#bin/wiring/accounts.ts'
import type { Config } from '#config.ts'
import { openDatabase } from '#lake/catalog/database.ts'
import { openFolder } from '#storage/folder.ts'
import { openScratch } from '#storage/scratch.ts'

import { copyLocal } from './backup_home.ts'
import { dataFilesOf, fillAccounts, fillCatalog } from './copy_databases.ts'
import { copyData, copyRaw } from './copy_files.ts'
import { beginFilling, endFilling, isBegun, readManifest, type Manifest } from './marker.ts'

/**
 * Copies a backup to a home, which is new or empty, and compares the digest of each data file. With `database` the
 * catalog and the accounts go to PostgreSQL, where none may be. The same call continues one that was killed.
 */
export async function restoreHome(
  folder: string,
  { home, database, storage: openStorage }: Pick<Config, 'home' | 'database' | 'storage'>,
  onFile: (n_files: number) => void = () => undefined,
): Promise<Manifest> {
  const manifest = readManifest(folder)
  const begun = { command: 'restore', lake: manifest.lake } as const
  const storage = openStorage(home)
  const isContinued = isBegun(home, begun)
  if (!isContinued && (await storage.list('lake')).length > 0)
    throw new Error(`${storage.root}lake: data files of another lake; expected none`)
  if (database !== undefined) await assertFree({ home, database }, manifest.lake, isContinued)
  const target = await beginFilling(home, begun)
  const scratch = await openScratch(join(home, 'scratch'))
  await mkdir(scratch, { recursive: true })
  try {
    const backup = openFolder(folder)
    // SQLite writes beside a file that it only reads, and a backup may be on a medium that takes no writes.
    const [catalog, accounts] = [join(scratch, `${randomUUID()}.sqlite`), join(scratch, `${randomUUID()}.db`)]
    await copyFile(backup.locate('catalog.sqlite'), catalog)
    await copyFile(backup.locate('accounts.db'), accounts)
    for (const file of [catalog, accounts]) await chmod(file, 0o600)
    const opened = openDatabase(catalog)
    const files = await dataFilesOf(opened)
    await opened.close()
    let n_files = 0
    await copyData({ source: backup, target: storage, scratch }, files, () => onFile((n_files += 1)))
    await copyRaw({ source: backup, target: storage, scratch })
    await copyLocal(backup, target, scratch)
    if (database === undefined) {
      await target.put('accounts.db', { file: accounts })
      // The file that this process has opened has a log beside it.
      const unopened = `${catalog}-unopened`
      await copyFile(backup.locate('catalog.sqlite'), unopened)
      await chmod(unopened, 0o600)
      await target.put('catalog.sqlite', { file: unopened })
    } else {
      await fillAccounts(accounts, { home, database })
      await fillCatalog(catalog, { home, database })
    }
    await endFilling(target)
    return manifest
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A database that has the catalog of a lake, or accounts, would lose them. */
async function assertFree(
  place: Required<Pick<Config, 'home' | 'database'>>,
  lake: string,
  isContinued: boolean,
): Promise<void> {
  const opened = openDatabase(place.database ?? '')
  try {
    if (!(await opened.isNew())) {
      const named = await opened.db.selectFrom('ducklake_data_file').select('path').limit(1).executeTakeFirst()
      const id = opened.db.selectFrom('tapeline_metadata').select('value').where('key', '=', 'lake_id')
      const isSame = isContinued && (await id.executeTakeFirst())?.value === lake
      if (named !== undefined && !isSame)
        throw new Error('DATABASE_URL: it has the catalog of a lake; expected an empty database')
    }
  } finally {
    await opened.close()
  }
  if (isContinued) return
  const accounts = await openAccountsOf(place)
  try {
    if ((await accounts.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) !== undefined)
      throw new Error('DATABASE_URL: it has accounts; expected an empty database')
  } finally {
    await accounts.destroy()
  }
}
