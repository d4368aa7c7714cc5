import type { DuckDBConnection } from '@duckdb/node-api'

import type { Model } from '#builder/model.ts'
import { literal } from '#storage/duckdb.ts'

/** The meaning of columns: by name, or by `table.name` for the tables of a name in which it is narrower. */
export type ColumnDocs = Readonly<Record<string, string>>

/** The meanings of a dictionary and of the headers of models. */
export const meaningsIn = (docs: ColumnDocs, models: readonly Model[]): ColumnDocs => ({
  ...docs,
  ...Object.fromEntries(models.flatMap((model) => (model.kind === 'sql' ? Object.entries(model.meanings) : []))),
})

/** The meaning of a column; undefined if the dictionary has none. */
export const docOf = (docs: ColumnDocs, table: string, column: string): string | undefined =>
  docs[`${table}.${column}`] ?? docs[column]

/** A column of a table or view, and its comment. */
export type Column = { schema: string; table: string; name: string; type: string; comment: string | null }

/** The columns of an attached file, in the order of its tables. */
export async function columnsOf(connection: DuckDBConnection, database: string): Promise<Column[]> {
  const reader = await connection.runAndReadAll(
    `select schema_name as schema, table_name as "table", column_name as name, data_type as type, comment
     from duckdb_columns() where database_name = $database and not internal
     order by schema_name, table_name, column_index`,
    { database },
  )
  return reader.getRowObjectsJson() as Column[]
}

/** Writes comments into the database in use, in one transaction: one for each comment takes 30 times as long. */
export async function commentColumns(connection: DuckDBConnection, columns: readonly Column[]): Promise<void> {
  const statements = columns
    .filter(({ comment }) => comment !== null)
    .map(
      ({ schema, table, name, comment }) =>
        `comment on column ${schema}."${table}"."${name}" is ${literal(comment ?? '')};`,
    )
  await connection.run(['begin;', ...statements, 'commit'].join('\n'))
}
