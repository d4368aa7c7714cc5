/**
 * Which files of a dataset count. Compaction joins small files into larger ones and never removes what it joined, so
 * a reader drops the superseded ones; which they are is a pure function of the listing.
 *
 *  - On a grid (hours, instants, block ranges) a file's name is its range: a file whose range lies inside another's
 *    of the same folder is dropped. `2026-11-20.parquet` holds `2026-11-20T13.parquet`.
 *  - Keyed units (markets, accounts) are joined into `merged-<hash>.parquet` with a sidecar `merged-<hash>.json`
 *    that names the files joined: exactly those are dropped, as long as the joined file is there.
 */
export function currentFiles(paths: readonly string[], sidecars: ReadonlyMap<string, readonly string[]>): string[] {
  const present = new Set(paths)
  const joined = new Set<string>()
  for (const [sidecar, files] of sidecars) {
    if (present.has(sidecar.replace(/json$/, 'parquet'))) for (const file of files) joined.add(file)
  }
  const folders = new Map<string, Span[]>()
  const current: string[] = []
  for (const path of paths) {
    if (!path.endsWith('.parquet') || joined.has(path)) continue
    const span = spanOf(path)
    if (span === undefined) current.push(path)
    else push(folders, span)
  }
  for (const spans of folders.values()) current.push(...outermost(spans))
  return current.sort()
}

/** The name of the sidecars that `currentFiles` wants to be read. */
export const isSidecar = (path: string): boolean => /\/merged-[^/]+\.json$/.test(path)

type Span = { path: string; folder: string; first: string; last: string }

/** The range that a file's name states; undefined for a keyed unit. */
function spanOf(path: string): Span | undefined {
  const slash = path.lastIndexOf('/')
  const folder = path.slice(0, slash)
  const name = path.slice(slash + 1, -'.parquet'.length)
  // The end of a stamp is the last instant that starts with it: `~` sorts after every digit, `-` and `T`.
  if (/^\d{4}(-\d\d(-\d\d(T\d\d(\d\d)?)?)?)?$/.test(name)) return { path, folder, first: name, last: `${name}~` }
  const blocks = /^(\d{12})-(\d{12})$/.exec(name)
  return blocks === null ? undefined : { path, folder, first: blocks[1] ?? '', last: blocks[2] ?? '' }
}

/** Drops each span that lies inside another: one pass over spans sorted by start, the longer first. */
function outermost(spans: Span[]): string[] {
  const sorted = spans.toSorted((a, b) => compare(a.first, b.first) || compare(b.last, a.last))
  const kept: string[] = []
  let reach = ''
  for (const { path, last } of sorted) {
    if (last <= reach) continue
    kept.push(path)
    reach = last
  }
  return kept
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const push = (folders: Map<string, Span[]>, span: Span): void => {
  const spans = folders.get(span.folder)
  if (spans === undefined) folders.set(span.folder, [span])
  else spans.push(span)
}
