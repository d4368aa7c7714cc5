import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import type { Dataset } from '#lake/datasets/dataset.ts'
import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { withConnection } from '#storage/duckdb.ts'
import { isoMicros, type Micros } from '#time.ts'

import { isSpilled, type UnitRows } from './column_batch.ts'
import { toSourceValues, withNumbers, type StoredValues } from './source_values.ts'
import { instantName } from './spilled_rows.ts'
import { storedSelect } from './stored_unit.ts'
import type { Unit } from './unit.ts'
import { appendSpill, createSpill } from './write_rows.ts'

/** What the rows of a reading lack of the stored rows of its unit in a dataset. */
export type Loss = {
  dataset: DatasetName
  n_stored: number
  n_new: number
  /** Stored rows that are not in the reading. */
  n_lost: number
  /** Stored repetitions of rows that are in the reading fewer times. */
  n_repeated: number
  /** Stored rows from the end of the reading on, which it leaves for the next one. */
  n_later: number
  /** Stored values that the same rows of the reading lack, by column; columns without any are left out. */
  values: { column: string; n_stored: number; n_lost: number }[]
  /** The rows that are not in the reading, as their source wrote them. */
  rows: () => Promise<StoredValues[]>
}

const counted = z.record(z.string(), z.coerce.number())

/**
 * Compares the stored rows of a unit with the rows of a new reading, up to an instant (null: all). A row is the same if
 * its identity is, so that a number among equal rows and the instant of a reading make no other row.
 */
export async function compareRows(
  lake: Lake,
  unit: Unit,
  { dataset: name, rows, end }: { dataset: DatasetName; rows: UnitRows; end: Micros | null },
): Promise<Loss> {
  const dataset = datasets[name]
  const stored = await storedSelect(lake, name, unit)
  const columns = comparedColumns(dataset)
  const counts = counted.parse(
    await withTable(lake, name, rows, async (connection) =>
      (await connection.runAndReadAll(lossSql(dataset, { stored, columns, end }))).getRowObjectsJS().at(0),
    ),
  )
  const number = (key: string): number => counts[key] ?? 0
  return {
    dataset: name,
    n_stored: number('n_stored'),
    n_new: number('n_new'),
    n_lost: number('n_lost'),
    n_repeated: number('n_repeated'),
    n_later: number('n_later'),
    values: columns
      .map((column, n) => ({ column, n_stored: number(`stored_${n}`), n_lost: number(`lost_${n}`) }))
      .filter(({ n_lost }) => n_lost > 0),
    rows: () => withTable(lake, name, rows, (connection) => lostRows(connection, dataset, stored)),
  }
}

/** Runs work on a connection whose table `rows` has the rows. */
function withTable<T>(
  { writer }: Lake,
  name: DatasetName,
  rows: UnitRows,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  if (isSpilled(rows)) return work(rows.connection)
  return withConnection(writer, async (connection) => {
    await createSpill(connection, datasets[name])
    await appendSpill(connection, datasets[name], rows)
    return work(connection)
  })
}

/** The columns of the key that a later reading of the same row may give otherwise. */
const restated = new Set(['seq', 'seen_at'])

const identityOf = ({ key, identity }: Dataset): readonly string[] =>
  identity ?? key.filter((column) => !restated.has(column))

/** Whether the rows of a dataset describe a thing, of which a later reading gives a row anew. Others are events. */
export const isDescription = ({ key, identity }: Dataset): boolean => identity !== undefined || key.includes('seen_at')

/** The columns whose values may get lost. A flag has no value that stands for none. */
const comparedColumns = ({ key, columns }: Dataset): string[] =>
  Object.entries(columns).flatMap(([name, { sql, isNullable }]) =>
    name === 'source' || key.includes(name) || (!isNullable && sql !== 'VARCHAR' && !sql.endsWith('[]')) ? [] : [name],
  )

function isFilled({ columns }: Dataset, name: string): string {
  const sql = columns[name]?.sql ?? ''
  if (sql.endsWith('[]')) return `coalesce(len("${name}"), 0) > 0`
  return sql === 'VARCHAR' ? `coalesce("${name}", '') <> ''` : `"${name}" is not null`
}

function lossSql(
  dataset: Dataset,
  { stored, columns, end }: { stored: string; columns: readonly string[]; end: Micros | null },
): string {
  const identity = identityOf(dataset)
    .map((column) => `"${column}"`)
    .join(', ')
  const filled = columns.map((column, n) => `, count(*) filter (${isFilled(dataset, column)}) as c${n}`).join('')
  const instant = instantName(dataset.name as DatasetName)
  const isLater = end === null ? 'false' : `min("${instant}") >= timestamp '${isoMicros(end)}'`
  const sums = columns
    .map(
      (_, n) =>
        `, sum(s.c${n}) filter (is_in) as stored_${n}, sum(greatest(s.c${n} - r.c${n}, 0)) filter (is_in) as lost_${n}`,
    )
    .join('')
  return `with s as (
      select ${identity}, count(*) as n, ${isLater} as is_later${filled} from ${stored} group by all
    ), r as (
      select ${identity}, count(*) as n, true as is_in${filled} from rows group by ${identity}
    )
    select sum(s.n)::bigint as n_stored, (select count(*) from rows) as n_new,
      sum(s.n) filter (is_in is null and not is_later) as n_lost,
      sum(s.n) filter (is_in is null and is_later) as n_later,
      sum(s.n - r.n) filter (r.n < s.n) as n_repeated${sums}
    from s left join r using (${identity})`
}

async function lostRows(connection: DuckDBConnection, dataset: Dataset, stored: string): Promise<StoredValues[]> {
  const identity = identityOf(dataset)
    .map((column) => `"${column}"`)
    .join(', ')
  const sql = `select ${toSourceValues(dataset)} from (from ${stored} anti join rows using (${identity}))`
  const reader = await connection.runAndReadAll(sql)
  return withNumbers(dataset, reader.getRowObjectsJS() as StoredValues[])
}
