import type { DuckDBInstance, DuckDBValue } from '@duckdb/node-api'
import { z } from 'zod'

import type { Storage } from './storage.ts'
import { lakeViews } from './views.ts'

/** Reads the lake: every dataset is a view `lake.<name>` over the files that count now. */
export type LakeReader = {
  /** Rows as plain objects (BIGINT as bigint, TIMESTAMP as Date, DECIMAL as number), parsed by `row`. */
  query: <T>(sql: string, row: z.ZodType<T>, values?: Record<string, DuckDBValue>) => Promise<T[]>
}

let readers = 0

/** Reads the lake as it stands when this is called, through a catalog of its own. */
export async function withReader<T>(
  storage: Storage,
  instance: DuckDBInstance,
  work: (reader: LakeReader) => Promise<T>,
): Promise<T> {
  const catalog = `reader_${++readers}`
  const connection = await instance.connect()
  try {
    await connection.run(`attach ':memory:' as ${catalog}; use ${catalog}; create schema lake`)
    for (const { name, select } of await lakeViews(storage))
      await connection.run(`create view lake.${name} as ${select}`)
    return await work({
      query: async (sql, row, values) => {
        const reader = await connection.runAndReadAll(sql, values)
        return z.array(row).parse(reader.getRowObjectsJS())
      },
    })
  } finally {
    await connection.run(`use memory; detach database if exists ${catalog}`)
    connection.closeSync()
  }
}
