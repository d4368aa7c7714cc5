import { join } from 'node:path'

import type { Storage } from '#storage/storage.ts'

import { holderIn, loadFolder } from './compaction/manifest.ts'
import { byFolder, joinedPath, nameOf } from './compaction/paths.ts'
import { coverage } from './datasets/index.ts'
import { lakeTables, lakeTable, type Files, selectFrom } from './sql.ts'

/** A dataset's name and the select over its current files. */
export type LakeView = { name: string; doc: string; select: string }
/**
 * The view of one dataset. It lists its files by name, so that it never reads a superseded one. With a folder for
 * `pins` the files are hard-linked there, so that none is replaced or deleted during the query. Coverage needs no
 * links: DuckDB reads a unit's coverage file at once, and compacted files are never replaced. `begins` limits the view
 * to units whose path, without dataset and extension, begins with one of these.
 */
export const lakeView = (
  storage: Storage,
  table: string,
  pins?: string,
  begins?: readonly string[],
): Promise<LakeView> => viewOf(storage, table, table === coverage.name ? { begins } : { pins, begins })

/** The views of all datasets. With `pins` they remain valid as long as that folder exists. */
export const lakeViews = (storage: Storage, pins?: string): Promise<LakeView[]> =>
  Promise.all(lakeTables.map((table) => viewOf(storage, table, { pins })))

async function viewOf(
  storage: Storage,
  table: string,
  { pins, begins = [''] }: { pins?: string | undefined; begins?: readonly string[] | undefined },
): Promise<LakeView> {
  const { dataset, root } = lakeTable(table)
  const files = await currentFiles(storage, root, begins)
  const held = pins === undefined ? located(storage, files) : await pinned(storage, files, join(pins, table))
  return { name: dataset.name, doc: dataset.doc, select: selectFrom(dataset, held) }
}

/**
 * The paths of the current files, from one listing. The manifests are read after it and name existing compacted files,
 * listed or not. A unit's file counts unless a manifest says that it was compacted. Files are vacuumed a day after they
 * were superseded, so a listed unit is either still there or in a compacted file, never in both.
 */
export async function currentFiles(storage: Storage, root: string, begins: readonly string[] = ['']): Promise<Files> {
  const isAsked = (path: string): boolean => {
    const unit = path.slice(root.length + 1)
    return begins.some((begin) => unit.startsWith(begin) || begin.startsWith(unit))
  }
  const parents = new Set(begins.map((begin) => begin.slice(0, Math.max(begin.lastIndexOf('/'), 0))))
  const listed = await Promise.all([...parents].map((parent) => storage.list(`${root}/${parent}`)))
  const paths = listed.length === 1 ? (listed[0] ?? []) : [...new Set(listed.flat())].sort()
  const folders = await Promise.all(
    [...byFolder(paths)].map(async ([folder, listing]): Promise<Files> => {
      const units = listing.units.filter((path) => isAsked(`${folder}/${nameOf(path)}`))
      if (listing.joined.length === 0) return { units, joined: [] }
      const state = await loadFolder(storage, folder, listing)
      const holder = await holderIn(storage, state, { sweptToo: false })
      const joined = state.joined.filter((entry) => isAsked(`${folder}/${'range' in entry ? entry.range : ''}`))
      return {
        units: units.filter((path) => holder(nameOf(path)) === undefined),
        joined: joined.map(({ file }) => joinedPath(folder, file)),
      }
    }),
  )
  return { units: folders.flatMap(({ units }) => units), joined: folders.flatMap(({ joined }) => joined) }
}

/** The names that DuckDB opens. */
export const located = ({ locate }: Storage, { units, joined }: Files): Files => ({
  units: units.map(locate),
  joined: joined.map(locate),
})

/** A unit that was emptied meanwhile has no file. A missing compacted file means that the lake is damaged. */
async function pinned(storage: Storage, files: Files, folder: string): Promise<Files> {
  const units = await storage.pin(files.units, folder)
  const joined = await storage.pin(files.joined, join(folder, 'joined'))
  if (joined.length !== files.joined.length) {
    throw new Error(
      `lake: ${files.joined.length - joined.length} of ${files.joined.length} compacted files are missing: ${files.joined.join(', ')}`,
    )
  }
  return { units, joined }
}
