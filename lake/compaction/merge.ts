import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { DuckDBConnection } from '@duckdb/node-api'

import { coverage, type Dataset } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { rowsIn, parquetRows, columnsOf } from '#lake/sql.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

import type { JoinedRows } from './manifest.ts'

/** A unit's rows in a local file. */
export type UnitFile = { name: string; file: string }

/** What goes into a joined file: rows of units, and of files that were joined before, but not those of `without`. */
export type Sources = { units: readonly UnitFile[]; joined: readonly string[]; without?: string }

/**
 * Joins rows into one zstd Parquet file in `scratch`, in the order of the dataset's key, so that the bytes depend on
 * the rows alone. Each row says in `joined_from` which unit it is of: that does not follow from the rows of every
 * source, and a unit that is stored again replaces exactly its own.
 */
export async function writeJoined({ writer, scratch }: Lake, dataset: Dataset, sources: Sources): Promise<JoinedRows> {
  await mkdir(scratch, { recursive: true })
  const file = join(scratch, `${randomUUID()}.parquet`)
  try {
    const n_rows = await withConnection(writer, async (connection) => {
      const rows = rowsFrom(dataset, sources)
      // Two units of a source may hold the same row; one unit never does.
      const order = [...dataset.key, 'joined_from']
      await connection.run(
        `copy (select * from (${rows}) order by ${order.map((name) => `"${name}"`).join(', ')})
         to ${literal(file)} (format parquet, compression zstd)`,
      )
      const n_written = await numberFrom(connection, `select count(*) from ${parquetRows(dataset, [file])}`)
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
  const stored = `select ${columns} from ${parquetRows(dataset, [joined])} where joined_from = ${literal(name)}`
  const given = units.length === 0 ? `${stored} and false` : `select ${columns} from ${rowsIn(dataset, filesOf(units))}`
  return withConnection(writer, async (connection) => {
    const differing = `select * from ((${stored}) except all (${given})) union all ((${given}) except all (${stored}))`
    return (await numberFrom(connection, `select count(*) from (${differing})`)) === 0
  })
}

const filesOf = (units: readonly UnitFile[]): string[] => units.map(({ file }) => file)

/** The rows, each with the unit that it is of: in a unit's own file that is not said. */
function rowsFrom(dataset: Dataset, { units, joined, without }: Sources): string {
  const names = units.map(({ name, file }) => `(${literal(file)}, ${literal(name)})`)
  const own = `left join (values ${names.join(', ')}) u(unit_file, unit_name) on filename = unit_file`
  const select = (rows: string, isOwn: boolean): string =>
    `select ${columnsOf(dataset)}, ${isOwn ? 'coalesce(joined_from, unit_name)' : 'joined_from'} as joined_from
     from ${rows} ${isOwn ? own : ''}`
  const kept = without === undefined ? '' : `where joined_from is distinct from ${literal(without)}`
  // One scan, where they are all Parquet: a sort below a union takes memory that it does not give back.
  if (dataset !== coverage)
    return `${select(parquetRows(dataset, [...filesOf(units), ...joined]), units.length > 0)} ${kept}`
  const selects = [
    ...(units.length === 0
      ? []
      : [select(`(select *, filename, null as joined_from from ${rowsIn(dataset, filesOf(units))})`, true)]),
    ...(joined.length === 0 ? [] : [`${select(parquetRows(dataset, joined), false)} ${kept}`]),
  ]
  return selects.join(' union all ')
}

function countIn(dataset: Dataset, { units, joined, without }: Sources): string {
  const kept = without === undefined ? '' : `where joined_from is distinct from ${literal(without)}`
  const counts = [
    ...(units.length === 0 ? [] : [`(select count(*) from ${rowsIn(dataset, filesOf(units))})`]),
    ...(joined.length === 0 ? [] : [`(select count(*) from ${parquetRows(dataset, joined)} ${kept})`]),
  ]
  return `select ${counts.join(' + ')}`
}

async function numberFrom(connection: DuckDBConnection, sql: string): Promise<number> {
  const reader = await connection.runAndReadAll(sql)
  return Number(reader.getRows()[0]?.[0])
}
