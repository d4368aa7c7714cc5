import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import type { NewFile } from '#lake/catalog/commit_units.ts'
import { quarantine } from '#lake/datasets/index.ts'
import { lakeTable, numberedRows, stored } from '#lake/sql.ts'
import { digestOf, metadataKey } from '#lake/units/write_parquet.ts'
import { literal } from '#storage/duckdb.ts'
import type { Storage } from '#storage/storage.ts'
import type { Micros } from '#time.ts'

const entryShape = z.object({
  dataset: z.string(),
  unit: z.string(),
  part: z.string(),
  key: z.string(),
  precedence: z.number(),
  state: z.string(),
  from_at: z.number().nullable(),
  to_at: z.number().nullable(),
  from_block: z.number().nullable(),
  to_block: z.number().nullable(),
  n_rows: z.number(),
  digest: z.string().nullable(),
  proof: z.string().nullable(),
  reason: z.string().nullable(),
  source: z.string(),
})
const metadataShape = z.object({ world: z.string(), entries: z.array(entryShape) })

/** The coverage of a unit in a dataset, as the metadata of a data file holds it. */
export type FoundEntry = z.infer<typeof entryShape>

/** A data file with its metadata. */
export type FoundFile = NewFile & { world: string; storedAt: Micros; entries: FoundEntry[] }

/** A data file that is not as it was stored. */
export type DamagedFile = { path: string; problem: string }

/** Reads the metadata of every data file of a lake. A file whose digest differs from its name is damaged. */
export async function* findFiles(
  storage: Storage,
  connection: DuckDBConnection,
): AsyncGenerator<{ intact: FoundFile } | { damaged: DamagedFile }> {
  for (const dataset of Object.keys(stored)) {
    const { root } = lakeTable(dataset)
    for (const path of await storage.list(root)) {
      if (!path.endsWith('.parquet')) continue
      try {
        yield { intact: await readFound(storage, connection, { dataset, path: path.slice(root.length + 1) }) }
      } catch (error) {
        yield { damaged: { path, problem: error instanceof Error ? error.message : String(error) } }
      }
    }
  }
}

const fileShape = z.tuple([z.bigint(), z.bigint(), z.bigint(), z.string()])

async function readFound(
  storage: Storage,
  connection: DuckDBConnection,
  { dataset, path }: { dataset: string; path: string },
): Promise<FoundFile> {
  const full = `${lakeTable(dataset).root}/${path}`
  const digest = await digestOf(storage.read(full))
  const named = /([0-9a-f]+)\.parquet$/.exec(path)?.[1] ?? ''
  if (named === '' || !digest.startsWith(named))
    throw new Error(`its digest is ${digest.slice(0, 16)}; expected ${named}`)
  const file = await storage.localFile(full)
  const name = literal(file)
  const reader = await connection.runAndReadAll(
    `select f.num_rows, f.file_size_bytes, f.footer_size, decode(k.value) from parquet_file_metadata(${name}) f,
       parquet_kv_metadata(${name}) k where k.key = '${metadataKey}'`,
  )
  const [n_rows, bytes, footer_bytes, metadata] = fileShape.parse(reader.getRowsJS()[0])
  const { world, entries } = metadataShape.parse(JSON.parse(metadata))
  const units =
    dataset === quarantine.name
      ? await rejectedUnits(connection, file)
      : entries.filter((entry) => entry.dataset === dataset).map(({ unit, n_rows: n }) => ({ unit, n_rows: n }))
  const n_placed = units.reduce((sum, unit) => sum + unit.n_rows, 0)
  if (n_placed !== Number(n_rows)) throw new Error(`it has ${n_rows} rows; expected ${n_placed} by its metadata`)
  return {
    dataset,
    path,
    digest,
    n_rows: Number(n_rows),
    bytes: Number(bytes),
    footer_bytes: Number(footer_bytes),
    stats: [],
    source: path.slice(0, path.indexOf('/')),
    units,
    world,
    storedAt: (await storage.modifiedAt(full)) ?? 0,
    entries,
  }
}

const unitShape = z.object({ unit: z.string(), n_rows: z.coerce.number() })

/** The units of rejected rows, in the order of the file: coverage does not count these rows. */
async function rejectedUnits(connection: DuckDBConnection, file: string): Promise<{ unit: string; n_rows: number }[]> {
  const reader = await connection.runAndReadAll(
    `select unit, count(*) as n_rows from ${numberedRows(quarantine, [file])} group by unit order by min(file_row_number)`,
  )
  return z.array(unitShape).parse(reader.getRowObjectsJS())
}
