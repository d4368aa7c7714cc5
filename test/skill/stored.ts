import { z } from 'zod'

import { commitUnits, type NewFile } from '#lake/catalog/commit_units.ts'
import { toCoverageRow } from '#lake/catalog/coverage_rows.ts'
import { coverage, datasets, type Coverage } from '#lake/datasets/index.ts'
import { openLake } from '#lake/lake.ts'
import { lakeTable } from '#lake/sql.ts'
import { writeParquet } from '#lake/units/write_parquet.ts'
import type { World } from '#sim/markets/types.ts'
import { withConnection } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { createLake } from './lake.ts'
import { readAccounts } from './validated.ts'

/** A coverage entry as DuckDB gives it, with instants in microseconds. */
const entryShape = z.record(z.string(), z.unknown()).transform((row) => {
  const whole = Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value])
  return { ...Object.fromEntries(whole), asked: [], verified: [] } as Coverage
})
const entries = Object.entries(coverage.columns).map(([name, { sql }]) =>
  sql === 'TIMESTAMP' ? `epoch_us(${name}) as ${name}` : `"${name}"`,
)

/** Stores a world up to an instant in the lake of a home, one file a dataset. */
export async function storeWorld(world: World, at: Micros, home: string): Promise<void> {
  const lake = await openLake(home, { threads: 1, memory: '2GB' })
  try {
    await withConnection(lake.writer, async (connection) => {
      await connection.run(`attach ':memory:' as world; use world; create schema lake`)
      await createLake(connection, world, at)
      await readAccounts(connection)
      const files: NewFile[] = []
      for (const dataset of Object.values(datasets)) {
        const select = `select * from lake.${dataset.name}`
        const { body, ...written } = await writeParquet(connection, lake.scratch, dataset, { select, metadata: '' })
        const path = `world/polymarket/${dataset.name}.parquet`
        await lake.storage.put(`${lakeTable(dataset.name).root}/${path}`, body)
        const unit = { unit: `world/polymarket/${dataset.name}`, n_rows: written.n_rows }
        files.push({ ...written, dataset: dataset.name, path, source: 'world', units: [unit] })
      }
      const reader = await connection.runAndReadAll(`select ${entries.join(', ')} from lake.coverage`)
      const rows = z.array(entryShape).parse(reader.getRowObjectsJS()).map(toCoverageRow)
      const units = [
        ...new Set([...rows.map(({ unit }) => unit), ...files.flatMap((file) => file.units[0]?.unit ?? [])]),
      ]
      await commitUnits(lake.catalog, { units, files, coverage: rows })
      await connection.run('use memory; detach world')
    })
  } finally {
    await lake.close()
  }
}
