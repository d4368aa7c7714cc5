import { z } from 'zod'

import type { Written } from '#lake/units/write_parquet.ts'
import type { Storage } from '#storage/storage.ts'

import { joinedPath, rangesOf, type FolderListing } from './paths.ts'

/** One joined file: its whole content by rows and digest, and the units whose rows it holds. */
const ofFile = { file: z.string(), n_rows: z.number(), bytes: z.number(), digest: z.string() }
/** All units in a range of time, also those that are still to come. */
const ofRange = z.object({ ...ofFile, range: z.string() })
/** The units named in a file beside it. `is_swept`: none of their own files is left. */
const ofKeys = z.object({ ...ofFile, keys: z.string(), is_swept: z.boolean() })
const joinedShape = z.union([ofRange, ofKeys])
export type Joined = z.infer<typeof joinedShape>

const manifestShape = z.object({
  joined: z.array(joinedShape),
  /** Ranges and units that somebody is joining now. */
  joining: z.array(z.string()),
})
type Manifest = z.infer<typeof manifestShape>

/** What is joined in a folder: the newest manifest, its version (0: there is none), and the files beside it. */
export type FolderState = Manifest & { folder: string; version: number; files: string[] }

/**
 * Reads what is joined in a folder. Manifests are never rewritten: a change is a file of the next version, which only
 * one can create, so that of two who change the same version one fails and looks again.
 */
export async function readFolder(storage: Storage, folder: string): Promise<FolderState> {
  const paths = await storage.list(joinedPath(folder))
  return loadFolder(storage, folder, { units: [], joined: paths.map((path) => path.slice(path.lastIndexOf('/') + 1)) })
}

/** The same from a listing that is there. */
export async function loadFolder(storage: Storage, folder: string, { joined }: FolderListing): Promise<FolderState> {
  const version = Math.max(0, ...joined.map(versionOf))
  if (version === 0) return { joined: [], joining: [], folder, version, files: joined }
  const path = joinedPath(folder, manifestName(version))
  const manifest = await loadManifest(storage, path)
  if (manifest === undefined) throw new Error(`${path} was there a moment ago and is gone: what is joined is not known`)
  return { ...manifest, folder, version, files: joined }
}

export async function loadManifest(storage: Storage, path: string): Promise<Manifest | undefined> {
  const body = await storage.get(path)
  return body && manifestShape.parse(JSON.parse(body.toString()))
}

/** Makes the next version; false when somebody else has, and nothing is changed. */
export const commit = (storage: Storage, { folder, version }: FolderState, next: Manifest): Promise<boolean> =>
  storage.putIfMatch(joinedPath(folder, manifestName(version + 1)), Buffer.from(JSON.stringify(next)), null)

const manifestName = (version: number): string => `manifest-${String(version).padStart(8, '0')}.json`

/** The version of a manifest, by its name or path; 0 for any other file. */
export const versionOf = (file: string): number => Number(/(?:^|\/)manifest-(\d+)\.json$/.exec(file)?.[1] ?? 0)

/** Names the joined file that holds a unit's rows; none where the unit's own file counts. */
export type Holder = (name: string) => Joined | undefined

/**
 * Who holds what in a folder. Of a swept file the units are read only by who stores one of them: no listing shows them,
 * and they are many.
 */
export async function holderIn(
  storage: Storage,
  { folder, joined }: FolderState,
  { sweptToo }: { sweptToo: boolean },
): Promise<Holder> {
  const ranges = new Map<string, Joined>()
  const units = new Map<string, Joined>()
  for (const entry of joined) {
    if ('range' in entry) ranges.set(entry.range, entry)
    else if (sweptToo || !entry.is_swept) {
      for (const name of await loadKeys(storage, folder, entry.keys)) units.set(name, entry)
    }
  }
  return (name) => {
    const range = rangesOf(name).find((each) => ranges.has(each))
    return units.get(name) ?? (range === undefined ? undefined : ranges.get(range))
  }
}

const keysShape = z.array(z.string())

export async function loadKeys(storage: Storage, folder: string, file: string): Promise<string[]> {
  const path = joinedPath(folder, file)
  const body = await storage.get(path)
  if (body === undefined) throw new Error(`${path} is gone, and with it which units are joined`)
  return keysShape.parse(JSON.parse(body.toString()))
}

/** Moves a joined file in, under a name that follows from its range and content. Nobody sees it before it is committed. */
export async function putJoined(
  storage: Storage,
  { folder, files }: FolderState,
  { file: local, ...contents }: JoinedRows,
  range: string,
): Promise<{ file: string; n_rows: number; bytes: number; digest: string }> {
  const digest = contents.digest.slice(0, 12)
  const file = freshName(files, range === '' ? digest : `${range}.${digest}`, 'parquet')
  await storage.put(joinedPath(folder, file), { file: local })
  return { file, ...contents }
}

/** A name that nothing in the folder has: vacuum may be about to delete a superseded file. */
export function freshName(files: readonly string[], stem: string, extension: string): string {
  for (let n = 1; ; n++) {
    const name = `${n === 1 ? stem : `${stem}-${n}`}.${extension}`
    if (!files.includes(name)) return name
  }
}

/** A finished local file of joined rows. */
export type JoinedRows = Written & { n_rows: number }
