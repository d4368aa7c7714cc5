import type { Micros } from '#time.ts'

import { endRows, replaceCoverage } from './catalog/commit_units.ts'
import type { CoverageRow } from './catalog/tables.ts'
import { quarantine, type Dataset } from './datasets/index.ts'
import type { Lake } from './lake.ts'
import { rawPathOf } from './units/unit.ts'

/** A dataset whose rows are kept for `retention_s`, and the sources that fill it. */
export type Retained = { dataset: Dataset & { retention_s: number }; sources: readonly string[] }

/**
 * Drops the rows of units that ended longer ago than their dataset is kept, with the responses and the rejected rows of
 * these units. Coverage says `expired` last, so that a run that is killed goes on where it was. Returns how many units
 * expired.
 */
export async function expireUnits(
  lake: Lake,
  { retained, now, signal }: { retained: readonly Retained[]; now: Micros; signal?: AbortSignal },
): Promise<number> {
  let n_expired = 0
  for (const { dataset, sources } of retained) {
    for (const source of sources) {
      for (const entry of await expiredIn(lake, source, dataset, now)) {
        if (signal?.aborted === true) return n_expired
        await lake.storage.delete(rawPathOf(entry.unit, entry.key))
        await expire(lake, entry, dataset)
        n_expired += 1
      }
    }
  }
  return n_expired
}

const expiredIn = (
  { catalog }: Lake,
  source: string,
  dataset: Retained['dataset'],
  now: Micros,
): Promise<CoverageRow[]> =>
  catalog.db
    .selectFrom('tapeline_coverage')
    .selectAll()
    .where('source', '=', source)
    .where('dataset', '=', dataset.name)
    .where('end_snapshot', 'is', null)
    .where('state', 'not in', ['expired', 'missing', 'unavailable'])
    .where('to_at', '<=', now - dataset.retention_s * 1_000_000)
    .orderBy('unit')
    .execute()

/** Ends the rows of a unit in a dataset, and its rejected rows. The rows of the unit in other datasets stay. */
const expire = ({ catalog }: Lake, { unit }: CoverageRow, { name, retention_s }: Retained['dataset']): Promise<void> =>
  catalog.commit(async (commit) => {
    const entries = commit.tx.selectFrom('tapeline_coverage').selectAll().where('unit', '=', unit)
    const reason = `rows are kept for ${retention_s / 86_400} days`
    const coverage = (await entries.where('end_snapshot', 'is', null).execute()).map((entry) =>
      entry.dataset === name
        ? { ...entry, state: 'expired', n_rows: 0, digest: null, reason, reason_code: 'expired', gaps: null }
        : entry,
    )
    await endRows(commit, { units: [unit], files: [], datasets: [name, quarantine.name] })
    await replaceCoverage(commit, [unit], coverage)
  })
