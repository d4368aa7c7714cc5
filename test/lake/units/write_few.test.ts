import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import fc, { type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'

import { datasets, type Dataset } from '#lake/datasets/index.ts'
import { columnsOf, parquetRows, stored } from '#lake/sql.ts'
import { writeFew } from '#lake/units/write_few.ts'
import { writeParquet, type Written } from '#lake/units/write_parquet.ts'
import { literal, withConnection } from '#storage/duckdb.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

const millionths = (digits: number) => fc.bigInt(-(10n ** BigInt(digits)) + 1n, 10n ** BigInt(digits) - 1n)
const someText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', 'a', '\u{10000}', '\uffee', 'é', "it's", 'x'.repeat(300)),
)
const values: Record<string, Arbitrary<unknown>> = {
  VARCHAR: someText,
  BOOLEAN: fc.boolean(),
  UTINYINT: fc.integer({ min: 0, max: 255 }),
  BIGNUM: fc.oneof(
    fc.bigInt(-(2n ** 255n), 2n ** 256n - 1n),
    fc.constantFrom(0n, -1n, 2n ** 256n - 1n, -(2n ** 255n), 2n ** 63n),
  ),
  UBIGINT: fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.constantFrom(2n ** 63n, 2n ** 64n - 1n)),
  DOUBLE: fc.double({ noNaN: true, noDefaultInfinity: true }),
  SMALLINT: fc.integer({ min: -32_768, max: 32_767 }),
  INTEGER: fc.integer(),
  BIGINT: fc.maxSafeInteger(),
  TIMESTAMP: fc.oneof(fc.constant(noon), fc.integer({ min: -2e15, max: 8e15 })),
  'DECIMAL(9,6)': millionths(9),
  'DECIMAL(38,6)': millionths(38),
  'VARCHAR[]': fc.array(someText, { maxLength: 3 }),
  'DECIMAL(9,6)[]': fc.array(millionths(9), { maxLength: 3 }),
}

const rowsOf = ({ columns, key }: Dataset): Arbitrary<Record<string, unknown>[]> => {
  const shape = Object.entries(columns).map(([name, { sql, isNullable }]): [string, Arbitrary<unknown>] => {
    const value = values[sql] ?? fc.constant(sql)
    return [name, isNullable ? fc.option(value) : value]
  })
  const keyOf = (row: Record<string, unknown>): string => JSON.stringify(key.map((name) => String(row[name])))
  return fc.uniqueArray(fc.record(Object.fromEntries(shape)), { selector: keyOf, maxLength: 12 })
}

/** DuckDB cuts the statistics of longer texts. */
const short = (value: string | null) => (value !== null && Buffer.byteLength(value) >= 256 ? null : value)
const comparable = ({ n_rows, stats }: Written) => ({
  n_rows,
  stats: stats
    .map(({ column_size_bytes: _, ...of }) => ({
      ...of,
      min_value: short(of.min_value),
      max_value: short(of.max_value),
    }))
    .toSorted((a, b) => a.column_id - b.column_id),
})

/** The columns as texts of whole numbers, since JSON holds no exact amount. */
const exactly = ({ columns }: Dataset): string =>
  Object.entries(columns)
    .map(([name, { sql }]) => {
      const whole = (value: string): string => `(replace(${value}::varchar, '.', '')::hugeint)::varchar`
      if (sql === 'TIMESTAMP') return `epoch_us("${name}")::varchar as "${name}"`
      if (sql === 'DECIMAL(9,6)[]') return `[${whole('x')} for x in "${name}"] as "${name}"`
      if (sql === 'BIGNUM') return `"${name}"::varchar as "${name}"`
      if (sql.startsWith('DECIMAL')) return `${whole(`"${name}"`)} as "${name}"`
      return sql.endsWith('INT') || sql === 'INTEGER' ? `"${name}"::varchar as "${name}"` : `"${name}"`
    })
    .join(', ')
const exact = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(exact)
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
}

const exactRow = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, exact(value)]))

test.each(Object.values(stored))('a few rows of $name are written as DuckDB writes them', async (dataset) => {
  const { writer, scratch, home } = await newLake()
  const file = join(home, 'few.parquet')
  const select = `select ${columnsOf(dataset)} from ${parquetRows(dataset, [file])}`
  const ordered = `${select} order by ${dataset.key.map((name) => `"${name}"`).join(', ')}`
  const metadata = `{"a": "é'"}`
  const keyOf = (row: Record<string, unknown>): string => dataset.key.map((name) => `${String(row[name])}\0`).join('')
  await fc.assert(
    fc.asyncProperty(rowsOf(dataset), async (rows) => {
      const few = await writeFew(dataset, { rows, source: 'venue_x', metadata })
      if ('file' in few.body) throw new Error('a file; expected bytes')
      await writeFile(file, few.body)
      await withConnection(writer, async (connection) => {
        const all = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
        const found = await all(`select ${exactly(dataset)} from (${select})`)
        const given = rows.map((row): [string, unknown] => [keyOf(row), exactRow({ ...row, source: 'venue_x' })])
        expect(new Map(found.map((row) => [keyOf(row), exactRow(row)]))).toEqual(new Map(given))
        expect(found).toEqual(await all(`select ${exactly(dataset)} from (${ordered})`))
        const byDuckDB = await writeParquet(connection, scratch, dataset, { select: ordered, metadata })
        expect(comparable(few)).toEqual(comparable(byDuckDB))
        expect(await all(`select decode(value) as text from parquet_kv_metadata(${literal(file)})`)).toEqual([
          { text: metadata },
        ])
        expect(await all(`select footer_size as n from parquet_file_metadata(${literal(file)})`)).toEqual([
          { n: String(few.footer_bytes) },
        ])
      })
    }),
    { numRuns: sized(6, 12, 40) },
  )
})

test('nulls of a key come last, beside texts in and outside the basic plane', async () => {
  const { pools } = datasets
  const of = (factory: string | null) => ({
    chain: 'base',
    pool: '0x1',
    seen_at: noon,
    family: 'uniswap_v3',
    tokens: [],
    factory,
    created_at: null,
    created_tx: null,
  })
  const { writer, home } = await newLake()
  const file = join(home, 'few.parquet')
  for (const texts of [
    ['a', 'b'],
    ['\uffee', '\u{10000}'],
  ]) {
    const rows = [null, ...texts.toReversed()].map(of)
    const few = await writeFew(pools, { rows, source: 'venue_x', metadata: '{}' })
    if ('file' in few.body) throw new Error('a file; expected bytes')
    await writeFile(file, few.body)
    await withConnection(writer, async (connection) => {
      const found = await connection.runAndReadAll(`select factory from ${parquetRows(pools, [file])}`)
      expect(found.getRows()).toEqual([...texts, null].map((text) => [text]))
    })
  }
})
