import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'

import { openDuckDB } from '#storage/duckdb.ts'
import { openFolder, type Folder } from '#storage/folder.ts'
import { openScratch } from '#storage/scratch.ts'
import type { OpenStorage, Storage } from '#storage/storage.ts'

import { openCatalog, type Commit } from './catalog/catalog.ts'
import { storedPath } from './catalog/commit_units.ts'
import { openDatabase, type Database } from './catalog/database.ts'
import { assertFormat } from './format.ts'
import { withReader, type LakeReader } from './reader.ts'
import type { LakeFiles } from './snapshot.ts'

/** An open lake: its storage, and the DuckDB instances that read and write its files. */
export type Lake = LakeFiles & {
  /** The folder of this machine with builds and snapshots, which are made of the facts again when they are lost. */
  local: Folder
  /** The DuckDB that writes units. It has one thread, because a second one only costs time on small files. */
  writer: DuckDBInstance
  /** A local folder for unfinished files. */
  scratch: string
  /** Reads one snapshot: the newest, or a former one that is kept. */
  read: <T>(work: (reader: LakeReader) => Promise<T>, snapshot?: number) => Promise<T>
  /**
   * Records the world of the lake's facts: `real`, or the name of a simulated world. The first claim decides; a lake
   * never mixes worlds.
   */
  claim: (world: string) => Promise<void>
  /** The claimed world; undefined while the lake is empty. */
  world: () => Promise<string | undefined>
  /** Gives up the claim of a lake that has never stored a fact; false if it has. Its failures and cursors go too. */
  release: () => Promise<boolean>
  close: () => Promise<void>
}

/** Thrown when facts of one world would be written into the lake of another. */
export class WorldMismatch extends Error {
  constructor(stored: string, offered: string) {
    super(
      `this lake holds ${describe(stored)} and the upstream answers for ${describe(offered)}: ` +
        'facts of two worlds are never mixed; expected the TAPELINE_WORLD of the lake, or another TAPELINE_HOME',
    )
    this.name = 'WorldMismatch'
  }
}

const describe = (world: string): string => (world === 'real' ? 'the real world' : `the simulated world ${world}`)

/** The limits of a lake's DuckDB instances. The memory limit applies to readers and to writers separately. */
export type LakeLimits = { threads: number; memory: string }

/**
 * Opens the lake of a home, and creates it as needed. `database` is the URL of a PostgreSQL database for the catalog; by
 * default the catalog is a file of the home. By default the facts are files of the home too.
 */
export async function openLake(
  home: string,
  limits: LakeLimits,
  database?: string,
  openStorage: OpenStorage = openFolder,
): Promise<Lake> {
  assertFormat(home)
  const storage = openStorage(home)
  const opened = openDatabase(database ?? join(home, 'catalog.sqlite'))
  try {
    await assertTogether(opened, { storage, home, database })
  } catch (error) {
    await opened.close()
    throw error
  }
  const catalog = await openCatalog(opened, storage.root)
  const scratch = await openScratch(join(home, 'scratch'))
  const reader = await openDuckDB({ ...limits, scratch })
  const writer = await openDuckDB({ ...limits, threads: 1, scratch })
  let claimed: string | undefined
  const world = async (): Promise<string | undefined> => {
    const stored = catalog.db.selectFrom('tapeline_metadata').select('value').where('key', '=', 'world')
    claimed ??= (await stored.executeTakeFirst())?.value
    return claimed
  }
  let isClosed = false
  const lake: Lake = {
    storage,
    local: openFolder(home),
    catalog,
    writer,
    scratch,
    world,
    read: async (work, snapshot) => {
      if (isClosed) throw new Error('lake: it is closed; expected an open lake')
      return withReader(lake, { instance: reader, snapshot }, work)
    },
    claim: async (offered) => {
      if (claimed === offered) return
      const row = { key: 'world', value: offered }
      await catalog.db
        .insertInto('tapeline_metadata')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const stored = await world()
      if (stored !== undefined && stored !== offered) throw new WorldMismatch(stored, offered)
    },
    release: async () => {
      const isReleased = await catalog.commit(dropClaim)
      if (isReleased) claimed = undefined
      return isReleased
    },
    close: async () => {
      isClosed = true
      reader.closeSync()
      writer.closeSync()
      await catalog.close()
      await rm(scratch, { recursive: true, force: true })
    },
  }
  return lake
}

/** Removes the claim, the failures and the cursors of a lake, unless it has ever stored a fact. */
async function dropClaim({ tx, snapshot, changed }: Commit): Promise<boolean> {
  if ((await tx.selectFrom('ducklake_data_file').select('data_file_id').executeTakeFirst()) !== undefined) return false
  await tx.deleteFrom('tapeline_metadata').where('key', '=', 'world').execute()
  await tx.deleteFrom('tapeline_streams').execute()
  const failures = tx.updateTable('tapeline_coverage').set({ end_snapshot: snapshot })
  await failures.where('end_snapshot', 'is', null).execute()
  changed('coverage')
  return true
}

/** Rejects data files without their catalog, and a catalog without its data files. */
async function assertTogether(
  opened: Database,
  { storage, home, database }: { storage: Storage; home: string; database: string | undefined },
): Promise<void> {
  const files = `${storage.root}lake`
  // A new catalog beside old files would read everything again, and vacuum would remove the files.
  const hasFiles = (await opened.isNew()) && (await storage.list('lake')).length > 0
  // Another process may just have created both.
  const isNew = await opened.isNew()
  if (hasFiles && isNew) {
    const expected = database === undefined ? `${home}/catalog.sqlite` : 'the former DATABASE_URL'
    throw new Error(`${files}: data files without their catalog; expected ${expected}, or \`tapeline repair\``)
  }
  if (database === undefined || isNew) return
  const named = await opened.db
    .selectFrom('ducklake_data_file as f')
    .innerJoin('ducklake_table as t', 't.table_id', 'f.table_id')
    .select(['t.table_name as dataset', 'f.path'])
    .limit(1)
    .executeTakeFirst()
  if (named === undefined || (await storage.has(storedPath(named)))) return
  // One missing file is damage.
  if ((await storage.list('lake')).length === 0)
    throw new Error(`DATABASE_URL: the catalog of another lake; expected the data files in ${files}`)
}
