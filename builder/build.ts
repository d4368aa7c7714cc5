import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import type { Lake } from '#lake/lake.ts'
import { publicationNamed, type PublicationName } from '#snapshots/publications.ts'
import { snapshotId } from '#snapshots/snapshot.ts'
import { literal } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { writeMeta, type BuiltTable } from './build_meta.ts'
import { contentHash, modelHash } from './content_hash.ts'
import { checkTable, derivedFolder, materialize } from './materialize.ts'
import { isMart, ModelError, type Model } from './model.ts'
import { makeTables, withPrepared, type BuildSettings, type Prepared } from './prepare.ts'
import { prunedBy } from './pruning.ts'

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
  const { asOf, now, cancelled } = settings
  const { materializes } = publicationNamed(publication)
  const build = randomUUID()
  const [file, derived] = [join(lake.scratch, `${build}.duckdb`), `${derivedFolder}/${build}`]
  // A mart reads no mart of another publication, which is as of another instant.
  const models = settings.models.filter((model) => !isMart(model) || model.publication === publication)
  const plan = {
    pin: `build ${publication}`,
    models,
    wanted: materializes ? models : models.filter((model) => isMart(model)),
    prunedBy: materializes ? () => ({ sources: [], hours: null }) : prunedBy,
  }
  let isFinished = false
  try {
    const built = await withPrepared(lake, plan, settings, async (prepared) => {
      const { connection, ordered, lakeSnapshot } = prepared
      await attachFile(connection, publication, file)
      const tables: BuiltTable[] = []
      for (const { model } of ordered) {
        cancelled?.throwIfAborted()
        tables.push(...(await runModel({ ...prepared, lake, derived, publication, now }, model)))
      }
      // The name holds the time of the end, which is when the snapshot replaces another one.
      const id = snapshotId(publication, now())
      await writeMeta(connection, { publication, id, asOf, lakeSnapshot, builtAt: now(), tables })
      await connection.run('checkpoint snapshot; detach snapshot')
      return { id, publication, file, derived, asOf, lakeSnapshot, tables }
    })
    isFinished = true
    return built
  } finally {
    const left = isFinished ? [] : [file, `${file}.wal`, lake.local.locate(derived)]
    for (const path of left) await rm(path, { recursive: true, force: true })
  }
}

/** Attaches the new file for the marts. */
async function attachFile(connection: DuckDBConnection, publication: PublicationName, file: string): Promise<void> {
  const { block_bytes, group_rows } = publicationNamed(publication)
  await connection.run(`attach ${literal(file)} as snapshot (block_size ${block_bytes}, row_group_size ${group_rows})`)
  await connection.run('create schema snapshot.marts; create schema snapshot.meta')
}

type BuildContext = Prepared & { lake: Lake; derived: string; publication: PublicationName; now: () => Micros }

async function runModel(context: BuildContext, model: Model): Promise<BuiltTable[]> {
  const { connection, publication, now } = context
  const { materializes } = publicationNamed(publication)
  const start = now()
  try {
    if (model.kind === 'fold' || !model.isStored || !materializes) {
      await makeTables(context, model)
      if (!isMart(model)) return []
    } else if ((await materialize(context, model)) === 0) {
      // A home without chains has many tables without rows, which have nothing to check.
      return []
    }
    const n_rows = await checkTable(connection, model)
    if (!isMart(model)) return []
    const content_hash = await contentHash(connection, `${model.layer}.${model.name}`, model.columns)
    const took_s = (now() - start) / 1_000_000
    return [{ name: model.name, n_rows, content_hash, model_hash: modelHash(model), took_s }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ModelError(`model ${model.layer}.${model.name}: ${reason}`, { cause: error })
  }
}
