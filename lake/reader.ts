import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api'
import { z } from 'zod'

import { assertSnapshot, createLakeTable, latestSnapshot, type LakeFiles } from './snapshot.ts'
import { lakeTables } from './sql.ts'

/**
 * The units to read, by table: those whose id begins with one of the prefixes, such as a source (`polymarket_feed/`)
 * or one day of a source (`polymarket_odds/polymarket/2026-11-20`). A table without an entry is read whole.
 */
export type PathFilter = Readonly<Record<string, readonly string[]>>

/** Reads one snapshot of the lake. Each dataset is a view `lake.<name>`; coverage is a table. */
export type LakeReader = {
  /**
   * Rows as plain objects (BIGINT as bigint, TIMESTAMP as Date, DECIMAL as number), parsed by `row`. `only` avoids
   * opening files that the query would filter out.
   */
  query: <T>(sql: string, row: z.ZodType<T>, values?: Record<string, DuckDBValue>, only?: PathFilter) => Promise<T[]>
}

let catalogs = 0

type Pipeline = { lake: LakeFiles; instance: DuckDBInstance; snapshot: number }
/** A catalog with views over some of the files. */
type Catalog = { name: string; connection: DuckDBConnection; need: (sql: string) => Promise<void> }

/**
 * Reads the lake through separate catalogs while others write. Creating a view opens all of its files. Therefore only
 * the views that a query names are created, over the files that it asks for.
 */
export async function withReader<T>(
  lake: LakeFiles,
  { instance, snapshot }: { instance: DuckDBInstance; snapshot: number | undefined },
  work: (reader: LakeReader) => Promise<T>,
): Promise<T> {
  if (snapshot !== undefined) await assertSnapshot(lake.catalog, snapshot)
  const pipeline = { lake, instance, snapshot: snapshot ?? (await latestSnapshot(lake.catalog)) }
  const opened = new Map<string, Promise<Catalog>>()
  const catalogOf = (only: PathFilter): Promise<Catalog> => {
    const key = JSON.stringify(only)
    const catalog = opened.get(key) ?? openCatalog(pipeline, only)
    opened.set(key, catalog)
    return catalog
  }
  const running = new Set<Promise<unknown>>()
  let isClosed = false
  const query: LakeReader['query'] = async (sql, row, values, only = {}) => {
    if (isClosed) throw new Error('reader: it is closed; expected queries before the end of its work')
    const { connection, need } = await catalogOf(only)
    await need(sql)
    const reader = await connection.runAndReadAll(sql, values)
    return z.array(row).parse(reader.getRowObjectsJS())
  }
  try {
    return await work({
      query: async (...asked) => {
        const asking = query(...asked)
        running.add(asking)
        return asking.finally(() => running.delete(asking))
      },
    })
  } finally {
    // Work that is cancelled ends before its queries. DuckDB crashes if their connection is closed under them.
    isClosed = true
    await Promise.allSettled(running)
    for (const catalog of await Promise.allSettled(opened.values())) {
      if (catalog.status === 'fulfilled') await closeCatalog(catalog.value)
    }
  }
}

async function openCatalog({ lake, instance, snapshot }: Pipeline, only: PathFilter): Promise<Catalog> {
  const name = `reader_${++catalogs}`
  const connection = await instance.connect()
  await connection.run(`attach ':memory:' as ${name}; use ${name}; create schema lake`)
  const views = new Map<string, Promise<unknown>>()
  const make = (table: string): Promise<void> =>
    createLakeTable(connection, lake, table, { snapshot, prefixes: only[table] })
  return {
    name,
    connection,
    need: async (sql) => {
      for (const table of lakeTables.filter((tableName) => sql.toLowerCase().includes(`lake.${tableName}`))) {
        const view = views.get(table) ?? make(table)
        views.set(table, view)
        await view
      }
    },
  }
}

async function closeCatalog({ name, connection }: Catalog): Promise<void> {
  await connection.run(`use memory; detach database if exists ${name}`)
  connection.closeSync()
}
