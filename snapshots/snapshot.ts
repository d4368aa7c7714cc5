import { randomUUID } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import type { Folder } from '#storage/folder.ts'
import type { Micros } from '#time.ts'

import { materializing, publicationNames, type PublicationName } from './publications.ts'

/** The file that names the current snapshots, `{"scores": "<id>", "pulse": "<id>"}`. It is replaced as a whole. */
export const pointerPath = 'marts/current.json'

/** A name for a snapshot made now: `pulse-20261120T061332Z-c06aec44`. Names of a publication sort by time. */
export const snapshotId = (publication: PublicationName, now: Micros): string =>
  `${publication}-${new Date(now / 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomUUID().slice(0, 8)}`

/** The publication of a snapshot. Ids of the first version have no publication's name and belong to `scores`. */
export const publicationOf = (id: string): PublicationName =>
  publicationNames().find((name) => id.startsWith(`${name}-`)) ?? materializing()

/** The file of a snapshot: written once, under its own name. */
export const snapshotPath = (id: string): string => `marts/${id}.duckdb`

/** The SHA-256 of a snapshot's file, in hex. It is stored before the pointer names the snapshot. */
export const digestPath = (id: string): string => `marts/${id}.sha256`

/** The id of a publication's current snapshot; undefined before the first. */
export async function currentSnapshot(folder: Folder, publication: PublicationName): Promise<string | undefined> {
  return (await readPointer(folder))[publication]
}

/** Makes a snapshot the current one of its publication. Two callers at once would lose one of the changes. */
export async function pointTo(folder: Folder, id: string): Promise<void> {
  const ids = { ...(await readPointer(folder)), [publicationOf(id)]: id }
  await folder.put(pointerPath, Buffer.from(JSON.stringify(ids)))
}

type Ids = Record<string, string>

async function readPointer(folder: Folder): Promise<Ids> {
  const stored = await folder.get(pointerPath)
  return stored === undefined ? {} : parsePointer(stored.toString())
}

/** Throws if the text is no pointer. Publications that this version does not know are preserved. */
const parsePointer = (text: string): Ids => z.record(z.string(), z.string()).parse(JSON.parse(text))

/** The current snapshots of a folder, by publication; null before the first. Throws if the pointer names none. */
export async function readPublished(dir: string): Promise<Partial<Record<PublicationName, string>> | null> {
  const path = join(dir, 'current.json')
  let text
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const ids = parsePointer(text)
  const entries = publicationNames().flatMap((name) => (ids[name] === undefined ? [] : [[name, ids[name]] as const]))
  const isValid = entries.every(([name, id]) => /^[\w-][\w.-]*$/.test(id) && publicationOf(id) === name)
  if (entries.length > 0 && isValid) return Object.fromEntries(entries)
  throw new Error(`${path}: no snapshot named; expected {"<publication>": "<publication>-<id>"}`)
}

/**
 * The snapshots that the newest one of a publication replaced, each with the time at which its successor was finished.
 */
export async function listReplaced(dir: string, newest: string): Promise<{ id: string; replacedAt: Micros }[]> {
  const ids = (await readdir(dir))
    .filter((name) => name.endsWith('.duckdb'))
    .map((name) => name.slice(0, -'.duckdb'.length))
    .filter((id) => publicationOf(id) === publicationOf(newest))
  const files = await Promise.all(ids.map(async (id) => ({ id, at_ms: await finishedAt(dir, id) })))
  const inOrder = files.toSorted((a, b) => a.at_ms - b.at_ms)
  const successors = inOrder.slice(1)
  const newestIndex = inOrder.findIndex(({ id }) => id === newest)
  return inOrder
    .slice(0, newestIndex === -1 ? undefined : newestIndex)
    .map(({ id }, i) => ({ id, replacedAt: Math.round((successors[i]?.at_ms ?? 0) * 1_000) }))
}

/** 0 if the file is deleted before the call. */
const finishedAt = (dir: string, id: string): Promise<number> =>
  stat(join(dir, `${id}.duckdb`)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

/** Deletes the snapshots of a publication that were replaced more than `keep_s` ago. */
export async function sweepSnapshots(
  folder: Folder,
  { publication, now, keep_s }: { publication: PublicationName; now: Micros; keep_s: number },
): Promise<void> {
  const current = await currentSnapshot(folder, publication)
  const files = (await folder.list('marts'))
    .map((path) => ({ path, id: /^marts\/(.*)\.duckdb$/.exec(path)?.[1] ?? '' }))
    .filter(({ id }) => !Number.isNaN(stampOf(id)) && publicationOf(id) === publication)
    .toSorted((a, b) => stampOf(a.id) - stampOf(b.id))
  for (const [index, { path, id }] of files.entries()) {
    const replacedBy = files[index + 1]
    // Names of the same second, and names after a clock was set back, are not in order. The pointer decides.
    if (replacedBy === undefined || id === current) continue
    if (stampOf(replacedBy.id) >= now / 1000 - keep_s * 1_000) continue
    for (const gone of [path, digestPath(id)]) await folder.delete(gone)
  }
}

/** The time in a snapshot's name, in milliseconds; NaN for another file. */
const stampOf = (id: string): number => {
  const [, year, month, day, hour, minute, second] =
    /^(?:[a-z_]+-)?(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(id) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
}
