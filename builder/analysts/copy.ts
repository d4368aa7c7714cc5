import { chmod, copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { derivedFolder } from '#builder/materialize.ts'
import type { Lake } from '#lake/lake.ts'
import { pinSnapshot, unpinSnapshot } from '#lake/snapshot.ts'
import { snapshotPath } from '#snapshots/snapshot.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'

import { addContents, type Contents } from './contents.ts'

/** The file that analysts open; it lies beside the lake. */
export const analystsFile = 'tapeline.duckdb'

/**
 * Publishes `tapeline.duckdb`: a copy of the materializing publication with the marts of all others. It has all other
 * tables as views over the Parquet files, and the macros that explain figures; each has a description. The file is
 * separate and is replaced by rename, so that no lock of a client can reach the service. The files behind its views are
 * held for it. A client therefore sees one state for as long as it has the copy open. The publication waits for a live
 * client
 * that opened the file for writing. The files of a dead client are removed.
 */
export async function publishAnalystsCopy(
  lake: Lake,
  { id: snapshot, derived, lakeSnapshot }: { id: string; derived: string; lakeSnapshot: number },
  contents: Contents,
): Promise<'published' | 'waiting'> {
  const target = lake.local.locate(analystsFile)
  if (await isHeld(target)) return 'waiting'
  const folder = lake.local.locate(derived)
  const file = join(folder, analystsFile)
  await mkdir(folder, { recursive: true })
  await copyFile(lake.local.locate(snapshotPath(snapshot)), file)
  await pinSnapshot(lake, derived, lakeSnapshot)
  await addContents(lake, file, { ...contents, derived, lakeSnapshot })
  await chmod(file, 0o444)
  // A second name of the same file: by the first one shows later whether a client still has it open.
  const fresh = `${file}.fresh`
  await link(file, fresh).catch(() => copyFile(file, fresh))
  const replaced = await inodeOf(target)
  // The log goes first: a new file beside an old log could not be opened.
  await rm(`${target}.wal`, { force: true })
  await rename(fresh, target)
  // A client may be about to open the one that was replaced just now: it goes the next time.
  await sweepCopies(lake, new Set([await inodeOf(file), replaced]))
  return 'published'
}

const inodeOf = async (file: string): Promise<number | undefined> => (await stat(file).catch(() => undefined))?.ino

/** Whether the analysts' copy is held open for writing, so that it cannot be replaced. */
export const isAnalystsCopyHeld = (lake: Lake): Promise<boolean> => isHeld(lake.local.locate(analystsFile))

/** Whether a client has the file open for writing: then, and only then, it cannot be opened even for reading. */
const isHeld = (file: string): Promise<boolean> => isLocked(file, 'read_only')

/** Whether DuckDB's own lock keeps a file from being opened; it goes with its owner, also when that one dies. */
async function isLocked(file: string, mode: 'read_only' | 'read_write'): Promise<boolean> {
  if ((await inodeOf(file)) === undefined) return false
  const instance = await openDuckDB({ threads: 1, memory: '256MB', scratch: `${file}.scratch` })
  const connection = await instance.connect()
  try {
    await connection.run(`attach ${literal(file)} as copy (${mode})`)
    return false
  } catch (error) {
    return error instanceof Error && /could not set lock/i.test(error.message)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Removes the derived tables of copies that were replaced, once no client has them open. */
async function sweepCopies(lake: Lake, kept: ReadonlySet<number | undefined>): Promise<void> {
  const root = lake.local.locate(derivedFolder)
  for (const id of await readdir(root)) {
    const file = join(root, id, analystsFile)
    const inode = await inodeOf(file)
    if (inode !== undefined && kept.has(inode)) continue
    // The lock that a reader's lock refuses needs a file that this process may write.
    await chmod(file, 0o644).catch(() => undefined)
    if (await isLocked(file, 'read_write')) continue
    await rm(join(root, id), { recursive: true, force: true })
    await unpinSnapshot(lake, `${derivedFolder}/${id}`)
  }
}
