import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

import type { Lake } from '#lake/lake.ts'
import { assertSnapshot, createLakeTable, latestSnapshot, pinSnapshot, unpinSnapshot } from '#lake/snapshot.ts'
import { lakeTables } from '#lake/sql.ts'
import { publicationNamed, type PublicationName } from '#snapshots/publications.ts'
import { snapshotId } from '#snapshots/snapshot.ts'
import { interruptsOf, literal, openDuckDB } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { writeMeta, type BuiltTable } from './build_meta.ts'
import { builtinTables, createClock, createRegistryTables } from './builtin_tables.ts'
import { contentHash, modelHash } from './content_hash.ts'
import { orderModels, type Ordered } from './dag.ts'
import { checkTable, derivedFolder, makeTemporary, materialize } from './materialize.ts'
import { isMart, layers, ModelError, type Model } from './model.ts'
import { prunedBy, selectionOf } from './pruning.ts'
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

/** A finished build: a closed DuckDB file with the marts of one publication, not yet published. */
export type Built = {
  id: string
  publication: PublicationName
  file: string
  /** The folder of its derived tables, which no other build uses. */
  derived: string
  asOf: Micros
  lakeSnapshot: number
  tables: BuiltTable[]
}

/**
 * Builds the marts of a publication as of an instant. The same snapshot of the lake and instant give the same rows,
 * hence the same hashes. A publication that materializes runs every model and keeps the tables behind the marts as
 * derived Parquet. Any other one runs only the models that its marts rest on, and keeps only the marts.
 */
export async function buildMarts(lake: Lake, publication: PublicationName, settings: BuildSettings): Promise<Built> {
  const { threads, memory, asOf, now, cancelled } = settings
  const build = randomUUID()
  const [scratch, derived] = [join(lake.scratch, build), `${derivedFolder}/${build}`]
  await mkdir(scratch, { recursive: true })
  const file = `${scratch}.duckdb`
  // The snapshot may be replaced and expire during a long build. The next build takes over the pin of a killed one.
  const pin = `build ${publication}`
  const instance = await openDuckDB({ threads, memory, scratch })
  const connection = await instance.connect()
  await connection.run(joinsAsWritten)
  let isFinished = false
  const interrupts = interruptsOf(connection)
  cancelled?.addEventListener('abort', interrupts.begin)
  try {
    const ordered = await orderFor(connection, publication, settings.models)
    if (settings.lakeSnapshot !== undefined) await assertSnapshot(lake.catalog, settings.lakeSnapshot)
    const lakeSnapshot = settings.lakeSnapshot ?? (await latestSnapshot(lake.catalog))
    await pinSnapshot(lake, pin, lakeSnapshot)
    await prepare(connection, lake, { publication, ordered, asOf, file, lakeSnapshot })
    const context = { lake, instance, connection, scratch, derived, publication, ordered, now }
    const tables: BuiltTable[] = []
    for (const { model } of ordered) {
      cancelled?.throwIfAborted()
      tables.push(...(await runModel(context, model)))
    }
    // The name holds the time of the end, which is when the snapshot replaces another one.
    const id = snapshotId(publication, now())
    await writeMeta(connection, { publication, id, asOf, lakeSnapshot, builtAt: now(), tables })
    await connection.run('checkpoint snapshot; detach snapshot')
    isFinished = true
    return { id, publication, file, derived, asOf, lakeSnapshot, tables }
  } catch (error) {
    // An interrupted statement is no fault of its model.
    cancelled?.throwIfAborted()
    throw error
  } finally {
    cancelled?.removeEventListener('abort', interrupts.begin)
    interrupts.end()
    await unpinSnapshot(lake, pin)
    connection.closeSync()
    instance.closeSync()
    await rm(scratch, { recursive: true, force: true })
    const left = isFinished ? [] : [file, `${file}.wal`, lake.storage.locate(derived)]
    for (const path of left) await rm(path, { recursive: true, force: true })
  }
}

/**
 * A join hashes its right side, which models write small. DuckDB would choose the side by estimates, and takes millions
 * of filtered fills for few: three joins then hash all of them at once, which fails where streaming them would not.
 */
const joinsAsWritten = "set global disabled_optimizers = 'build_side_probe_side'"

/** The models to run, in order. A mart reads no mart of another publication, which is as of another instant. */
function orderFor(
  connection: DuckDBConnection,
  publication: PublicationName,
  models: readonly Model[],
): Promise<Ordered[]> {
  const own = models.filter((model) => !isMart(model) || model.publication === publication)
  const given = new Set([...Object.keys(builtinTables), ...lakeTables.map((name) => `lake.${name}`)])
  return orderModels(
    connection,
    own,
    given,
    publicationNamed(publication).materializes ? own : own.filter((model) => isMart(model)),
  )
}

/** Creates the schemas, the file for the marts, the built-in tables, and the tables of one snapshot of the lake. */
async function prepare(
  connection: DuckDBConnection,
  lake: Lake,
  of: { publication: PublicationName; ordered: readonly Ordered[]; asOf: Micros; file: string; lakeSnapshot: number },
): Promise<void> {
  const { publication, ordered, asOf, file, lakeSnapshot: snapshot } = of
  const { materializes, block_bytes, group_rows } = publicationNamed(publication)
  await connection.run(['lake', ...layers].map((schema) => `create schema ${schema};`).join(' '))
  await connection.run(`attach ${literal(file)} as snapshot (block_size ${block_bytes}, row_group_size ${group_rows})`)
  await connection.run('create schema snapshot.marts; create schema snapshot.meta')
  const isRead = (table: string): boolean => ordered.some(({ reads }) => reads.includes(`lake.${table}`))
  for (const table of lakeTables.filter(isRead)) {
    const pruned = materializes ? { sources: [], hours: null } : prunedBy(ordered, table)
    const rows = await selectionOf(lake, table, { snapshot, asOf, pruned })
    await createLakeTable(connection, lake, table, { snapshot, ...rows })
  }
  await createClock(connection, asOf)
  await createRegistryTables(
    connection,
    ordered.flatMap(({ reads }) => reads),
  )
}

type BuildContext = {
  lake: Lake
  instance: DuckDBInstance
  connection: DuckDBConnection
  scratch: string
  derived: string
  publication: PublicationName
  ordered: readonly Ordered[]
  now: () => Micros
}

async function runModel(context: BuildContext, model: Model): Promise<BuiltTable[]> {
  const { connection, publication, ordered, now } = context
  const { materializes } = publicationNamed(publication)
  const start = now()
  try {
    if (model.kind === 'fold') {
      await runFold(context.instance, model)
      return []
    }
    const table = `${model.layer}.${model.name}`
    const n_readers = ordered.filter(({ reads }) => reads.includes(table)).length
    if (!model.isStored) {
      await makeTemporary(connection, model, 1)
      return []
    }
    if (materializes) {
      // A home without chains has many tables without rows, which have nothing to check.
      if ((await materialize(context, model)) === 0) return []
    } else {
      await makeTemporary(connection, model, n_readers)
      if (!isMart(model)) return []
    }
    const n_rows = await checkTable(connection, model)
    if (!isMart(model)) return []
    const content_hash = await contentHash(connection, table, model.columns)
    const took_s = (now() - start) / 1_000_000
    return [{ name: model.name, n_rows, content_hash, model_hash: modelHash(model), took_s }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ModelError(`model ${model.layer}.${model.name}: ${reason}`, { cause: error })
  }
}
