import type { DuckDBConnection } from '@duckdb/node-api'

import type { PublicationName } from '#snapshots/publications.ts'
import { literal, openSmallDuckDB, withConnection } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

/** A row of `meta.build`: one table of a build. */
export type BuiltTable = { name: string; n_rows: number; content_hash: string; model_hash: string; took_s: number }

/** The columns of `meta.build`. */
export const buildColumns: readonly { name: string; sql: string }[] = [
  { name: 'name', sql: 'VARCHAR' },
  { name: 'publication', sql: 'VARCHAR' },
  { name: 'snapshot_id', sql: 'VARCHAR' },
  { name: 'as_of', sql: 'TIMESTAMP' },
  { name: 'n_rows', sql: 'BIGINT' },
  { name: 'content_hash', sql: 'VARCHAR' },
  { name: 'model_hash', sql: 'VARCHAR' },
  { name: 'built_at', sql: 'TIMESTAMP' },
  { name: 'took_s', sql: 'DOUBLE' },
  { name: 'lake_snapshot', sql: 'BIGINT' },
]

/** The description of `meta.build`. */
export const buildDoc = 'A mart of a build, with the instant and the snapshot of the lake that it follows from.'

/** Writes `meta.build` into a snapshot, with a row for each mart. */
export async function writeMeta(
  connection: DuckDBConnection,
  build: {
    publication: PublicationName
    id: string
    asOf: Micros
    lakeSnapshot: number
    builtAt: Micros
    tables: readonly BuiltTable[]
  },
): Promise<void> {
  const { publication, id, asOf, lakeSnapshot, builtAt, tables } = build
  const defined = buildColumns.map(({ name, sql }) => `${name} ${sql}`).join(', ')
  await connection.run(`create table snapshot.meta.build (${defined})`)
  for (const { name, n_rows, content_hash, model_hash, took_s } of tables) {
    await connection.run(
      `insert into snapshot.meta.build values (${literal(name)}, ${literal(publication)}, ${literal(id)},
         ${literal(isoMicros(asOf))}, ${n_rows}, ${literal(content_hash)}, ${literal(model_hash)},
         ${literal(isoMicros(builtAt))}, ${took_s}, ${lakeSnapshot})`,
    )
  }
}

/** What a snapshot was built from: its instant, the snapshot of the lake, and the machine's time of its end. */
export type BuildMeta = { asOf: Micros; lakeSnapshot: number; builtAt: Micros }

/** Reads `meta.build` of a snapshot's file. Throws if the file cannot be read, or has no mart. */
export async function readMeta(file: string): Promise<BuildMeta> {
  const instance = await openSmallDuckDB()
  try {
    return await withConnection(instance, async (connection) => {
      await connection.run(`attach ${literal(file)} as snapshot (read_only)`)
      const reader = await connection.runAndReadAll(
        `select epoch_us(as_of), lake_snapshot, epoch_us(built_at) from snapshot.meta.build limit 1`,
      )
      const [row] = reader.getRows()
      if (row === undefined) throw new Error(`${file}: no mart in meta.build; expected at least one`)
      const [asOf, lakeSnapshot, builtAt] = row.map(Number)
      return { asOf: asOf ?? 0, lakeSnapshot: lakeSnapshot ?? 0, builtAt: builtAt ?? 0 }
    })
  } finally {
    instance.closeSync()
  }
}
