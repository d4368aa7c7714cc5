import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import type { Dataset } from './datasets.ts'
import { literal, withConnection } from './duckdb.ts'
import type { Lake } from './lake.ts'
import type { Written } from './write.ts'
import { columnsOf, parquetRows, rowsIn } from './views.ts'

/** A unit's rows in a local file. */
export type UnitFile = { name: string; file: string }

/** What goes into a joined file: rows of units, and of files that were joined before, but not those of `without`. */
export type Sources = { units: readonly UnitFile[]; joined: readonly string[]; without?: string }

/** A finished local file of joined rows. */
export type JoinedRows = Written & { n_rows: number }

/**
 * Joins rows into one zstd Parquet file in `scratch`, in the order of the dataset's key and beyond it of everything
 * else, so that the bytes depend on the rows alone. Each row says in `joined_from` which unit it is of: that does not
 * follow from the rows of every source, and a unit that is stored again replaces exactly its own.
 */
export async function writeJoined({ writer, scratch }: Lake, dataset: Dataset, sources: Sources): Promise<JoinedRows> {
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.parquet`)
  try {
    const n_rows = await withConnection(writer, async (connection) => {
      const rows = rowsFrom(dataset, sources)
      const names = Object.keys(dataset.columns)
      const order = [...dataset.key, ...names.filter((name) => !dataset.key.includes(name)), 'joined_from']
      await connection.run(
        `copy (select * from (${rows}) order by ${order.map((name) => `"${name}"`).join(', ')})
         to ${literal(file)} (format parquet, compression zstd)`,
      )
      const n_written = await numberFrom(connection, `select count(*) from ${parquetRows([file])}`)
      const n_read = await numberFrom(connection, countIn(dataset, sources))
      if (n_written !== n_read) throw new Error(`of ${n_read} rows of ${dataset.name} ${n_written} were joined`)
      return n_written
    })
    return { file, digest: await digestOf(file), bytes: (await stat(file)).size, n_rows }
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** The sha256 of a local file of any size. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Whether a joined file already holds exactly the rows of a unit. */
export async function holdsSame(
  { writer }: Lake,
  dataset: Dataset,
  { joined, name, units }: { joined: string; name: string; units: readonly UnitFile[] },
): Promise<boolean> {
  const columns = columnsOf(dataset)
  const stored = `select ${columns} from ${parquetRows([joined])} where joined_from = ${literal(name)}`
  const given = units.length === 0 ? `${stored} and false` : `select ${columns} from ${rowsIn(dataset, filesOf(units))}`
  return withConnection(writer, async (connection) => {
    const differing = `select * from ((${stored}) except all (${given})) union all ((${given}) except all (${stored}))`
    return (await numberFrom(connection, `select count(*) from (${differing})`)) === 0
  })
}

const filesOf = (units: readonly UnitFile[]): string[] => units.map(({ file }) => file)

function rowsFrom(dataset: Dataset, { units, joined, without }: Sources): string {
  const columns = columnsOf(dataset)
  const files = units.map(({ name, file }) => `(${literal(file)}, ${literal(name)})`)
  const others = without === undefined ? '' : `where joined_from <> ${literal(without)}`
  return [
    ...(units.length === 0
      ? []
      : [
          `select ${columns}, joined_from from ${rowsIn(dataset, filesOf(units))} r
           join (values ${files.join(', ')}) f(joined_file, joined_from) on r.filename = f.joined_file`,
        ]),
    ...(joined.length === 0 ? [] : [`select ${columns}, joined_from from ${parquetRows(joined)} ${others}`]),
  ].join(' union all ')
}

function countIn(dataset: Dataset, { units, joined, without }: Sources): string {
  const others = without === undefined ? '' : `where joined_from <> ${literal(without)}`
  const counts = [
    ...(units.length === 0 ? [] : [`(select count(*) from ${rowsIn(dataset, filesOf(units))})`]),
    ...(joined.length === 0 ? [] : [`(select count(*) from ${parquetRows(joined)} ${others})`]),
  ]
  return `select ${counts.join(' + ')}`
}

async function numberFrom(connection: DuckDBConnection, sql: string): Promise<number> {
  const reader = await connection.runAndReadAll(sql)
  return Number(reader.getRows()[0]?.[0])
}
