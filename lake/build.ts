import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'

import type { Micros } from './columns.ts'
import { coverage } from './datasets.ts'
import { literal, openDuckDB } from './duckdb.ts'
import { runFold } from './fold.ts'
import { contentHash, modelHash } from './hash.ts'
import type { Lake } from './lake.ts'
import { checkTable, materialize } from './materialize.ts'
import { layers, ModelError, type Model } from './model.ts'
import { orderModels } from './order.ts'
import { snapshotId } from './snapshot.ts'
import { isoMicros } from './store.ts'
import { lakeTables, lakeView } from './views.ts'

export type BuildSettings = {
  models: readonly Model[]
  /** The instant that the build is as of: nothing later is looked at. */
  asOf: Micros
  threads: number
  memory: string
  /** The machine's clock, for how long things took and when they were built; it never reaches a figure. */
  now: () => Micros
}

/** A table of a build, as `meta.build` tells it. */
export type BuiltTable = { name: string; n_rows: number; content_hash: string; model_hash: string; took_s: number }

/** A finished build: a closed DuckDB file with the marts, not yet published. */
export type Built = { id: string; file: string; asOf: Micros; tables: BuiltTable[] }

/** Runs all models as of an instant. The same lake and the same instant give the same rows, hence the same hashes. */
export async function buildMarts(lake: Lake, settings: BuildSettings): Promise<Built> {
  const scratch = join(lake.scratch, randomUUID())
  await mkdir(scratch, { recursive: true })
  const file = `${scratch}.duckdb`
  const instance = await openDuckDB({ threads: settings.threads, memory: settings.memory, scratch })
  const connection = await instance.connect()
  let isFinished = false
  try {
    const given = await prepare(connection, lake, { asOf: settings.asOf, file, pins: join(scratch, 'lake') })
    const tables: BuiltTable[] = []
    for (const model of await orderModels(connection, settings.models, given)) {
      tables.push(...(await runModel({ lake, instance, connection, scratch, now: settings.now }, model)))
    }
    // Named when it is done: by its name is told how long ago it replaced another.
    const id = snapshotId(settings.now())
    await writeMeta(connection, { id, asOf: settings.asOf, builtAt: settings.now(), tables })
    await connection.run('checkpoint snapshot; detach snapshot')
    isFinished = true
    return { id, file, asOf: settings.asOf, tables }
  } finally {
    connection.closeSync()
    instance.closeSync()
    await rm(scratch, { recursive: true, force: true })
    if (!isFinished) for (const left of [file, `${file}.wal`]) await rm(left, { force: true })
  }
}

/**
 * Makes the schemas, the lake, the clock, and the file for the marts. Returns the tables that exist. The lake stands
 * still for the build, whatever is stored meanwhile: coverage is read once, and then the files are held. What is stored
 * in between is there without being covered, and staging counts only what is.
 */
async function prepare(
  connection: DuckDBConnection,
  lake: Lake,
  { asOf, file, pins }: { asOf: Micros; file: string; pins: string },
): Promise<Set<string>> {
  await connection.run(['lake', ...layers].map((schema) => `create schema ${schema};`).join(' '))
  await connection.run(`attach ${literal(file)} as snapshot; create schema snapshot.marts; create schema snapshot.meta`)
  const { select: entries } = await lakeView(lake.storage, coverage.name)
  await connection.run(`create table lake.coverage as ${entries}`)
  for (const table of lakeTables.filter((name) => name !== coverage.name)) {
    const { select } = await lakeView(lake.storage, table, pins)
    await connection.run(`create view lake.${table} as ${select}`)
  }
  await connection.run(`create table core.clock as select timestamp ${literal(isoMicros(asOf))} as as_of`)
  return new Set(['core.clock', ...lakeTables.map((name) => `lake.${name}`)])
}

type BuildContext = {
  lake: Lake
  instance: DuckDBInstance
  connection: DuckDBConnection
  scratch: string
  now: () => Micros
}

async function runModel(context: BuildContext, model: Model): Promise<BuiltTable[]> {
  const start = context.now()
  try {
    if (model.kind === 'fold') {
      await runFold(context.instance, model)
      return []
    }
    await materialize(context, model)
    const n_rows = await checkTable(context.connection, model)
    if (model.layer !== 'marts') return []
    const content_hash = await contentHash(context.connection, `marts.${model.name}`, model.columns)
    const took_s = (context.now() - start) / 1_000_000
    return [{ name: model.name, n_rows, content_hash, model_hash: modelHash(model), took_s }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ModelError(`model ${model.layer}.${model.name}: ${reason}`, { cause: error })
  }
}

async function writeMeta(
  connection: DuckDBConnection,
  { id, asOf, builtAt, tables }: { id: string; asOf: Micros; builtAt: Micros; tables: readonly BuiltTable[] },
): Promise<void> {
  await connection.run(
    `create table snapshot.meta.build (name varchar, publish varchar, snapshot_id varchar, as_of timestamp, n_rows bigint,
       content_hash varchar, model_hash varchar, built_at timestamp, took_s double)`,
  )
  for (const { name, n_rows, content_hash, model_hash, took_s } of tables) {
    await connection.run(
      `insert into snapshot.meta.build values (${literal(name)}, 'scores', ${literal(id)}, ${literal(isoMicros(asOf))},
         ${n_rows}, ${literal(content_hash)}, ${literal(model_hash)}, ${literal(isoMicros(builtAt))}, ${took_s})`,
    )
  }
}
