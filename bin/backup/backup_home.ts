import { rm } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

import { historyFile } from '#bin/report/run_history.ts'
import type { Config } from '#config.ts'
import { backupName, pinBackup } from '#lake/backup_pin.ts'
import { withLease } from '#lake/catalog/lease.ts'
import type { Lake } from '#lake/lake.ts'
import { lakeId } from '#lake/lake_id.ts'
import { unpinSnapshot } from '#lake/snapshot.ts'
import { publicationNames } from '#snapshots/publications.ts'
import { currentSnapshot, digestPath, pointTo, snapshotPath } from '#snapshots/snapshot.ts'
import type { Folder } from '#storage/folder.ts'
import { openScratch } from '#storage/scratch.ts'
import { machineClock } from '#time.ts'

import { copyAccounts, copyCatalog, type CopiedCatalog } from './copy_databases.ts'
import { copyData, copyIfThere, copyRaw } from './copy_files.ts'
import { beginFilling, endFilling, isBegun, type Manifest } from './marker.ts'

export type BackedUp = Manifest & { n_raw: number; isContinued: boolean }

/**
 * Copies a home to a folder, while other processes work on the home: the lake as of one snapshot, raw responses,
 * accounts, the served snapshots and the history of runs. The folder is a home of files, also if the catalog is in
 * PostgreSQL. It is whole only once the backup has ended; the same call continues one that was killed.
 */
export async function backupHome(
  lake: Lake,
  config: Pick<Config, 'home' | 'database'>,
  folder: string,
  onFile: (n_files: number) => void = () => undefined,
): Promise<BackedUp> {
  assertOutside(config.home, folder)
  return withLease(lake.catalog, backupName, machineClock, async () => {
    const id = await lakeId(lake)
    const begun = { command: 'backup', lake: id } as const
    const isContinued = isBegun(folder, begun)
    const target = await beginFilling(folder, begun)
    const scratch = await openScratch(join(folder, 'scratch'))
    try {
      const catalog = await pinnedCatalog(lake, config, scratch)
      const at = new Date(machineClock() / 1_000).toISOString()
      const { files, snapshot } = catalog
      let n_files = 0
      await copyData({ source: lake.storage, target, scratch }, files, () => onFile((n_files += 1)))
      const n_raw = await copyRaw({ source: lake.storage, target, scratch })
      await copyLocal(lake.local, target, scratch)
      await copyAccounts(config, target, scratch)
      await target.put('catalog.sqlite', { file: catalog.file })
      await rm(join(folder, 'scratch'), { recursive: true, force: true })
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      const manifest = { lake: id, snapshot, at, n_files: files.length, bytes }
      await endFilling(target, manifest)
      return { ...manifest, n_raw, isContinued }
    } finally {
      await rm(scratch, { recursive: true, force: true })
      await unpinSnapshot(lake, backupName)
    }
  })
}

/** A backup inside of its home would be copied with it. */
function assertOutside(home: string, folder: string): void {
  const below = relative(resolve(home), resolve(folder))
  if (below === '' || !(below === '..' || below.startsWith(`..${sep}`)))
    throw new Error(`${folder}: within the home ${home}; expected a folder outside of it`)
}

/** A copy of the catalog whose snapshot the lake keeps until the backup ends. */
async function pinnedCatalog(
  lake: Lake,
  config: Pick<Config, 'home' | 'database'>,
  scratch: string,
): Promise<CopiedCatalog> {
  const catalog = await copyCatalog(config, scratch)
  await pinBackup(lake, catalog.snapshot)
  return catalog
}

/** Copies the served snapshots and the history. Derived tables and the analysts' file name the paths of their home. */
export async function copyLocal(local: Folder, target: Folder, scratch: string): Promise<void> {
  const copy = { source: local, target, scratch }
  for (const publication of publicationNames()) {
    const id = await currentSnapshot(local, publication)
    if (id === undefined) continue
    // One that goes meanwhile was replaced by a newer one; the next build publishes it again.
    const copied = [await copyIfThere(copy, digestPath(id)), await copyIfThere(copy, snapshotPath(id))]
    if (copied.every(Boolean)) await pointTo(target, id)
  }
  await copyIfThere(copy, historyFile)
}
