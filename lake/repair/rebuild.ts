import { rebuildingKey, type Catalog, type Commit } from '#lake/catalog/catalog.ts'
import { addFile, chunks } from '#lake/catalog/commit_units.ts'
import { formerReason } from '#lake/catalog/former_reasons.ts'
import type { CoverageRow } from '#lake/catalog/tables.ts'
import { WorldMismatch } from '#lake/lake.ts'

import type { FoundEntry, FoundFile } from './found_files.ts'
import { isRetained, liveUnits, type LiveUnit } from './live_units.ts'

/**
 * Fills a new catalog with the newest reading of each unit of some data files, in one transaction. `n_missing` counts the
 * units that have lost a file.
 */
export async function rebuildCatalog(
  catalog: Catalog,
  files: readonly FoundFile[],
): Promise<{ n_files: number; n_units: number; n_missing: number }> {
  const live = liveUnits(files)
  const world = worldOf(files)
  let n_files = 0
  await catalog.commit(async (commit) => {
    for (const file of files) {
      const units = file.units.map((unit) => ({
        ...unit,
        isSuperseded: live.get(unit.unit)?.files.get(file.dataset) !== file,
      }))
      if (units.every(({ isSuperseded }) => isSuperseded)) continue
      await addFile(catalog, commit, { ...file, units })
      n_files += 1
    }
    await addCoverage(commit, [...live.values()].flatMap(coverageOf))
    if (world !== undefined)
      await commit.tx.insertInto('tapeline_metadata').values({ key: 'world', value: world }).execute()
    await commit.tx.deleteFrom('tapeline_metadata').where('key', '=', rebuildingKey).execute()
  })
  const n_missing = [...live.values()].filter(({ isPart }) => isPart).length
  return { n_files, n_units: live.size - n_missing, n_missing }
}

function worldOf(files: readonly FoundFile[]): string | undefined {
  const [world, other] = new Set(files.map((file) => file.world))
  if (world !== undefined && other !== undefined) throw new WorldMismatch(world, other)
  return world
}

const coverageOf = ({ entries, storedAt, files, isPart }: LiveUnit): CoverageRow[] =>
  entries.map((entry) => {
    if (isPart) return missingOf(entry, storedAt)
    const file = entry.n_rows > 0 ? files.get(entry.dataset) : undefined
    if (entry.n_rows > 0 && file === undefined && isRetained(entry.dataset)) return droppedOf(entry, storedAt)
    const digest = file === undefined ? entry.digest : digestIn(file, entry)
    return { ...entry, digest, ...unknownAsked, ...formerReason(entry), checked_at: storedAt }
  })

const unknownAsked = { asked: '[]', verified: '[]', upstream_at: null, n_read: null, n_rejected: null, resume: null }

/** A unit that has lost a file is missing in all datasets, so that it is read again. */
const missingOf = (entry: FoundEntry, checked_at: number): CoverageRow => ({
  ...entry,
  state: 'missing',
  n_rows: 0,
  digest: null,
  reason: 'a data file of the unit was lost before the repair',
  reason_code: 'lost',
  gaps: null,
  ...unknownAsked,
  checked_at,
})

/** Rows with a retention whose file is gone were dropped before the repair. */
const droppedOf = (entry: FoundEntry, checked_at: number): CoverageRow => ({
  ...entry,
  state: 'expired',
  n_rows: 0,
  digest: null,
  reason: 'the rows were dropped before the repair',
  reason_code: 'expired',
  gaps: null,
  ...unknownAsked,
  checked_at,
})

/**
 * The digest of a unit's rows. A merged file holds the digest of each file that it replaced, also if a single unit is
 * left in it. A file of one reading cannot hold its own digest.
 */
const digestIn = (file: FoundFile, { unit, dataset }: FoundEntry): string =>
  file.entries.find((entry) => entry.unit === unit && entry.dataset === dataset)?.digest ?? file.digest

async function addCoverage({ tx, snapshot, changed }: Commit, rows: readonly CoverageRow[]): Promise<void> {
  for (const part of chunks(rows)) {
    const values = part.map((row) => ({ ...row, begin_snapshot: snapshot, end_snapshot: null }))
    await tx.insertInto('tapeline_coverage').values(values).execute()
  }
  changed('coverage')
}
