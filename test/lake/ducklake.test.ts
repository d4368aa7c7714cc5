import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { vacuum } from '#lake/compaction/vacuum.ts'
import type { Lake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import { stored } from '#lake/sql.ts'
import { findDuckLake } from '#scripts/ducklake/find.ts'
import { literal } from '#storage/duckdb.ts'
import { DAY, machineClock } from '#time.ts'

import { commands, startPostgres, type PostgresServer } from './catalog/postgres.ts'
import { mergeAll } from './compaction/merge_all.ts'
import { lifeOf, market, newHome, newLake, noon, quote, storeRows } from './fixture.ts'

const files = findDuckLake()
if (files === undefined)
  console.warn('skipped: the extension ducklake is missing; npx tsx scripts/ducklake.ts installs it')

/** The number of rows, and the sum of their hashes. */
const sumShape = z.object({ n: z.coerce.number(), hashes: z.string().nullable() })
const sumOf = (table: string): string =>
  `select count(*) as n, sum(hash(one)::hugeint)::varchar as hashes from (from ${table}) one`

/** A lake's home, and the URL of its catalog; without one the catalog is in SQLite. */
type Place = { home: string; database: string | undefined }

/** DuckDB with its own extension, as a client has it. */
async function attach({ home, database }: Place): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { allow_unsigned_extensions: 'true' })
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  for (const file of files ?? []) await connection.run(`load ${literal(file)}`)
  const catalog = database === undefined ? `sqlite:${home}/catalog.sqlite` : `postgres:${database}`
  await connection.run(`attach ${literal(`ducklake:${catalog}`)} as tapeline (read_only)`)
  return connection
}

/** Expects that DuckDB's extension and Tapeline's reader see the same rows of every dataset in some snapshots. */
async function expectSame(lake: Lake, place: Place, snapshots: readonly number[]): Promise<number[]> {
  const connection = await attach(place)
  const counts: number[] = []
  for (const snapshot of snapshots) {
    for (const dataset of Object.keys(stored)) {
      const reader = await connection.runAndReadAll(sumOf(`tapeline.lake.${dataset} at (version => ${snapshot})`))
      const theirs = z.array(sumShape).parse(reader.getRowObjectsJS())
      const ours = await lake.read(({ query }) => query(sumOf(`lake.${dataset}`), sumShape), snapshot)
      expect({ snapshot, dataset, rows: theirs }).toEqual({ snapshot, dataset, rows: ours })
      counts.push(theirs[0]?.n ?? 0)
    }
  }
  return counts
}

let server: PostgresServer | undefined
beforeAll(async () => {
  if (commands !== undefined) server = await startPostgres()
})
afterAll(() => server?.stop())

describe.each(['SQLite', 'PostgreSQL'])("DuckDB's own extension, with a catalog in %s", (kind) => {
  beforeEach(({ skip }) => {
    skip(files === undefined, 'the extension is missing')
    skip(kind === 'PostgreSQL' && server === undefined, 'PostgreSQL is missing')
  })

  test('reads every dataset as Tapeline does, now and in older snapshots, before and after merges and a vacuum', async () => {
    const place = { home: await newHome(), database: kind === 'SQLite' ? undefined : await server?.newDatabase() }
    const lake = await newLake(place)
    const keys = Array.from({ length: 12 }, (_, n) => `0x${n}`)
    const store = (key: string, n: number) =>
      storeRows(
        lake,
        lifeOf(key),
        {
          quotes: Array.from({ length: n }, (_, i) => quote(key, noon + i, { bid: BigInt(i), size: 10n ** 30n })),
          markets: [market(key, { tags: ['é😀', ''], taker_fee_rate: 20_000n })],
        },
        { rejected: n % 3 === 0 ? [{ dataset: 'quotes', reason: 'x', body: { key } }] : [] },
      )
    for (const [n, key] of keys.entries()) await store(key, n)
    const snapshots = [3, await latestSnapshot(lake.catalog)]
    const before = await expectSame(lake, place, snapshots)
    expect(Math.min(...before.filter((n) => n > 0))).toBeGreaterThan(0)
    await mergeAll(lake)
    snapshots.push(await latestSnapshot(lake.catalog))
    // Some units of the merged files change, one of them loses its rows.
    for (const [key, n] of [
      ['0x3', 9],
      ['0x7', 0],
      ['0x11', 2],
    ] as const)
      await store(key, n)
    snapshots.push(await latestSnapshot(lake.catalog))
    expect((await expectSame(lake, place, snapshots)).slice(0, before.length)).toEqual(before)
    await vacuum(lake, { now: machineClock() + DAY, keep_ms: 1_000 })
    await mergeAll(lake)
    const last = await latestSnapshot(lake.catalog)
    await expectSame(lake, place, [last])
    const [row] = await lake.read(({ query }) =>
      query('select count(*) as n from lake.quotes', z.object({ n: z.bigint() })),
    )
    expect(row?.n).toBe(BigInt(66 - 3 - 7 - 11 + 9 + 0 + 2))
    await expect(expectSame(lake, place, snapshots.slice(0, 1))).rejects.toThrow(/snapshot/i)
  })
})
