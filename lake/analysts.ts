import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { literal, openDuckDB } from './duckdb.ts'
import type { Lake } from './lake.ts'
import { derivedPath, derivedSelect } from './materialize.ts'
import type { Model } from './model.ts'
import { snapshotPath } from './snapshot.ts'
import { lakeViews } from './views.ts'

/** The file that analysts open; it lies beside the lake. */
export const analystsFile = 'tapeline.duckdb'

/**
 * Publishes `tapeline.duckdb`: a copy of the marts with everything behind them as views over the Parquet files, and
 * every table described. It is a file of its own, replaced by rename, so that no lock of a client can reach the
 * service. A client that opened it for writing and lives is waited for; what a dead one left behind goes.
 */
export async function publishAnalystsCopy(
  lake: Lake,
  snapshot: string,
  models: readonly Model[],
): Promise<'published' | 'waiting'> {
  const target = lake.storage.locate(analystsFile)
  if (await isHeld(target)) return 'waiting'
  await mkdir(lake.scratch, { recursive: true })
  const file = join(lake.scratch, `${snapshot}.analysts.duckdb`)
  await copyFile(lake.storage.locate(snapshotPath(snapshot)), file)
  await addViews(lake, file, models)
  await chmod(file, 0o444)
  // The log goes first: a new file beside an old log could not be opened.
  await rm(`${target}.wal`, { force: true })
  await rename(file, target)
  return 'published'
}

/** Whether the analysts' copy is held open for writing, so that it cannot be replaced. */
export const isAnalystsCopyHeld = (lake: Lake): Promise<boolean> => isHeld(lake.storage.locate(analystsFile))

/** Whether a client has the file open for writing: then, and only then, it cannot be opened even for reading. */
async function isHeld(file: string): Promise<boolean> {
  const log = await stat(`${file}.wal`).catch(() => undefined)
  if (log === undefined) return false
  const instance = await openDuckDB({ threads: 1, memory: '256MB', scratch: `${file}.scratch` })
  const connection = await instance.connect()
  try {
    await connection.run(`attach ${literal(file)} as copy (read_only)`)
    return false
  } catch (error) {
    return error instanceof Error && /could not set lock/i.test(error.message)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function addViews(lake: Lake, file: string, models: readonly Model[]): Promise<void> {
  const instance = await openDuckDB({ threads: 1, memory: '1GB', scratch: `${file}.scratch` })
  const connection = await instance.connect()
  try {
    await connection.run(`attach ${literal(file)} as copy; use copy`)
    await connection.run('create schema lake; create schema staging; create schema core; create schema metrics')
    for (const view of await lakeViews(lake.storage)) {
      await connection.run(`create view lake.${view.name} as ${view.select}`)
      await connection.run(`comment on view lake.${view.name} is ${literal(view.doc)}`)
    }
    await connection.run('create view core.clock as select any_value(as_of) as as_of from meta.build')
    for (const model of models) await describe(connection, lake, model)
    await connection.run('use memory; checkpoint copy; detach copy')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** A derived table as a view over its file, a mart as the table that it is; both with the words of their header. */
async function describe(connection: DuckDBConnection, lake: Lake, model: Model): Promise<void> {
  if (model.kind === 'fold') return
  const table = `${model.layer}.${model.name}`
  if (model.layer !== 'marts') {
    const select = derivedSelect(model, lake.storage.locate(derivedPath(model)))
    await connection.run(`create view ${table} as ${select}`)
  }
  await connection.run(`comment on ${model.layer === 'marts' ? 'table' : 'view'} ${table} is ${literal(model.doc)}`)
}
