import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

/** Columns by name, with their types. */
export type Columns = Map<string, string>

/** The tables of a home that are compared row by row, by their names in the report. */
export type Tables = {
  columns: Map<string, Columns>
  /** The hash of all rows over some columns, and that of each of the columns alone. */
  hash: (table: string, columns: readonly string[]) => Promise<{ rows: string; columns: string[] }>
  close: () => void
}

/** The relations of tables: each a select, or a name. */
export type Relations = Map<string, string>

/** Opens a file of DuckDB for reading; undefined: an empty database. */
export async function openTables(
  file: string | undefined,
  relationsOf: (query: Query) => Promise<Relations>,
): Promise<Tables> {
  const options = { threads: '2', memory_limit: '2GB' }
  const instance = await (file === undefined
    ? DuckDBInstance.create(':memory:', options)
    : DuckDBInstance.create(file, { ...options, access_mode: 'READ_ONLY' }))
  const connection = await instance.connect()
  const query = queryOf(connection)
  const relations = await relationsOf(query)
  const columns = new Map<string, Columns>()
  for (const [name, relation] of relations) {
    const rows = await query(
      `describe from ${relation}`,
      z.object({ column_name: z.string(), column_type: z.string() }),
    )
    columns.set(name, new Map(rows.map(({ column_name, column_type }) => [column_name, column_type])))
  }
  return {
    columns,
    hash: async (table, names) => {
      const quoted = names.map((name) => `"${name}"`)
      // The sum of hashes does not depend on the order of the rows.
      const sums = [quoted.join(), ...quoted].map(
        (values, n) => `coalesce(sum(hash(${values})::hugeint), 0)::varchar as h${n}`,
      )
      const [sum = {}] = await query(
        `select count(*)::varchar as n, ${sums.join()} from ${relations.get(table)}`,
        z.record(z.string(), z.string()),
      )
      return { rows: `${sum['n']} rows, ${sum['h0']}`, columns: names.map((_, n) => String(sum[`h${n + 1}`])) }
    },
    close: () => {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

export type Query = <T>(sql: string, shape: z.ZodType<T>) => Promise<T[]>

const queryOf =
  (connection: DuckDBConnection): Query =>
  async (sql, shape) =>
    z.array(shape).parse((await connection.runAndReadAll(sql)).getRowObjectsJson())

const relation = z.object({ schema_name: z.string(), table_name: z.string() })

/** Every table and view of the analysts' file but the description of its build. */
export const analystsTables = async (query: Query): Promise<Relations> => {
  const rows = await query(
    `select distinct schema_name, table_name from duckdb_columns()
     where not internal and schema_name not in ('meta', 'main') order by all`,
    relation,
  )
  return new Map(
    rows.map(({ schema_name, table_name }) => [`${schema_name}.${table_name}`, `${schema_name}."${table_name}"`]),
  )
}

const built = z.object({ name: z.string(), as_of: z.string(), n_rows: z.string(), content_hash: z.string() })

/** The content hashes that a build wrote into a file, by table. */
export async function contentHashes(file: string): Promise<Map<string, string>> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const rows = await queryOf(connection)('select name, as_of, n_rows, content_hash from meta.build', built)
    return new Map(
      rows.map(({ name, as_of, n_rows, content_hash }) => [name, `${n_rows} rows as of ${as_of}, ${content_hash}`]),
    )
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
