import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

import type { Lake } from '#lake/lake.ts'
import { assertSnapshot, createLakeTable, latestSnapshot, pinSnapshot, unpinSnapshot } from '#lake/snapshot.ts'
import { lakeTables } from '#lake/sql.ts'
import { interruptsOf, openDuckDB } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { builtinTables, createClock, createRegistryTables } from './builtin_tables.ts'
import { orderModels, type Ordered } from './dag.ts'
import { makeTemporary } from './materialize.ts'
import { layers, type Model } from './model.ts'
import { selectionOf, type PrunedRows } from './pruning.ts'
import { runFold } from './run_fold.ts'

export type BuildSettings = {
  models: readonly Model[]
  /** The instant that the build is as of: nothing later is looked at. */
  asOf: Micros
  /** The snapshot of the lake to read, by default the newest. */
  lakeSnapshot?: number
  threads: number
  memory: string
  /** The machine's clock, for how long things took and when they were built; it never reaches a figure. */
  now: () => Micros
  /** Aborts the build. */
  cancelled?: AbortSignal | undefined
}

type Plan = {
  /** The pin of the snapshot. A build with the same name takes over the pin of a killed one. */
  pin: string
  models: readonly Model[]
  /** The models to make; their inputs are added. */
  wanted: readonly Model[]
  /** Tables that the work creates itself, as `schema.name`. */
  createdTables?: readonly string[]
  /** The rows of a lake table that no model needs. */
  prunedBy: (ordered: readonly Ordered[], table: string) => PrunedRows
}

/** The database of a build, in which the models can be made in their order. */
export type Prepared = {
  instance: DuckDBInstance
  connection: DuckDBConnection
  ordered: readonly Ordered[]
  /** A folder of this build, which is deleted after it. */
  scratch: string
  lakeSnapshot: number
}

/**
 * A join hashes its right side, which models write small. DuckDB would choose the side by estimates, and takes millions
 * of filtered fills for few: three joins then hash all of them at once, which fails where streaming them would not.
 */
const joinsAsWritten = "set global disabled_optimizers = 'build_side_probe_side'"

/**
 * Does some work in a new database with the tables that models read: those of one snapshot of the lake, the clock and
 * the registry. The snapshot is pinned meanwhile, since it may be replaced and expire during a long build.
 */
export async function withPrepared<T>(
  lake: Lake,
  plan: Plan,
  settings: Omit<BuildSettings, 'models'>,
  work: (prepared: Prepared) => Promise<T>,
): Promise<T> {
  const { threads, memory, cancelled } = settings
  const scratch = join(lake.scratch, randomUUID())
  await mkdir(scratch, { recursive: true })
  const instance = await openDuckDB({ threads, memory, scratch })
  const connection = await instance.connect()
  const interrupts = interruptsOf(connection)
  cancelled?.addEventListener('abort', interrupts.begin)
  try {
    await connection.run(joinsAsWritten)
    await connection.run(['lake', ...layers].map((schema) => `create schema ${schema};`).join(' '))
    const tables = [
      ...Object.keys(builtinTables),
      ...lakeTables.map((name) => `lake.${name}`),
      ...(plan.createdTables ?? []),
    ]
    const ordered = await orderModels(connection, plan.models, new Set(tables), plan.wanted)
    if (settings.lakeSnapshot !== undefined) await assertSnapshot(lake.catalog, settings.lakeSnapshot)
    const lakeSnapshot = settings.lakeSnapshot ?? (await latestSnapshot(lake.catalog))
    await pinSnapshot(lake, plan.pin, lakeSnapshot)
    await createInputs(connection, lake, { ordered, lakeSnapshot, asOf: settings.asOf, prunedBy: plan.prunedBy })
    return await work({ instance, connection, ordered, scratch, lakeSnapshot })
  } catch (error) {
    // An interrupted statement is no fault of its model.
    cancelled?.throwIfAborted()
    throw error
  } finally {
    cancelled?.removeEventListener('abort', interrupts.begin)
    interrupts.end()
    await unpinSnapshot(lake, plan.pin)
    connection.closeSync()
    instance.closeSync()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function createInputs(
  connection: DuckDBConnection,
  lake: Lake,
  {
    ordered,
    lakeSnapshot: snapshot,
    asOf,
    prunedBy,
  }: Pick<Prepared, 'ordered' | 'lakeSnapshot'> & Pick<Plan, 'prunedBy'> & { asOf: Micros },
): Promise<void> {
  const isRead = (table: string): boolean => ordered.some(({ reads }) => reads.includes(table))
  for (const table of lakeTables.filter((name) => isRead(`lake.${name}`))) {
    const rows = await selectionOf(lake, table, { snapshot, asOf, pruned: prunedBy(ordered, table) })
    await createLakeTable(connection, lake, table, { snapshot, ...rows })
  }
  await createClock(connection, asOf)
  await createRegistryTables(
    connection,
    ordered.flatMap(({ reads }) => reads),
  )
}

/** Makes the tables of a model for this build only. */
export async function makeTables({ instance, connection, ordered }: Prepared, model: Model): Promise<void> {
  if (model.kind === 'fold') return runFold(instance, model)
  const table = `${model.layer}.${model.name}`
  const n_readers = ordered.filter(({ reads }) => reads.includes(table)).length
  await makeTemporary(connection, model, model.isStored ? n_readers : 1)
}
