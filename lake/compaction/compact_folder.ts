import { createHash, randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join as under } from 'node:path'

import type { Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'

import type { Join } from './choose.ts'
import {
  commit,
  freshName,
  holderIn,
  loadKeys,
  putJoined,
  readFolder,
  type FolderState,
  type Joined,
} from './manifest.ts'
import { writeJoined } from './merge.ts'
import { byFolder, joinedPath, nameOf } from './paths.ts'

/** What joining came to. */
export type JoinResult = { n_files: number; n_rows: number; bytes_before: number; bytes_after: number }

/**
 * Joins files of a folder. The order of the steps is what makes it safe, with nobody waiting for anybody:
 *
 *  1. A new manifest announces what is about to be joined.
 *  2. Only then the files are listed, held and read. Who stores one of these units looks for announcements after it
 *     has put its file: either it comes in time to be read here, or it finds this one and makes the next manifest.
 *  3. The joined file is put, under a name that no manifest names yet: nobody sees it.
 *  4. The next manifest names it, which makes it count and its sources not, in one step. When there is such a manifest
 *     already, something was stored meanwhile: nothing happens, and undefined is returned.
 *
 * A process that dies in between, or sleeps for a minute, leaves an announcement that the next one replaces and a file
 * that vacuum removes.
 */
export async function joinFiles(
  lake: Lake,
  { dataset, folder, join }: { dataset: Dataset; folder: string; join: Join },
): Promise<JoinResult | undefined> {
  const { storage, scratch } = lake
  const before = await readFolder(storage, folder)
  const replaced = before.joined.filter(({ file }) => join.joined.some((entry) => entry.file === file))
  if (replaced.length !== join.joined.length) return undefined
  const joining = join.range === '' ? join.units.map(({ name }) => name) : [join.range]
  if (!(await commit(storage, before, { joined: before.joined, joining }))) return undefined
  const announced: FolderState = { ...before, version: before.version + 1 }

  const paths = await unitsToJoin(lake, announced, join)
  if (paths.length + replaced.length < 2) return undefined
  const pins = under(scratch, randomUUID())
  try {
    const held = await storage.pin(paths, pins)
    // One of them was emptied meanwhile: which, does not show.
    if (held.length !== paths.length) return undefined
    const units = held.map((file, n) => ({ name: nameOf(paths[n] ?? ''), file }))
    const joined = replaced.map(({ file }) => storage.locate(joinedPath(folder, file)))
    const written = await writeJoined(lake, dataset, { units, joined })
    const contents = await putJoined(storage, announced, written, join.range)
    const holding =
      join.range === ''
        ? { keys: await putKeys(lake, announced, replaced, units), is_swept: false }
        : { range: join.range }
    const others = before.joined.filter((entry) => !replaced.includes(entry))
    if (!(await commit(storage, announced, { joined: [...others, { ...contents, ...holding }], joining: [] }))) {
      return undefined
    }
    const sizes = await Promise.all(held.map(async (file) => (await stat(file)).size))
    const bytes = [...sizes, ...replaced.map((entry) => entry.bytes)]
    return {
      n_files: bytes.length,
      n_rows: contents.n_rows,
      bytes_before: bytes.reduce((sum, size) => sum + size, 0),
      bytes_after: contents.bytes,
    }
  } finally {
    await rm(pins, { recursive: true, force: true })
  }
}

/** The files of units that count now: of a range all that lie in it, of lives those that were chosen. */
async function unitsToJoin({ storage }: Lake, state: FolderState, { range, units }: Join): Promise<string[]> {
  const holder = await holderIn(storage, state, { sweptToo: true })
  const chosen = new Set(units.map(({ name }) => name))
  const isWanted = (name: string): boolean => (range === '' ? chosen.has(name) : name.startsWith(range))
  const listing = byFolder(await storage.list(state.folder)).get(state.folder)?.units ?? []
  return listing.filter((path) => isWanted(nameOf(path)) && holder(nameOf(path)) === undefined)
}

/** Names the lives that a joined file holds, in a file beside it. */
async function putKeys(
  { storage }: Lake,
  { folder, files }: FolderState,
  replaced: readonly Joined[],
  units: readonly { name: string }[],
): Promise<string> {
  const names = units.map(({ name }) => name)
  for (const entry of replaced) if ('keys' in entry) names.push(...(await loadKeys(storage, folder, entry.keys)))
  const body = Buffer.from(JSON.stringify(names.sort()))
  const file = freshName(files, `keys-${createHash('sha256').update(body).digest('hex').slice(0, 12)}`, 'json')
  await storage.put(joinedPath(folder, file), body)
  return file
}
