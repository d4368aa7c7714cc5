import { coverage, quarantine, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { lakeTable } from '#lake/sql.ts'
import { coverageStates, type KnownUnit } from '#lake/units/coverage_states.ts'
import type { UnitKind } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import { blockGrid, livesToJoin, rangesToJoin, rowsIn, timeGrid, type Contents, type Join } from './choose.ts'
import { joinFiles } from './compact_folder.ts'
import { holderIn, loadFolder, type Joined } from './manifest.ts'
import { byFolder, nameOf } from './paths.ts'

/** What compaction has to know of a source. `settle_s`: seconds after its end until a unit is closed for good. */
export type CompactedSource = { name: string; kind: UnitKind; settle_s: number; datasets: readonly DatasetName[] }

export type Compaction = {
  sources: readonly CompactedSource[]
  now: Micros
  /** Ends it after the file that is being written; what is joined stays joined. */
  signal?: AbortSignal
  onProgress?: (sofar: Compacted) => void
  /** Only reports the files to merge now, not later merges of the results. */
  dryRun?: boolean
  /** The most files to write in one call; 200 where it is not said. */
  maxFiles?: number
}

export type Compacted = {
  /** The files written, or in a dry run those that would be. `range` is `''` where lives are joined. */
  joins: { folder: string; range: string; n_files: number; n_rows: number }[]
  n_files_joined: number
  bytes_before: number
  bytes_after: number
  /** Joins given up, since something of theirs was stored meanwhile; they come again. */
  n_conflicts: number
  /** Whether there is nothing left to join now. */
  isFinished: boolean
}

/**
 * Joins small files of closed units into larger ones, rows and coverage alike; vacuum removes the small ones later. A reader
 * sees each row once at any moment, a crash leaves nothing but files that nobody reads, and the next call goes on. Any
 * number may run at once: of two that change the same folder, one gives up.
 */
export async function compactLake(lake: Lake, compaction: Compaction): Promise<Compacted> {
  const done: Compacted = {
    joins: [],
    n_files_joined: 0,
    bytes_before: 0,
    bytes_after: 0,
    n_conflicts: 0,
    isFinished: false,
  }
  for (const source of compaction.sources) {
    for (const [folder, tables] of await foldersOf(lake, source)) {
      const hasBudgetLeft = await compactFolder({ lake, compaction, source, done }, folder, tables)
      if (!hasBudgetLeft) return done
    }
  }
  return { ...done, isFinished: done.n_conflicts === 0 }
}

type Run = { lake: Lake; compaction: Compaction; source: CompactedSource; done: Compacted }

/**
 * The folders of a source (`<source>/<part>`, of lives also two letters below it) with the tables that may have
 * something to join there. Sorted, so that two runs over the same files do the same.
 */
async function foldersOf({ storage }: Lake, source: CompactedSource): Promise<Map<string, string[]>> {
  const folders = new Map<string, string[]>()
  for (const table of [...source.datasets, quarantine.name, coverage.name]) {
    const { root } = lakeTable(table)
    for (const [path, { units, joined }] of byFolder(await storage.list(`${root}/${source.name}`))) {
      if (units.length + joined.length < leastFiles(source)) continue
      const folder = path.slice(root.length + 1)
      folders.set(folder, [...(folders.get(folder) ?? []), table])
    }
  }
  return new Map([...folders].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** With fewer files there is nothing to join. */
const leastFiles = ({ kind }: CompactedSource): number => (kind === 'history' ? 8 : 2)

/** What counts of a table in a folder. */
type Loose = { table: string; path: string; names: string[]; joined: Joined[] }

async function looseIn({ storage }: Lake, table: string, folder: string): Promise<Loose> {
  const path = `${lakeTable(table).root}/${folder}`
  const listing = byFolder(await storage.list(path)).get(path) ?? { units: [], joined: [] }
  const state = await loadFolder(storage, path, listing)
  const holder = await holderIn(storage, state, { sweptToo: false })
  const names = listing.units.map(nameOf).filter((name) => holder(name) === undefined)
  return { table, path, names, joined: state.joined }
}

/** Joins what there is to join in a folder; false when the run is over before that is done. */
async function compactFolder(run: Run, folder: string, tables: readonly string[]): Promise<boolean> {
  const { lake, compaction, source } = run
  const all = await Promise.all(tables.map((table) => looseIn(lake, table, folder)))
  const first = all.filter(({ names, joined }) => names.length + joined.length >= leastFiles(source))
  if (first.length === 0) return true
  const from = first.flatMap(({ names }) => names).reduce((least, name) => (name < least ? name : least), '~')
  const known = await coverageStates(lake, { folder, kind: source.kind, from })
  for (let loose of first) {
    for (;;) {
      const joins = joinsIn(source, loose, known, compaction.now)
      if (joins.length === 0) break
      const outcome = await joinAll(run, loose, joins)
      if (outcome === 'over') return false
      if (outcome === 'disturbed' || compaction.dryRun === true) break
      // What was joined may be joined further: a month of days, a larger file of lives.
      loose = await looseIn(lake, loose.table, folder)
    }
  }
  return true
}

function joinsIn(
  { kind, settle_s }: CompactedSource,
  { table, names, joined }: Loose,
  known: ReadonlyMap<string, KnownUnit>,
  now: Micros,
): Join[] {
  const units = names.map((name) => {
    const unit = known.get(name)
    const n_rows = table === coverage.name ? unit?.n_rows.size : unit?.n_rows.get(table)
    return { name, n_rows: n_rows ?? 0, isClosed: unit?.isClosed === true }
  })
  if (kind === 'history') return livesToJoin({ units, joined, open: [] })
  const open = [...known].flatMap(([name, { isClosed }]) => (isClosed ? [] : [name]))
  const contents: Contents = { units, joined, open }
  return rangesToJoin(contents, kind === 'blocks' ? blockGrid(contents) : timeGrid(now, settle_s))
}

/** Joins one after the other; each is whole by itself. */
async function joinAll(
  { lake, compaction, done }: Run,
  { table, path }: Loose,
  joins: readonly Join[],
): Promise<'joined' | 'disturbed' | 'over'> {
  const { dataset } = lakeTable(table)
  const n_before = done.n_conflicts
  for (const join of joins) {
    if (compaction.signal?.aborted === true || done.joins.length >= (compaction.maxFiles ?? 200)) return 'over'
    const planned = {
      n_files: join.units.length + join.joined.length,
      n_rows: rowsIn(join),
      bytes_before: 0,
      bytes_after: 0,
    }
    const result = compaction.dryRun === true ? planned : await joinFiles(lake, { dataset, folder: path, join })
    if (result === undefined) {
      done.n_conflicts += 1
      continue
    }
    done.joins.push({ folder: path, range: join.range, n_files: result.n_files, n_rows: result.n_rows })
    done.n_files_joined += result.n_files
    done.bytes_before += result.bytes_before
    done.bytes_after += result.bytes_after
    compaction.onProgress?.(done)
  }
  return done.n_conflicts > n_before ? 'disturbed' : 'joined'
}
