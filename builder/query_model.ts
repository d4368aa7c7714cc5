import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'

import type { Lake } from '#lake/lake.ts'
import { createLakeTable, latestSnapshot, pinSnapshot, unpinSnapshot } from '#lake/snapshot.ts'
import { lakeTables } from '#lake/sql.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'

import type { BuildSettings } from './build.ts'
import { builtinTables, createClock, createRegistryTables } from './builtin_tables.ts'
import { orderModels } from './dag.ts'
import { makeTemporary } from './materialize.ts'
import type { Pruning } from './model.ts'
import { selectionOf } from './pruning.ts'
import { runFold } from './run_fold.ts'

/**
 * Slow inputs of a query: tables that are read from marts of the current snapshot of a publication instead of being
 * built, such as `metrics.signal_markets` from `marts.signal_markets`.
 */
export type Slow = { publication: PublicationName; marts: Readonly<Record<string, string>> }

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
  const id = await currentSnapshot(lake.storage, slow.publication)
  if (id === undefined) return null
  const { threads, memory, asOf } = settings
  const scratch = join(lake.scratch, randomUUID())
  await mkdir(scratch, { recursive: true })
  const pin = `query ${model}`
  const instance = await openDuckDB({ threads, memory, scratch })
  const connection = await instance.connect()
  try {
    if (!(await attachSlow(connection, lake.storage.locate(snapshotPath(id)), slow))) return null
    const given = [
      ...Object.keys(builtinTables),
      ...lakeTables.map((name) => `lake.${name}`),
      ...Object.keys(slow.marts),
    ]
    const wanted = settings.models.filter((one) => `${one.layer}.${one.name}` === model)
    const ordered = await orderModels(connection, settings.models, new Set(given), wanted)
    const snapshot = await latestSnapshot(lake.catalog)
    await pinSnapshot(lake, pin, snapshot)
    for (const table of lakeTables.filter((one) => ordered.some(({ reads }) => reads.includes(`lake.${one}`)))) {
      const own = prunes.filter((one) => one.table === table)
      const sources = own.flatMap((one) => ('source' in one ? [one.source] : []))
      const hours = own.flatMap((one) => ('hours' in one ? [one.hours] : []))
      const rows = await selectionOf(lake, table, { snapshot, asOf, pruned: { sources, hours: hours[0] ?? null } })
      await createLakeTable(connection, lake, table, { snapshot, ...rows })
    }
    await createClock(connection, asOf)
    await createRegistryTables(connection)
    for (const { model: one } of ordered) {
      const n_readers = ordered.filter(({ reads }) => reads.includes(`${one.layer}.${one.name}`)).length
      if (one.kind === 'fold') await runFold(instance, one)
      else await makeTemporary(connection, one, n_readers)
    }
    return (await connection.runAndReadAll(`from ${model}`)).getRowObjects()
  } finally {
    await unpinSnapshot(lake, pin)
    connection.closeSync()
    instance.closeSync()
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Creates the schemas and the slow inputs. False if the snapshot, of an earlier version, lacks one. */
async function attachSlow(connection: DuckDBConnection, file: string, { marts }: Slow): Promise<boolean> {
  await connection.run(['lake', 'staging', 'core', 'metrics', 'marts'].map((one) => `create schema ${one};`).join(' '))
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
