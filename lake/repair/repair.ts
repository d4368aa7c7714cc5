import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'

import { openCatalog, UnfinishedRebuild } from '#lake/catalog/catalog.ts'
import { openDatabase, type Database } from '#lake/catalog/database.ts'
import { assertFormat, NewerLake } from '#lake/format.ts'
import { openLake, type LakeLimits } from '#lake/lake.ts'
import { verifyLake } from '#lake/verify.ts'
import { isOfFullDisk } from '#storage/disk_space.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { openFolder } from '#storage/folder.ts'
import type { OpenStorage } from '#storage/storage.ts'
import { machineClock } from '#time.ts'

import { dropFaults, setAside } from './drop_faults.ts'
import { findFiles, type DamagedFile, type FoundFile } from './found_files.ts'
import { rebuildCatalog } from './rebuild.ts'

export type Repaired = {
  /** Null if the catalog was whole. */
  rebuilt: { n_files: number; n_units: number } | null
  /** The data files that were taken out of the lake. */
  damaged: DamagedFile[]
  /** The units that have to be read again. */
  n_missing: number
}

type Repair = {
  home: string
  limits: LakeLimits
  database: string | undefined
  storage?: OpenStorage
  onProgress?: (n_files: number) => void
}

/**
 * Repairs a lake: builds a missing or unreadable catalog from the metadata of the data files, then takes data files
 * that are missing or changed out of the lake. It may be killed at any point and repeated.
 */
export async function repairLake(repair: Repair): Promise<Repaired> {
  const { home, limits, database, onProgress = () => undefined } = repair
  assertFormat(home)
  const rebuilt = (await isUsable(repair)) ? null : await rebuild(repair)
  const lake = await openLake(home, limits, database, repair.storage)
  try {
    const { faults } = await verifyLake(lake, ({ n_files }) => onProgress(n_files))
    const n_missing = (rebuilt?.n_missing ?? 0) + (await dropFaults(lake, faults))
    return { rebuilt: rebuilt?.built ?? null, damaged: [...(rebuilt?.damaged ?? []), ...faults], n_missing }
  } finally {
    await lake.close()
  }
}

const fileOf = (home: string): string => join(home, 'catalog.sqlite')

/** Whether the catalog exists, can be read, and was not left by a repair that did not end. */
async function isUsable({ home, database, storage = openFolder }: Repair): Promise<boolean> {
  if (database === undefined && !existsSync(fileOf(home))) return false
  let opened: Database | undefined
  try {
    opened = openDatabase(database ?? fileOf(home))
    if ((await opened.isNew()) || !(await opened.isReadable())) return false
    await openCatalog(opened, storage(home).root)
    return true
  } catch (error) {
    // A catalog of a newer version is whole, and a server that cannot be reached is no damage.
    if (error instanceof NewerLake) throw error
    if (database !== undefined && !(error instanceof UnfinishedRebuild)) throw error
    if (isOfMachine(error)) throw error
    return false
  } finally {
    await opened?.close()
  }
}

/** A full disk, too few open files, a lock or a missing right, as SQLite names them. The catalog may be whole. */
const isOfMachine = (error: unknown): boolean =>
  error instanceof Error &&
  (isOfFullDisk(error) ||
    /Unable to open connection/.test(error.message) ||
    ('code' in error && /^SQLITE_(CANTOPEN|BUSY|LOCKED|READONLY|PERM|NOMEM)/.test(String(error.code))))

async function rebuild({ home, limits, database, onProgress = () => undefined, ...repair }: Repair) {
  const storage = (repair.storage ?? openFolder)(home)
  if (database === undefined) setCatalogAside(fileOf(home))
  const catalog = await openCatalog(openDatabase(database ?? fileOf(home)), storage.root, true)
  const instance = await openDuckDB({ ...limits, threads: 1, scratch: join(home, 'scratch') })
  try {
    const [files, damaged]: [FoundFile[], DamagedFile[]] = [[], []]
    await withConnection(instance, async (connection) => {
      for await (const each of findFiles(storage, connection)) {
        if ('intact' in each) files.push(each.intact)
        else damaged.push(each.damaged)
        onProgress(files.length + damaged.length)
      }
    })
    for (const { path } of damaged) await setAside(storage, path)
    const { n_missing, ...built } = await rebuildCatalog(catalog, files)
    return { built, damaged, n_missing }
  } finally {
    instance.closeSync()
    await catalog.close()
  }
}

/** Keeps an unreadable catalog under another name. */
function setCatalogAside(file: string): void {
  const name = `${file}.damaged-${new Date(machineClock() / 1000).toISOString().replaceAll(':', '')}`
  for (const end of ['', '-wal', '-shm']) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${name}${end}`)
}
