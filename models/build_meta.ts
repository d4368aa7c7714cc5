import type { DuckDBConnection } from '@duckdb/node-api'

import type { PublicationName } from '#marts/publications.ts'
import { literal } from '#storage/duckdb.ts'
import { type Micros, isoMicros } from '#time.ts'

/** A row of `meta.build`: one table of a build. */
export type BuiltTable = { name: string; n_rows: number; content_hash: string; model_hash: string; took_s: number }

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
  await connection.run(
    `create table snapshot.meta.build (name varchar, publication varchar, snapshot_id varchar, as_of timestamp, n_rows bigint,
       content_hash varchar, model_hash varchar, built_at timestamp, took_s double,
       lake_snapshot bigint)`,
  )
  for (const { name, n_rows, content_hash, model_hash, took_s } of tables) {
    await connection.run(
      `insert into snapshot.meta.build values (${literal(name)}, ${literal(publication)}, ${literal(id)},
         ${literal(isoMicros(asOf))}, ${n_rows}, ${literal(content_hash)}, ${literal(model_hash)},
         ${literal(isoMicros(builtAt))}, ${took_s}, ${lakeSnapshot})`,
    )
  }
}
