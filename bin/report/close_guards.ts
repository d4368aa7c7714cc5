import { z } from 'zod'

import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { literal, openSmallDuckDB, withConnection } from '#storage/duckdb.ts'
import type { Folder } from '#storage/folder.ts'

/** A test of the closes behind closing line value that is not held: `reason` has the figures that are off. */
export type CloseGuard = z.infer<typeof guard>

const guard = z.object({ kind: z.string(), state: z.string(), reason: z.string().nullable() })

/** The tests of the closes in the served scores that are not held. None without scores, or of an earlier version. */
export async function closeGuards(local: Folder): Promise<CloseGuard[]> {
  const id = await currentSnapshot(local, 'scores')
  if (id === undefined) return []
  const instance = await openSmallDuckDB()
  try {
    return await withConnection(instance, async (connection) => {
      await connection.run(`attach ${literal(local.locate(snapshotPath(id)))} as snapshot (read_only)`)
      const columns = await connection.runAndReadAll(
        `select column_name from duckdb_columns() where database_name = 'snapshot' and table_name = 'clv_guards'`,
      )
      if (!columns.getRows().flat().includes('state')) return []
      const rows = await connection.runAndReadAll(
        `select kind, state, reason from snapshot.marts.clv_guards where state <> 'held' order by kind`,
      )
      return z.array(guard).parse(rows.getRowObjectsJson())
    })
  } finally {
    instance.closeSync()
  }
}

/** A line for each: what is missing while a guard is broken. */
export const describeGuards = (guards: readonly CloseGuard[]): string[] =>
  guards.map(({ state, reason }) => {
    const missing = state === 'broken' ? ', so that clv_score is missing for these closes' : ''
    return `closes    ${state}${missing}: ${reason ?? 'no figures'}`
  })
