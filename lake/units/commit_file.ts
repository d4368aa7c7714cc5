import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { commit, holderIn, putJoined, readFolder, type FolderState, type Joined } from '#lake/compaction/manifest.ts'
import { holdsSame, writeJoined, type UnitFile } from '#lake/compaction/merge.ts'
import { joinedPath, placeOf } from '#lake/compaction/paths.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'

/** The new contents of a unit's file: a finished local file, bytes, or none if the unit has no rows. */
export type Body = { file: string } | Buffer | undefined

/**
 * Makes a unit's rows visible to readers in one step, in place of its former rows. They are the unit's own file, unless
 * compaction has merged the unit or the range around it. Then the compacted file is rewritten with these rows in place
 * of the unit's former ones.
 *
 * No process waits for another. A compactor announces its inputs before it reads them, and this function looks for
 * announcements after it has put the file. Either the compactor reads the current file, or the announcement is found
 * and withdrawn by the next version, and the compactor's result is never committed.
 */
export async function commitFile(lake: Lake, dataset: Dataset, path: string, body: Body): Promise<void> {
  const { storage } = lake
  const { folder, name } = placeOf(path)
  const before = await readFolder(storage, folder)
  if ((await holderOf(lake, before, name)) !== undefined) return withFile(lake, path, body, replace)
  await (body === undefined ? storage.delete(path) : storage.put(path, body))
  for (let n = 0; ; n++) {
    const after = await readFolder(storage, folder)
    // The unit was compacted between the two checks, with its old or its new rows. Its rows are replaced from the file.
    if ((await holderOf(lake, after, name)) !== undefined) {
      return withFile(lake, path, body === undefined ? undefined : await storage.get(path), replace)
    }
    if (!after.joining.some((each) => name.startsWith(each))) return
    if (await commit(storage, after, { joined: after.joined, joining: [] })) return
    await pause(folder, n)
  }

  async function replace(units: readonly UnitFile[]): Promise<void> {
    for (let n = 0; !(await replaceRows(lake, dataset, { folder, name, units })); n++) await pause(folder, n)
  }
}

/** The compacted file with the rows of a unit. */
export const holderOf = async ({ storage }: Lake, state: FolderState, name: string): Promise<Joined | undefined> =>
  state.joined.length === 0 ? undefined : (await holderIn(storage, state, { sweptToo: true }))(name)

/**
 * Other processes create versions too, and each version is progress for one of them. The lock of a dead process expires
 * after 10 s.
 */
async function pause(folder: string, n: number): Promise<void> {
  if (n >= 600) throw new Error(`${folder}: gave up after 600 conflicting commits`)
  await sleep(Math.min(5 * (n + 1), 100))
}

/** Runs `work` with the body as a local file, which is removed afterwards, or with none. */
async function withFile(
  { scratch }: Lake,
  path: string,
  body: Body,
  work: (units: readonly UnitFile[]) => Promise<void>,
): Promise<void> {
  if (body === undefined) return work([])
  const file = 'file' in body ? body.file : join(scratch, `${randomUUID()}${extname(path)}`)
  try {
    if (!('file' in body)) {
      await mkdir(scratch, { recursive: true })
      await writeFile(file, body)
    }
    await work([{ name: placeOf(path).name, file }])
  } finally {
    await rm(file, { force: true })
  }
}

/** Rewrites the compacted file of a unit; false if another process changed the manifest meanwhile. */
async function replaceRows(
  lake: Lake,
  dataset: Dataset,
  { folder, name, units }: { folder: string; name: string; units: readonly UnitFile[] },
): Promise<boolean> {
  const { storage } = lake
  const state = await readFolder(storage, folder)
  const entry = await holderOf(lake, state, name)
  if (entry === undefined) throw new Error(`${name} is no longer in any compacted file of ${folder}`)
  const old = storage.locate(joinedPath(folder, entry.file))
  if (await holdsSame(lake, dataset, { joined: old, name, units })) return true
  const written = await writeJoined(lake, dataset, { units, joined: [old], without: name })
  const fresh = { ...entry, ...(await putJoined(storage, state, written, 'range' in entry ? entry.range : '')) }
  return commit(storage, state, { joined: state.joined.map((each) => (each === entry ? fresh : each)), joining: [] })
}
