import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { DuckDBDataChunk, type DuckDBInstance } from '@duckdb/node-api'

import { datasets } from '#lake/datasets/index.ts'
import type { UnitRows } from '#lake/units/column_batch.ts'
import { writeRows } from '#lake/units/write_rows.ts'
import { literal, parquet, openDuckDB, withConnection } from '#storage/duckdb.ts'

/**
 * The cost of writing a unit: `npm run bench -- write [--rows 250000] [--runs 5]`. The same fills are written as
 * objects, as columns, and by the appender alone. The appender gets encoded values, without a check or a digest. The
 * lines `ratio rows <n>` and `ratio columns <n>` are the appender's time divided by the time of each form. The times
 * are medians of all runs.
 */
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '250000' }, runs: { type: 'string', default: '5' } },
})
const n_rows = Number(values.rows)
const dataset = datasets.fills
const source = 'bench'

const columns: Record<string, readonly unknown[]> = {
  venue: filled(() => 'venue'),
  token_id: filled((n) => `0x${((n * 7919) % 5_000).toString(16).padStart(40, '0')}`),
  ts: filled((n) => 1_790_000_000_000_000 + n * 1_000),
  tx: filled((n) => `0x${n.toString(16).padStart(64, '0')}`),
  trader: filled((n) => `0x${((n * 104_729) % 20_000).toString(16).padStart(40, '0')}`),
  side: filled((n) => (n % 2 === 0 ? 'buy' : 'sell')),
  price: filled((n) => BigInt(n % 1_000_000)),
  size: filled((n) => BigInt(n) * 1_000_000n),
  seq: filled(() => 0),
  cash_usd: filled((n) => (n % 3 === 0 ? null : BigInt(n) * 500_000n)),
}

function filled<T>(of: (n: number) => T): T[] {
  return Array.from({ length: n_rows }, (_, n) => of(n))
}

/** The appender with encoded values, then the ordered copy. */
async function writeBare(instance: DuckDBInstance, file: string): Promise<void> {
  const all = Object.entries(dataset.columns)
  await withConnection(instance, async (connection) => {
    await connection.run(`create temp table rows (${all.map(([name, { sql }]) => `"${name}" ${sql}`).join(', ')})`)
    const appender = await connection.createAppender('rows')
    const types = all.map(([, { duckdb }]) => duckdb)
    for (let start = 0; start < n_rows; start += 2048) {
      const end = Math.min(start + 2048, n_rows)
      const chunk = DuckDBDataChunk.create(types, end - start)
      for (const [index, [name]] of all.entries()) chunk.setColumnValues(index, encoded[name]?.slice(start, end) ?? [])
      appender.appendDataChunk(chunk)
    }
    appender.closeSync()
    const order = dataset.key.map((name) => `"${name}"`).join(', ')
    await connection.run(`copy (from rows order by ${order}) to ${literal(file)} (${parquet})`)
  })
}

const encoded = Object.fromEntries(
  Object.entries(dataset.columns).map(([name, { encode }]) => {
    const given = columns[name] ?? filled(() => (name === 'source' ? source : null))
    return [name, given.map((value) => (value === null ? null : encode(value)))]
  }),
)
const objects = filled((n) => Object.fromEntries(Object.entries(columns).map(([name, given]) => [name, given[n]])))

const scratch = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
try {
  const instance = await openDuckDB({ threads: 1, memory: '2GB', scratch })
  const write = async (rows: UnitRows): Promise<void> => {
    const { body } = await writeRows(instance, scratch, dataset, { rows, source, metadata: '' })
    if ('file' in body) await rm(body.file)
  }
  const ways: Record<string, () => Promise<void>> = {
    bare: () => writeBare(instance, join(scratch, 'bare.parquet')),
    columns: () => write({ columns, n_rows }),
    rows: () => write(objects),
  }
  const took = new Map(Object.keys(ways).map((way): [string, number[]] => [way, []]))
  for (let run = 0; run < Number(values.runs); run++) {
    for (const [way, work] of Object.entries(ways)) {
      const start_ms = performance.now()
      await work()
      took.get(way)?.push(performance.now() - start_ms)
    }
  }
  const median = (way: string): number => {
    const all = (took.get(way) ?? []).toSorted((a, b) => a - b)
    return all[Math.floor(all.length / 2)] ?? Number.NaN
  }
  for (const way of took.keys()) console.log(`${way.padEnd(8)} ${n_rows} rows in ${(median(way) / 1000).toFixed(3)} s`)
  console.log(`ratio rows ${(median('bare') / median('rows')).toFixed(3)}`)
  console.log(`ratio columns ${(median('bare') / median('columns')).toFixed(3)}`)
  instance.closeSync()
} finally {
  await rm(scratch, { recursive: true, force: true })
}
