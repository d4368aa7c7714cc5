import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { commit, holderIn, putJoined, readFolder, type FolderState, type Joined } from '#lake/compaction/manifest.ts'
import { holdsSame, writeJoined, type UnitFile } from '#lake/compaction/merge.ts'
import { joinedPath, placeOf } from '#lake/compaction/paths.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'

/** What a unit's file is to be: a finished local file, bytes, or none where the unit has no rows. */
export type Body = { file: string } | Buffer | undefined

/**
 * Puts a unit's rows where readers see them, in one step, and what they saw of it before goes. That is its own file,
 * unless compaction has joined the unit, or the range that it lies in: then the joined file is written anew, with these
 * rows in place of the unit's former ones.
 *
 * Nobody waits for anybody here. A compactor announces what it is about to join before it reads it, and this looks for
 * announcements after it has put the file: so either the compactor reads the file as it is now, or the announcement is
 * found, and withdrawn by making the next version, so that what was read before is never committed.
 */
export async function commitFile(lake: Lake, dataset: Dataset, path: string, body: Body): Promise<void> {
  const { storage } = lake
  const { folder, name } = placeOf(path)
  const before = await readFolder(storage, folder)
  if ((await holderOf(lake, before, name)) !== undefined) return withFile(lake, path, body, replace)
  await (body === undefined ? storage.delete(path) : storage.put(path, body))
  for (let n = 0; ; n++) {
    const after = await readFolder(storage, folder)
    // Joined between the two looks, from what was there before or from this: it is put in from the file.
    if ((await holderOf(lake, after, name)) !== undefined) {
      return withFile(lake, path, body === undefined ? undefined : await storage.get(path), replace)
    }
    if (!after.joining.some((each) => name.startsWith(each))) return
    if (await commit(storage, after, { joined: after.joined, joining: [] })) return
    await pause(n)
  }

  async function replace(units: readonly UnitFile[]): Promise<void> {
    for (let n = 0; !(await replaceRows(lake, dataset, { folder, name, units })); n++) await pause(n)
  }
}

/** The joined file that holds the rows of a unit. */
export const holderOf = async ({ storage }: Lake, state: FolderState, name: string): Promise<Joined | undefined> =>
  state.joined.length === 0 ? undefined : (await holderIn(storage, state, { sweptToo: true }))(name)

/** Others make versions too, each a step forward for one of them; a lock of one that died is taken after 10 s. */
async function pause(n: number): Promise<void> {
  if (n >= 600) throw new Error('for a minute others were always faster to change what is joined in this folder')
  await sleep(Math.min(5 * (n + 1), 100))
}

/** Runs `work` with the body as a local file, or with none, which is gone afterwards. */
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

/** Writes the joined file that holds a unit anew; false when somebody else changed what is joined meanwhile. */
async function replaceRows(
  lake: Lake,
  dataset: Dataset,
  { folder, name, units }: { folder: string; name: string; units: readonly UnitFile[] },
): Promise<boolean> {
  const { storage } = lake
  const state = await readFolder(storage, folder)
  const entry = await holderOf(lake, state, name)
  if (entry === undefined) throw new Error(`${folder} had joined ${name}, and has not any more`)
  const old = storage.locate(joinedPath(folder, entry.file))
  if (await holdsSame(lake, dataset, { joined: old, name, units })) return true
  const written = await writeJoined(lake, dataset, { units, joined: [old], without: name })
  const fresh = { ...entry, ...(await putJoined(storage, state, written, 'range' in entry ? entry.range : '')) }
  return commit(storage, state, { joined: state.joined.map((each) => (each === entry ? fresh : each)), joining: [] })
}
