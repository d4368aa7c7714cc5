/**
 * How a dataset's files lie. A unit's file lies in a folder that it shares with others of its source; what compaction
 * joined lies in `joined/` below it, with the manifests that say which files count:
 *
 *     lake/fills/v1/venue_feed/venue/2026-11-20T13.parquet
 *     lake/fills/v1/venue_feed/venue/joined/2026-11.0f3a….parquet
 *     lake/fills/v1/venue_feed/venue/joined/manifest-00000007.json
 */
export function byFolder(paths: readonly string[]): Map<string, FolderListing> {
  const folders = new Map<string, FolderListing>()
  for (const path of paths) {
    const slash = path.lastIndexOf('/')
    const parent = path.slice(0, slash)
    const isJoined = parent.endsWith(joinedSuffix)
    const folder = isJoined ? parent.slice(0, -joinedSuffix.length) : parent
    const listing = folders.get(folder) ?? { units: [], joined: [] }
    folders.set(folder, listing)
    if (isJoined) listing.joined.push(path.slice(slash + 1))
    else listing.units.push(path)
  }
  return folders
}

/** The paths of the units in a folder, and the names of the files in its `joined/`. */
export type FolderListing = { units: string[]; joined: string[] }

const joinedSuffix = '/joined'

/** The path of a file that compaction wrote, and without a name their folder. */
export const joinedPath = (folder: string, file = ''): string =>
  file === '' ? `${folder}${joinedSuffix}` : `${folder}${joinedSuffix}/${file}`

/** The folder that a unit's file lies in, and its name among those in it: a key, an hour, an instant. */
export function placeOf(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/')
  return { folder: path.slice(0, slash), name: nameOf(path) }
}

/** A unit's name: that of its file, without the extension. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.'))

/**
 * The lengths of the names of ranges, the longest range first. A range holds the names that begin with its own. Of time:
 * `2026-11`, `2026-11-20`, `2026-11-20T13`. Of blocks: ten million, a million, a hundred thousand, ten thousand.
 */
export const rangeLengths = { time: [7, 10, 13], blocks: [5, 6, 7, 8] } as const

const blockUnit = /^\d{12}-\d{12}$/

/** The ranges that hold the name of a unit, the longest first. */
export const rangesOf = (name: string): string[] =>
  rangeLengths[blockUnit.test(name) ? 'blocks' : 'time'].map((length) => name.slice(0, length))
