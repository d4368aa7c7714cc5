import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'

import { NewerLake } from '#lake/format.ts'
import { stored as datasets } from '#lake/sql.ts'
import { machineClock } from '#time.ts'

import { addColumns } from './add_columns.ts'
import type { Database } from './database.ts'
import { firstTableId, registerDatasets } from './register.ts'
import type { CatalogTables } from './tables.ts'

/** The catalog of a lake: tables of DuckLake 1.0 and Tapeline's own, in SQLite or PostgreSQL. */
export type Catalog = {
  db: Kysely<CatalogTables>
  /** The ids of the tables, by dataset. */
  tableIds: ReadonlyMap<string, number>
  /** A flag as the database stores it. */
  flag: (value: boolean) => number | boolean
  /** The aggregate that gives rows as lines of text, each a JSON array of their columns; null without rows. */
  jsonRows: (columns: readonly string[]) => RawBuilder<string | null>
  /** The time of the database, which is one for all processes of all machines. */
  now_ms: () => Promise<number>
  /**
   * Runs `work` in one transaction, in turn with other writers. If it reports a change, the transaction adds a snapshot
   * and its number is visible to readers with all changes at once.
   */
  commit: <T>(work: (commit: Commit) => Promise<T>) => Promise<T>
  close: () => Promise<void>
}

export type Commit = {
  tx: Transaction<CatalogTables>
  /** The number of the snapshot that the transaction adds. */
  snapshot: number
  newFileId: () => number
  /** Reports a change of a table (`inserted_into_table`, `deleted_from_table`), or of coverage alone. */
  changed: (kind: 'coverage' | `${'inserted_into' | 'deleted_from'}_table:${number}`) => void
}

/** The key of a catalog that `tapeline repair` has begun to fill. */
export const rebuildingKey = 'rebuilding'

/** `tapeline repair` was ended before the catalog was whole. */
export class UnfinishedRebuild extends Error {
  override name = 'UnfinishedRebuild'
}

/** Opens the catalog, and creates its tables and registers the datasets as needed. */
export async function openCatalog(database: Database, dataPath: string, isRebuilt = false): Promise<Catalog> {
  const { db } = database
  const marked = `insert into tapeline_metadata (key, value) values ('${rebuildingKey}', '1') on conflict do nothing;`
  await database.run(`${schemaFor(database.dialect)}${isRebuilt ? marked : ''}`)
  const metadata = await db.selectFrom('tapeline_metadata').selectAll().execute()
  const format = metadata.find(({ key }) => key === 'format')?.value
  if (format !== '2') throw new NewerLake('lake', `it is of format ${format}`)
  if (!isRebuilt && metadata.some(({ key }) => key === rebuildingKey))
    throw new UnfinishedRebuild('the catalog of the lake: its rebuild did not end; expected another `tapeline repair`')
  const tableIds = new Map<string, number>()
  const flag: Catalog['flag'] = (value) => (database.dialect === 'postgres' ? value : Number(value))
  const jsonRows: Catalog['jsonRows'] = (names) => {
    const columns = sql.join(names.map((name) => sql.ref(name)))
    return database.dialect === 'postgres'
      ? sql`string_agg(json_build_array(${columns})::text, chr(10))`
      : sql`group_concat(json_array(${columns}), char(10))`
  }
  const instant =
    database.dialect === 'postgres'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
  const now_ms = async (): Promise<number> =>
    (await db.selectNoFrom(instant.as('at_ms')).executeTakeFirstOrThrow()).at_ms
  const commit: Catalog['commit'] = (work) =>
    db.transaction().execute(async (tx) => {
      await database.lock(tx)
      return withSnapshot(tx, work)
    })
  await commit(async ({ tx, snapshot, changed }) => {
    await addColumns(tx, database.dialect)
    await setMetadata(tx, { ...ducklake, data_path: dataPath })
    if (await registerDatasets(tx, { snapshot, flag })) changed('coverage')
  })
  for (const { table_id, table_name } of await db.selectFrom('ducklake_table').selectAll().execute())
    tableIds.set(table_name, table_id)
  return { db, tableIds, flag, jsonRows, now_ms, commit, close: database.close }
}

/** Writes the values that differ, so that the file of a whole catalog stays as it is. */
async function setMetadata(tx: Transaction<CatalogTables>, values: Record<string, string>): Promise<void> {
  const stored = new Map(
    (await tx.selectFrom('ducklake_metadata').selectAll().execute()).map(({ key, value }) => [key, value]),
  )
  for (const [key, value] of Object.entries(values)) {
    if (stored.get(key) === value) continue
    await tx.deleteFrom('ducklake_metadata').where('key', '=', key).execute()
    await tx.insertInto('ducklake_metadata').values({ key, value }).execute()
  }
}

const ducklake = { version: '1.0', created_by: 'Tapeline', encrypted: 'false' }

const schema = readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8')
const schemaFor = (dialect: Database['dialect']): string => {
  const types =
    dialect === 'postgres'
      ? { boolean: 'boolean', uuid: 'uuid', time: 'timestamptz', text: 'varchar collate "C"' }
      : { boolean: 'bigint', uuid: 'varchar', time: 'varchar', text: 'varchar' }
  return Object.entries(types).reduce((text, [name, type]) => text.replaceAll(`{${name}}`, type), schema)
}

async function withSnapshot<T>(tx: Transaction<CatalogTables>, work: (commit: Commit) => Promise<T>): Promise<T> {
  const last = await tx
    .selectFrom('ducklake_snapshot')
    .selectAll()
    .orderBy('snapshot_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const snapshot = last === undefined ? 0 : last.snapshot_id + 1
  const changes = new Set<string>()
  let nextFileId = last?.next_file_id ?? 0
  const result = await work({
    tx,
    snapshot,
    newFileId: () => nextFileId++,
    changed: (kind) => void changes.add(kind),
  })
  if (changes.size === 0 && last !== undefined) return result
  await tx
    .insertInto('ducklake_snapshot')
    .values({
      snapshot_id: snapshot,
      snapshot_time: catalogTime(machineClock()),
      schema_version: 0,
      next_catalog_id: firstTableId + Object.keys(datasets).length,
      next_file_id: nextFileId,
    })
    .execute()
  changes.delete('coverage')
  await tx
    .insertInto('ducklake_snapshot_changes')
    .values({ snapshot_id: snapshot, changes_made: [...changes].join(',') })
    .execute()
  return result
}

/** An instant as DuckLake writes it. */
export const catalogTime = (at: number): string =>
  `${new Date(at / 1000).toISOString().slice(0, 23).replace('T', ' ')}${String(at % 1000).padStart(3, '0')}+00`
