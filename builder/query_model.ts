import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'

import type { Lake } from '#lake/lake.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { literal } from '#storage/duckdb.ts'

import type { Pruning } from './model.ts'
import { makeTables, withPrepared, type BuildSettings } from './prepare.ts'
import { widestPruning } from './pruning.ts'

/**
 * Slow inputs of a query: tables that are read from marts of the current snapshot of a publication instead of being
 * built, such as `metrics.signal_markets` from `marts.signal_markets`.
 */
type Slow = { publication: PublicationName; marts: Readonly<Record<string, string>> }

type Queried = {
  /** The model, as `layer.name`. */
  model: string
  slow: Slow
  /** Rows of the lake that the model does not need. */
  prunes: readonly Pruning[]
}

/**
 * The rows of one model as of an instant, in no order; null before the first snapshot with the slow inputs. Builds the
 * models that it rests on for this query only, and publishes nothing.
 */
export async function queryModel(
  lake: Lake,
  { model, slow, prunes }: Queried,
  settings: BuildSettings,
): Promise<Record<string, DuckDBValue>[] | null> {
  const id = await currentSnapshot(lake.local, slow.publication)
  if (id === undefined) return null
  const plan = {
    pin: `query ${model}`,
    models: settings.models,
    wanted: settings.models.filter(({ layer, name }) => `${layer}.${name}` === model),
    createdTables: Object.keys(slow.marts),
    prunedBy: (_: unknown, table: string) => widestPruning([prunes.filter((pruning) => pruning.table === table)]),
  }
  return withPrepared(lake, plan, settings, async (prepared) => {
    const { connection, ordered } = prepared
    if (!(await attachSlow(connection, lake.local.locate(snapshotPath(id)), slow))) return null
    for (const input of ordered) await makeTables(prepared, input.model)
    return (await connection.runAndReadAll(`from ${model}`)).getRowObjects()
  })
}

/** Creates the slow inputs. False if the snapshot, of an earlier version, lacks one. */
async function attachSlow(connection: DuckDBConnection, file: string, { marts }: Slow): Promise<boolean> {
  await connection.run(`attach ${literal(file)} as slow (read_only)`)
  const reader = await connection.runAndReadAll(
    `select table_name from duckdb_tables() where database_name = 'slow' and schema_name = 'marts'`,
  )
  const there = new Set(reader.getRows().map(([name]) => String(name)))
  for (const [table, mart] of Object.entries(marts)) {
    if (!there.has(mart)) return false
    await connection.run(`create view ${table} as from slow.marts.${mart}`)
  }
  return true
}
