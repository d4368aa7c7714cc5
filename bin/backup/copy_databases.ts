import { randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import Libsql from 'libsql'

import { openAccounts } from '#accounts/accounts.ts'
import { dialectOf } from '#accounts/database.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import type { Config } from '#config.ts'
import { catalogTime, openCatalog, type Catalog } from '#lake/catalog/catalog.ts'
import { storedPath } from '#lake/catalog/commit_units.ts'
import { openDatabase } from '#lake/catalog/database.ts'
import { keepNewest } from '#lake/compaction/vacuum.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import type { Folder } from '#storage/folder.ts'

import type { DataFile } from './copy_files.ts'
import { copyRows, type RowCopy } from './copy_rows.ts'

const catalogRows: RowCopy = {
  isCopied: (table) => /^(ducklake|tapeline)_/.test(table),
  instantText: (at) => catalogTime(at.getTime() * 1_000),
}
/** The migrations of a store are its own. Instants of PostgreSQL are those of better-auth. */
const accountRows: RowCopy = {
  isCopied: (table) => !table.startsWith('kysely_'),
  instantText: (at) => at.toISOString(),
}

type Place = Pick<Config, 'home' | 'database'>

/** The catalog of a lake as a file, as of one snapshot. */
export type CopiedCatalog = { file: string; snapshot: number; files: DataFile[] }

/** Copies the catalog of a home to a new SQLite file, with its newest snapshot alone. */
export async function copyCatalog({ home, database }: Place, scratch: string): Promise<CopiedCatalog> {
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.sqlite`)
  const source = openDatabase(database ?? join(home, 'catalog.sqlite'))
  try {
    const target = openDatabase(file)
    const catalog = await openCatalog(target, home)
    try {
      await copyRows(source, target, catalogRows)
      await dropWork(catalog)
      await keepNewest(catalog)
      const files = await dataFilesOf(catalog)
      return { file: await wholeFile(file), snapshot: await latestSnapshot(catalog), files }
    } finally {
      await catalog.close()
    }
  } finally {
    await source.close()
  }
}

/** Removes what belongs to the processes of the copied home. */
async function dropWork({ db }: Catalog): Promise<void> {
  await db.deleteFrom('tapeline_pins').execute()
  await db.deleteFrom('tapeline_leases').execute()
  await db.deleteFrom('tapeline_follows').execute()
}

/** All data files that a catalog names. */
export async function dataFilesOf({ db }: Pick<Catalog, 'db'>): Promise<DataFile[]> {
  const rows = await db
    .selectFrom('ducklake_data_file as f')
    .innerJoin('tapeline_files as t', 't.data_file_id', 'f.data_file_id')
    .innerJoin('ducklake_table as d', 'd.table_id', 'f.table_id')
    .select(['d.table_name as dataset', 'f.path', 't.digest', 'f.file_size_bytes as bytes'])
    .orderBy('f.data_file_id')
    .execute()
  return rows.map(({ digest, bytes, ...file }) => ({ path: storedPath(file), digest, bytes }))
}

/** Fills the catalog of a PostgreSQL database with the rows of a catalog in a file. */
export async function fillCatalog(file: string, { home, database }: Required<Place>): Promise<void> {
  const source = openDatabase(file)
  try {
    const target = openDatabase(database ?? '')
    const catalog = await openCatalog(target, home)
    try {
      await copyRows(source, target, catalogRows)
    } finally {
      await catalog.close()
    }
  } finally {
    await source.close()
  }
}

/** Copies the store of accounts of a home to a file of a folder. */
export async function copyAccounts(place: Place, target: Folder, scratch: string): Promise<void> {
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.db`)
  await copyStore(
    () => openAccountsOf(place),
    () => openAccounts(file),
  )
  const whole = await wholeFile(file)
  await chmod(whole, 0o600)
  await target.put('accounts.db', { file: whole })
}

/** Fills a store of accounts with the rows of a file. */
export const fillAccounts = (file: string, place: Place): Promise<void> =>
  copyStore(
    () => openAccounts(file),
    () => openAccountsOf(place),
  )

type OpenStore = () => ReturnType<typeof openAccounts>

async function copyStore(openSource: OpenStore, openTarget: OpenStore): Promise<void> {
  const source = await openSource()
  try {
    const target = await openTarget()
    try {
      await copyRows(
        { db: source, dialect: dialectOf(source) },
        { db: target, dialect: dialectOf(target) },
        accountRows,
      )
    } finally {
      await target.destroy()
    }
  } finally {
    await source.destroy()
  }
}

/** A file with all rows of an SQLite file, which may have a log beside it. */
export async function wholeFile(file: string): Promise<string> {
  const whole = `${file}-whole`
  const database = new Libsql(file)
  try {
    database.prepare('vacuum into ?').run(whole)
  } finally {
    database.close()
  }
  return whole
}
