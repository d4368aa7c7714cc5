import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { lakeTables, lakeTable } from '#lake/sql.ts'
import { etagOf } from '#storage/storage.ts'
import type { Micros } from '#time.ts'

import { commit, holderIn, loadFolder, loadManifest, versionOf, type FolderState, type Joined } from './manifest.ts'
import { digestOf } from './merge.ts'
import { byFolder, joinedPath, nameOf, type FolderListing } from './paths.ts'

export type Collection = {
  now: Micros
  /** How long what was superseded is kept: longer than anybody takes from a listing to its files. A day is usual. */
  keep_ms: number
  /** Ends it between two folders. */
  signal?: AbortSignal
  /** Only reports the files to delete now. */
  dryRun?: boolean
  /** The most files to delete in one call; 20,000 where it is not said. */
  maxFiles?: number
}

export type Collected = {
  deleted: string[]
  /** Superseded, and not for long enough. */
  n_waiting: number
  /** Joined files that are not what they were when they were written: nothing that they hold is deleted. */
  damaged: string[]
}

const marksPath = 'lake/gc.json'
/** Since when a path was seen to be superseded. */
const marksShape = z.record(z.string(), z.number())
type Marks = z.infer<typeof marksShape>

/**
 * Deletes what compaction and late units have superseded: files of units whose rows are in a joined file, joined files
 * that were replaced or never committed, old manifests. First a path is only noted; it goes when it is still superseded
 * `keep_ms` later, and whatever was joined is there and whole. What was superseded once stays so, since a joined range
 * is never taken apart and no name is given twice; so it may be killed at any point, and run twice at a time.
 *
 * Queries that run hold what they read by hard links (`storage.pin`), so that a deletion takes nothing from them.
 */
export async function vacuum(lake: Lake, collection: Collection): Promise<Collected> {
  const { storage } = lake
  const { now, keep_ms, dryRun = false, maxFiles = 20_000 } = collection
  const stored = await storage.get(marksPath)
  const marks = stored === undefined ? {} : marksShape.parse(JSON.parse(stored.toString()))
  const isExpired = (path: string): boolean => now - (marks[path] ?? now) >= keep_ms * 1000
  const folders = await supersededIn(lake, collection)
  const superseded = folders.flatMap(({ units, manifests, files }) => [...units, ...manifests, ...files])
  const collected: Collected = { deleted: [], n_waiting: 0, damaged: [] }
  // Noted before anything is deleted: what is deleted is not listed the next time, and so forgotten.
  if (!dryRun) {
    const next: Marks = Object.fromEntries(superseded.map((path) => [path, marks[path] ?? now]))
    const body = Buffer.from(JSON.stringify(next))
    // Of two at a time one notes it; what the other has seen for the first time is noted the next time.
    if (!stored?.equals(body)) await storage.putIfMatch(marksPath, body, stored === undefined ? null : etagOf(stored))
  }
  for (const folder of folders) {
    const left = maxFiles - collected.deleted.length
    if (collection.signal?.aborted === true || left <= 0) break
    const { paths, damaged } = await deletable(lake, folder, isExpired)
    collected.damaged.push(...damaged)
    const gone = paths.slice(0, left)
    for (const path of gone) if (!dryRun) await storage.delete(path)
    collected.deleted.push(...gone)
    if (!dryRun) await noteSwept(lake, folder)
  }
  collected.n_waiting = superseded.length - collected.deleted.length
  return collected
}

/** A folder with something joined, and the paths in it that are superseded. */
type Folder = {
  state: FolderState
  /** Files of units that were joined. */
  units: string[]
  /** All manifests but the newest. */
  manifests: string[]
  /** Joined files, and names of lives, that the newest manifest does not name. */
  files: string[]
}

async function supersededIn({ storage }: Lake, { signal }: Collection): Promise<Folder[]> {
  const folders: Folder[] = []
  for (const table of lakeTables) {
    for (const [folder, listing] of byFolder(await storage.list(lakeTable(table).root))) {
      if (signal?.aborted === true) return folders
      if (listing.joined.length > 0) folders.push(await lookInto(storage, folder, listing))
    }
  }
  return folders
}

async function lookInto(storage: Lake['storage'], folder: string, listing: FolderListing): Promise<Folder> {
  const state = await loadFolder(storage, folder, listing)
  const holder = await holderIn(storage, state, { sweptToo: true })
  const current = new Set(filesNamedIn(state.joined))
  const isOld = (file: string): boolean => versionOf(file) > 0 && versionOf(file) !== state.version
  // A file that is still to be committed is among these too. It is noted, and when it counts the note goes.
  const isUnnamed = (file: string): boolean => versionOf(file) === 0 && !current.has(file)
  return {
    state,
    units: listing.units.filter((path) => holder(nameOf(path)) !== undefined),
    manifests: listing.joined.filter(isOld).map((file) => joinedPath(folder, file)),
    files: listing.joined.filter(isUnnamed).map((file) => joinedPath(folder, file)),
  }
}

const filesNamedIn = (joined: readonly Joined[]): string[] =>
  joined.flatMap((entry) => ('keys' in entry ? [entry.file, entry.keys] : [entry.file]))

/**
 * What may go now: units whose joined file is whole, old manifests, and files that no manifest names which stays. So
 * whoever reads a manifest finds what it names, also where a file was noted before it counted.
 */
async function deletable(
  lake: Lake,
  { state, units, manifests, files }: Folder,
  isExpired: (path: string) => boolean,
): Promise<{ paths: string[]; damaged: string[] }> {
  const { storage } = lake
  const { folder } = state
  const expired = units.filter(isExpired)
  const holder = await holderIn(storage, state, { sweptToo: true })
  const damaged: Joined[] = []
  for (const entry of new Set(expired.flatMap((path) => holder(nameOf(path)) ?? []))) {
    if (!(await isWhole(lake, folder, entry))) damaged.push(entry)
  }
  const named = new Set<string>()
  for (const path of manifests.filter((each) => !isExpired(each))) {
    const manifest = await loadManifest(storage, path)
    for (const file of filesNamedIn(manifest?.joined ?? [])) named.add(joinedPath(folder, file))
  }
  const isSafe = (path: string): boolean => !damaged.some((entry) => entry === holder(nameOf(path)))
  return {
    paths: [
      ...expired.filter(isSafe),
      ...manifests.filter(isExpired),
      ...files.filter((path) => isExpired(path) && !named.has(path)),
    ],
    damaged: damaged.map(({ file }) => joinedPath(folder, file)),
  }
}

/** Whether a joined file is there and what it was when it was written. */
async function isWhole({ storage, scratch }: Lake, folder: string, { file, digest }: Joined): Promise<boolean> {
  const pins = join(scratch, randomUUID())
  try {
    const [held] = await storage.pin([joinedPath(folder, file)], pins)
    return held !== undefined && (await digestOf(held)) === digest
  } finally {
    await rm(pins, { recursive: true, force: true })
  }
}

/**
 * Notes of lives whose own files are all gone that readers need not look for them any more. They went in an earlier
 * call: whoever listed the folder while they were there has long read its manifest.
 */
async function noteSwept({ storage }: Lake, { state, units }: Folder): Promise<void> {
  if (units.length > 0 || state.joining.length > 0) return
  if (!state.joined.some((entry) => 'keys' in entry && !entry.is_swept)) return
  const joined = state.joined.map((entry) => ('keys' in entry ? { ...entry, is_swept: true } : entry))
  await commit(storage, state, { joined, joining: [] })
}
