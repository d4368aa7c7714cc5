import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { fieldId } from '#lake/columns.ts'
import type { Dataset } from '#lake/datasets/index.ts'
import { literal, parquet } from '#storage/duckdb.ts'

/** The statistics of a column, as DuckLake keeps them. */
export type ColumnStats = {
  column_id: number
  column_size_bytes: number
  value_count: number
  null_count: number
  min_value: string | null
  max_value: string | null
}

/** A written data file: its bytes, or a local file. */
export type Written = {
  body: Buffer | { file: string }
  digest: string
  n_rows: number
  bytes: number
  footer_bytes: number
  stats: ColumnStats[]
}

/** The row that COPY returns: file, rows, bytes, bytes of the footer, and the statistics of its columns. */
const returned = z.tuple([
  z.string(),
  z.bigint(),
  z.bigint(),
  z.bigint(),
  z.array(z.object({ key: z.string(), value: z.array(z.object({ key: z.string(), value: z.string() })) })),
  z.unknown(),
])

/** Writes what a select gives as one Parquet file in `scratch`. The columns carry the field ids of the catalog. */
export async function writeParquet(
  connection: DuckDBConnection,
  scratch: string,
  dataset: Dataset,
  { select, metadata }: { select: string; metadata: string },
): Promise<Written> {
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.parquet`)
  const reader = await connection.runAndReadAll(
    `copy (${select}) to ${literal(file)} (${parquet}, return_stats, field_ids ${fieldIds(dataset)},
       kv_metadata {${metadataKey}: ${literal(metadata)}})`,
  )
  const [, n_rows, bytes, footer_bytes, columns] = returned.parse(reader.getRowsJS()[0])
  return {
    body: { file },
    digest: await digestOf(createReadStream(file)),
    n_rows: Number(n_rows),
    bytes: Number(bytes),
    footer_bytes: Number(footer_bytes),
    stats: columns.flatMap(({ key, value }) =>
      statsOf(dataset, key, new Map(value.map((each) => [each.key, each.value]))),
    ),
  }
}

/** The sha256 of a file of any size. */
export async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of stream) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** The metadata of a data file that names its units. */
export const metadataKey = 'tapeline'

const fieldIds = ({ columns }: Dataset): string => {
  const ids = Object.entries(columns).map(([name, { sql }]) =>
    sql.endsWith('[]')
      ? `"${name}": {__duckdb_field_id: ${fieldId(name)}, element: ${fieldId(`${name}.element`)}}`
      : `"${name}": ${fieldId(name)}`,
  )
  return `{${ids.join(', ')}}`
}

/** Statistics prune files, for which amounts are of no use. */
export const hasStats = (sql: string): boolean =>
  sql !== 'BIGNUM' && sql !== 'DOUBLE' && !sql.startsWith('DECIMAL') && !sql.endsWith('[]')

function statsOf({ columns }: Dataset, quoted: string, statistics: ReadonlyMap<string, string>): ColumnStats[] {
  const name = quoted.slice(1, -1)
  const column = columns[name]
  if (column === undefined || !hasStats(column.sql)) return []
  return [
    {
      column_id: fieldId(name),
      column_size_bytes: Number(statistics.get('column_size_bytes')),
      value_count: Number(statistics.get('num_values')),
      null_count: Number(statistics.get('null_count')),
      min_value: statistics.get('min') ?? null,
      max_value: statistics.get('max') ?? null,
    },
  ]
}
