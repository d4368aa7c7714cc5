import { chmod, copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { coverage } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { createLakeTable, pinSnapshot, unpinSnapshot } from '#lake/snapshot.ts'
import { lakeTable, lakeTables } from '#lake/sql.ts'
import { materializing, publications, type PublicationName } from '#marts/publications.ts'
import { currentSnapshot, snapshotPath } from '#marts/snapshot.ts'
import { chainsDoc, createChains } from '#models/given.ts'
import { castSelect, derivedFolder, derivedPath, derivedSelect } from '#models/materialize.ts'
import { isMart, signature, type Macro, type Model } from '#models/model.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'

/** The file that analysts open; it lies beside the lake. */
export const analystsFile = 'tapeline.duckdb'

/** The contents of the copy: the built tables, and the macros over them. */
type Contents = { models: readonly Model[]; macros: readonly Macro[] }

/**
 * Publishes `tapeline.duckdb`: a copy of the materializing publication with the marts of all others, everything behind them as views
 * over the Parquet files, and the macros that explain them; all of it is described. It is a file of its own, replaced by
 * rename, so that no lock of a client can reach the service, and its views name files that are held for it, so that a
 * client sees one state for as long as it has the copy open. A client that opened it for writing and lives is waited for;
 * what a dead one left behind goes.
 */
export async function publishAnalystsCopy(
  lake: Lake,
  { id: snapshot, derived, lakeSnapshot }: { id: string; derived: string; lakeSnapshot: number },
  contents: Contents,
): Promise<'published' | 'waiting'> {
  const target = lake.storage.locate(analystsFile)
  if (await isHeld(target)) return 'waiting'
  const own = lake.storage.locate(derived)
  const file = join(own, analystsFile)
  await mkdir(own, { recursive: true })
  await copyFile(lake.storage.locate(snapshotPath(snapshot)), file)
  await pinSnapshot(lake, derived, lakeSnapshot)
  await addViews(lake, { ...contents, derived, lakeSnapshot })
  await chmod(file, 0o444)
  // A second name of the same file: by the first one shows later whether a client still has it open.
  const fresh = `${file}.fresh`
  await link(file, fresh).catch(() => copyFile(file, fresh))
  const replaced = await inodeOf(target)
  // The log goes first: a new file beside an old log could not be opened.
  await rm(`${target}.wal`, { force: true })
  await rename(fresh, target)
  // A client may be about to open the one that was replaced just now: it goes the next time.
  await sweepCopies(lake, new Set([await inodeOf(file), replaced]))
  return 'published'
}

const inodeOf = async (file: string): Promise<number | undefined> => (await stat(file).catch(() => undefined))?.ino

/** Whether the analysts' copy is held open for writing, so that it cannot be replaced. */
export const isAnalystsCopyHeld = (lake: Lake): Promise<boolean> => isHeld(lake.storage.locate(analystsFile))

/** Whether a client has the file open for writing: then, and only then, it cannot be opened even for reading. */
const isHeld = (file: string): Promise<boolean> => isLocked(file, 'read_only')

/** Whether DuckDB's own lock keeps a file from being opened; it goes with its owner, also when that one dies. */
async function isLocked(file: string, mode: 'read_only' | 'read_write'): Promise<boolean> {
  if ((await inodeOf(file)) === undefined) return false
  const instance = await openDuckDB({ threads: 1, memory: '256MB', scratch: `${file}.scratch` })
  const connection = await instance.connect()
  try {
    await connection.run(`attach ${literal(file)} as copy (${mode})`)
    return false
  } catch (error) {
    return error instanceof Error && /could not set lock/i.test(error.message)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Removes the derived tables of copies that were replaced, once no client has them open. */
async function sweepCopies(lake: Lake, kept: ReadonlySet<number | undefined>): Promise<void> {
  const root = lake.storage.locate(derivedFolder)
  for (const id of await readdir(root)) {
    const file = join(root, id, analystsFile)
    const inode = await inodeOf(file)
    if (inode !== undefined && kept.has(inode)) continue
    // Only who may write can ask for the lock that a reader's lock refuses.
    await chmod(file, 0o644).catch(() => undefined)
    if (await isLocked(file, 'read_write')) continue
    await rm(join(root, id), { recursive: true, force: true })
    await unpinSnapshot(lake, `${derivedFolder}/${id}`)
  }
}

async function addViews(
  lake: Lake,
  { models, macros, derived, lakeSnapshot }: Contents & { derived: string; lakeSnapshot: number },
): Promise<void> {
  const file = lake.storage.locate(`${derived}/${analystsFile}`)
  const instance = await openDuckDB({ threads: 1, memory: '1GB', scratch: `${file}.scratch` })
  const connection = await instance.connect()
  try {
    await connection.run(`attach ${literal(file)} as copy; use copy`)
    await connection.run('create schema lake; create schema staging; create schema core; create schema metrics')
    for (const table of lakeTables) {
      await createLakeTable(connection, lake, table, { snapshot: lakeSnapshot })
      const kind = table === coverage.name ? 'table' : 'view'
      await connection.run(`comment on ${kind} lake.${table} is ${literal(lakeTable(table).dataset.doc)}`)
    }
    await connection.run(
      `create view core.clock as select any_value(as_of) as as_of from meta.build where publication = '${materializing()}'`,
    )
    await createChains(connection)
    await connection.run(`comment on table core.chains is ${literal(chainsDoc)}`)
    for (const { name, materializes } of publications) if (!materializes) await addMarts(connection, lake, name)
    const marts = await martsIn(connection, 'copy')
    const isThere = (model: Model): boolean => !isMart(model) || marts.includes(model.name)
    // A view that is not stored reads stored tables.
    const ordered = models.filter(isThere).toSorted((a, b) => Number(isStored(b)) - Number(isStored(a)))
    for (const model of ordered) await describe(connection, { lake, derived }, model)
    for (const macro of macros) await addMacro(connection, macro)
    await connection.run('use memory; checkpoint copy; detach copy')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Copies the marts of a publication's current snapshot and their metadata, if there is one. */
async function addMarts(connection: DuckDBConnection, { storage }: Lake, publication: PublicationName): Promise<void> {
  const id = await currentSnapshot(storage, publication)
  if (id === undefined) return
  await connection.run(`attach ${literal(storage.locate(snapshotPath(id)))} as other (read_only)`)
  for (const name of await martsIn(connection, 'other')) {
    await connection.run(`create table marts."${name}" as from other.marts."${name}"`)
  }
  await connection.run('insert into meta.build by name from other.meta.build; detach other')
}

/** The marts of an attached snapshot. What is published may be of another version than what describes it. */
async function martsIn(connection: DuckDBConnection, catalog: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(
    'select table_name from duckdb_tables() where database_name = $catalog and schema_name = $schema',
    { catalog, schema: 'marts' },
  )
  return reader.getRows().map(([name]) => String(name))
}

const isStored = (model: Model): boolean => model.kind === 'fold' || model.isStored

/**
 * A derived table as a view over its file or, if it is not stored, over its select; a mart as the table that it is. Each has
 * the words of its header.
 */
async function describe(
  connection: DuckDBConnection,
  { lake, derived }: { lake: Lake; derived: string },
  model: Model,
): Promise<void> {
  if (model.kind === 'fold') return
  const table = `${model.layer}.${model.name}`
  if (model.layer !== 'marts') {
    const file = lake.storage.locate(derivedPath(derived, model))
    await connection.run(`create view ${table} as ${model.isStored ? derivedSelect(model, file) : castSelect(model)}`)
  }
  await connection.run(`comment on ${model.layer === 'marts' ? 'table' : 'view'} ${table} is ${literal(model.doc)}`)
}

/** A macro reads the tables of the copy by schema and name: of the database that a client uses. */
async function addMacro(connection: DuckDBConnection, { name, parameter, options, doc, sql }: Macro): Promise<void> {
  await connection.run(`create macro core.${name}(${signature(parameter, options)}) as table ${sql}`)
  await connection.run(`comment on macro table core.${name} is ${literal(doc)}`)
}
