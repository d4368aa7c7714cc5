import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBInstance, DuckDBValue } from '@duckdb/node-api'
import { z } from 'zod'

import type { Storage } from './storage.ts'
import { lakeTables, lakeView } from './views.ts'

/** Reads the lake: every dataset is a view `lake.<name>` over the files that counted when it was first asked for. */
export type LakeReader = {
  /** Rows as plain objects (BIGINT as bigint, TIMESTAMP as Date, DECIMAL as number), parsed by `row`. */
  query: <T>(sql: string, row: z.ZodType<T>, values?: Record<string, DuckDBValue>) => Promise<T[]>
}

let readers = 0

/**
 * Reads the lake through a catalog of its own, while others write. A view costs the opening of all of its files, so
 * only those are made that a query names.
 */
export async function withReader<T>(
  { storage, instance, scratch }: { storage: Storage; instance: DuckDBInstance; scratch: string },
  work: (reader: LakeReader) => Promise<T>,
): Promise<T> {
  const catalog = `reader_${++readers}`
  const pins = join(scratch, catalog)
  const views = new Map<string, Promise<unknown>>()
  const connection = await instance.connect()
  const make = async (table: string): Promise<void> => {
    const { name, select } = await lakeView(storage, table, pins)
    await connection.run(`create view lake.${name} as ${select}`)
  }
  try {
    await connection.run(`attach ':memory:' as ${catalog}; use ${catalog}; create schema lake`)
    return await work({
      query: async (sql, row, values) => {
        for (const table of lakeTables.filter((name) => sql.toLowerCase().includes(`lake.${name}`))) {
          const view = views.get(table) ?? make(table)
          views.set(table, view)
          await view
        }
        const reader = await connection.runAndReadAll(sql, values)
        return z.array(row).parse(reader.getRowObjectsJS())
      },
    })
  } finally {
    await connection.run(`use memory; detach database if exists ${catalog}`)
    connection.closeSync()
    await rm(pins, { recursive: true, force: true })
  }
}
