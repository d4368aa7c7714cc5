import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'

/** An open database, and what its values are there. */
export type RowStore<Tables> = {
  db: Kysely<Tables>
  dialect: 'sqlite' | 'postgres'
}

export type RowCopy = {
  isCopied: (table: string) => boolean
  /** An instant of PostgreSQL as the text of SQLite. */
  instantText: (at: Date) => string
}

/** Databases limit the parameters of a statement, and a table may have 28 columns. */
const rowsAtOnce = 500

/**
 * Replaces the rows of a database by those of another one, as of one instant and in one transaction. Both have the same
 * tables. They are filled in the order of their creation: a row may refer to a table that was created before. Returns
 * the number of rows.
 */
export async function copyRows<A, B>(source: RowStore<A>, target: RowStore<B>, copy: RowCopy): Promise<number> {
  const reading = source.db.transaction()
  const readable = source.dialect === 'postgres' ? reading.setIsolationLevel('repeatable read') : reading
  return readable.execute((from) =>
    target.db.transaction().execute((to) => copyAll({ source, from, target, to }, copy)),
  )
}

type Sides<A, B> = { source: RowStore<A>; from: Transaction<A>; target: RowStore<B>; to: Transaction<B> }

async function copyAll<A, B>({ source, from, target, to }: Sides<A, B>, copy: RowCopy): Promise<number> {
  const tables = await tablesOf(target.dialect, to, copy.isCopied)
  for (const table of (await tablesOf(source.dialect, from, copy.isCopied)).keys())
    if (!tables.has(table)) throw new Error(`table ${table}: unknown; expected one of ${[...tables.keys()].join(', ')}`)
  for (const table of [...tables.keys()].toReversed()) await sql`delete from ${sql.table(table)}`.execute(to)
  let n_rows = 0
  for (const [table, columns] of tables) {
    const convert = converterFor(target.dialect, copy.instantText)
    const names = sql.join(columns.map(({ column }) => sql.ref(column)))
    for await (const rows of pagesOf(source.dialect, from, sql`${names} from ${sql.table(table)}`)) {
      const values = rows.map((row) => sql`(${sql.join(columns.map((each) => convert(row[each.column], each.type)))})`)
      await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(to)
      n_rows += rows.length
    }
  }
  return n_rows
}

type Column = { table: string; column: string; type: string }

/** The tables of a database with their columns, in the order of their creation. */
async function tablesOf<T>(
  dialect: RowStore<T>['dialect'],
  tx: Transaction<T>,
  isCopied: RowCopy['isCopied'],
): Promise<Map<string, Column[]>> {
  const query =
    dialect === 'postgres'
      ? sql<Column>`select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type
          from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
          where c.relkind = 'r' and n.nspname = current_schema() and a.attnum > 0 and not a.attisdropped
          order by c.oid, a.attnum`
      : sql<Column>`select m.name as "table", p.name as "column", p.type from sqlite_master m, pragma_table_info(m.name) p
          where m.type = 'table' and m.name not like 'sqlite_%' order by m.rowid, p.cid`
  const tables = new Map<string, Column[]>()
  for (const column of (await query.execute(tx)).rows.filter(({ table }) => isCopied(table)))
    tables.set(column.table, [...(tables.get(column.table) ?? []), column])
  return tables
}

type Row = Record<string, unknown>

/** The rows of a select, by their place in the file of the database. */
async function* pagesOf<T>(
  dialect: RowStore<T>['dialect'],
  tx: Transaction<T>,
  select: RawBuilder<unknown>,
): AsyncGenerator<Row[], void> {
  const [place, type, first] = dialect === 'postgres' ? ['ctid', 'tid', '(0,0)'] : ['rowid', 'integer', '0']
  const after = (last: string): RawBuilder<Row & { row_place: string }> =>
    sql`select cast(${sql.ref(place)} as text) as row_place, ${select}
      where ${sql.ref(place)} > cast(${last} as ${sql.raw(type)}) order by ${sql.ref(place)} limit ${rowsAtOnce}`
  for (let last: string | undefined = first; last !== undefined;) {
    const rows: (Row & { row_place: string })[] = (await after(last).execute(tx)).rows
    if (rows.length > 0) yield rows
    last = rows.at(-1)?.row_place
  }
}

/** Converts a value of one database to that of another. */
const converterFor =
  (dialect: 'sqlite' | 'postgres', instantText: RowCopy['instantText']) =>
  (value: unknown, type: string): unknown => {
    if (dialect === 'postgres') return type === 'boolean' && typeof value === 'number' ? value !== 0 : value
    if (value instanceof Date) return instantText(value)
    return typeof value === 'boolean' ? Number(value) : value
  }
