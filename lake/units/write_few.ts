import { createHash } from 'node:crypto'

import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'

import { fieldId, fileType } from '#lake/columns.ts'
import type { Dataset } from '#lake/datasets/index.ts'

import { hasStats, metadataKey, type Written } from './write_parquet.ts'

/** A column of the rows, in the order of the file. */
type Values = { name: string; sql: string; values: readonly Value[] }
type Value = string | number | bigint | boolean | readonly string[] | readonly bigint[] | null

/**
 * Writes a few rows of a source as a Parquet file in memory, in the order of the dataset's key. The columns and the
 * statistics are those that DuckDB would write. For a few rows DuckDB spends more on its statements than on the rows.
 */
export async function writeFew(
  dataset: Dataset,
  { rows, source, metadata }: { rows: readonly Record<string, unknown>[]; source: string; metadata: string },
): Promise<Written> {
  const sorted = inKeyOrder(dataset, rows)
  const columns = Object.entries(dataset.columns).map(([name, { sql, isNullable }]): Values => {
    const values = sorted.map((row) => (name === 'source' ? source : ((row[name] ?? null) as Value)))
    if (!isNullable && values.includes(null)) throw new Error(`${dataset.name}.${name}: null; expected a value`)
    return { name, sql, values }
  })
  const writer = new ByteWriter()
  const file = new ParquetWriter({
    writer,
    schema: schemaOf(dataset),
    createdBy: 'Tapeline',
    kvMetadata: [{ key: metadataKey, value: metadata }],
  })
  await file.write({ columnData: columns.map(({ name, sql, values }) => ({ name, data: encoded(name, sql, values) })) })
  await file.finish()
  const body = Buffer.from(writer.getBuffer())
  const sizes = new Map(
    file.row_groups.flatMap((group) =>
      group.columns.map(({ meta_data: chunk }) => [chunk?.path_in_schema[0], Number(chunk?.total_compressed_size)]),
    ),
  )
  return {
    body,
    digest: createHash('sha256').update(body).digest('hex'),
    n_rows: rows.length,
    bytes: body.length,
    footer_bytes: body.readUInt32LE(body.length - 8),
    stats: columns
      .filter(({ sql }) => hasStats(sql))
      .map((column) => ({
        column_id: fieldId(column.name),
        column_size_bytes: sizes.get(column.name) ?? 0,
        ...statsOf(column),
      })),
  }
}

/** Sorts rows by the key of their dataset, which is unique. */
function inKeyOrder<R extends Record<string, unknown>>({ name, key }: Dataset, rows: readonly R[]): R[] {
  const orders = key.map((column) => ({ column, compare: orderOf(rows.map((row) => row[column])) }))
  return rows.toSorted((a, b) => {
    for (const { column, compare } of orders) {
      const order = compare(a[column] ?? null, b[column] ?? null)
      if (order !== 0) return order
    }
    const values = key.map((column) => String(a[column])).join(', ')
    throw new Error(`two rows of ${name} have the same key (${key.join(', ')}): ${values}`)
  })
}

type Order = (a: unknown, b: unknown) => number

/** The order of DuckDB: nulls last, texts by their bytes. UTF-16 differs only where a text has surrogates. */
function orderOf(values: readonly unknown[]): Order {
  const hasSurrogates = values.some((value) => typeof value === 'string' && /[\ud800-\udfff]/.test(value))
  const order = hasSurrogates ? byBytes : byValue
  return (a, b) => (a === null || b === null ? Number(a === null) - Number(b === null) : order(a, b))
}

const byValue: Order = (a, b) => (a === b ? 0 : (a as string) < (b as string) ? -1 : 1)
const byBytes: Order = (a, b) => Buffer.compare(Buffer.from(a as string), Buffer.from(b as string))

function statsOf({ sql, values }: Values) {
  const nonNull = values.filter((value) => value !== null)
  const compare = orderOf(nonNull)
  let [min, max] = [nonNull[0], nonNull[0]]
  for (const value of nonNull) {
    if (compare(value, min) < 0) min = value
    if (compare(value, max) > 0) max = value
  }
  return {
    value_count: values.length,
    null_count: values.length - nonNull.length,
    min_value: statText(sql, min),
    max_value: statText(sql, max),
  }
}

/** Longer texts have no statistics. */
const maxStatBytes = 256

/** A value as DuckDB prints it in statistics. */
function statText(sql: string, value: Value | undefined): string | null {
  if (value === undefined || (typeof value === 'string' && Buffer.byteLength(value) > maxStatBytes)) return null
  if (sql === 'BOOLEAN') return value === true ? '1' : '0'
  if (sql !== 'TIMESTAMP') return String(value)
  const micros = Number(value)
  const fraction = String(((micros % 1_000_000) + 1_000_000) % 1_000_000)
    .padStart(6, '0')
    .replace(/0+$/, '')
  const seconds = new Date(Math.floor(micros / 1_000_000) * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  return fraction === '' ? seconds : `${seconds}.${fraction}`
}

const schemaOf = ({ columns }: Dataset): SchemaElement[] => [
  { name: 'duckdb_schema', num_children: Object.keys(columns).length },
  ...Object.entries(columns).flatMap(([name, { sql }]): SchemaElement[] => {
    if (!sql.endsWith('[]')) return [{ ...elementOf(sql), name, field_id: fieldId(name) }]
    return [
      { name, field_id: fieldId(name), converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { ...elementOf(sql.slice(0, -2)), name: 'element', field_id: fieldId(`${name}.element`) },
    ]
  }),
]

const decimal = (precision: number) => ({ converted_type: 'DECIMAL', scale: 6, precision }) as const
const elements: Record<string, Omit<SchemaElement, 'name'>> = {
  VARCHAR: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  BOOLEAN: { type: 'BOOLEAN' },
  UTINYINT: { type: 'INT32', converted_type: 'UINT_8' },
  SMALLINT: { type: 'INT32', converted_type: 'INT_16' },
  INTEGER: { type: 'INT32', converted_type: 'INT_32' },
  BIGINT: { type: 'INT64', converted_type: 'INT_64' },
  UBIGINT: { type: 'INT64', converted_type: 'UINT_64' },
  DOUBLE: { type: 'DOUBLE' },
  TIMESTAMP: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  'DECIMAL(9,6)': { type: 'INT32', ...decimal(9) },
  'DECIMAL(38,6)': { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, ...decimal(38) },
}

function elementOf(sql: string): Omit<SchemaElement, 'name'> {
  const element = elements[fileType(sql)]
  if (element === undefined)
    throw new Error(`${sql}: unknown column type; expected ${Object.keys(elements).join(', ')}`)
  return { repetition_type: 'OPTIONAL', ...element }
}

/** The values as the writer takes them. */
function encoded(name: string, sql: string, values: readonly Value[]): Value[] {
  if (sql === 'TIMESTAMP' || sql === 'BIGINT')
    return values.map((value) => (value === null ? null : BigInt(value as number)))
  if (sql === 'BIGNUM') return values.map((value) => (value === null ? null : String(value)))
  const precision = /^DECIMAL\((\d+)/.exec(sql)?.[1]
  if (precision !== undefined) {
    const limit = 10n ** BigInt(precision)
    const isIn = (value: Value): boolean => typeof value === 'bigint' && value < limit && value > -limit
    const wrong = values.flat<readonly Value[]>().find((value) => value !== null && !isIn(value))
    if (wrong !== undefined)
      throw new Error(`${name}: ${String(wrong)}; expected a bigint of at most ${precision} digits`)
  }
  return [...values]
}
