import { sql, type Transaction } from 'kysely'

import type { Database } from './database.ts'
import { addCodes } from './former_reasons.ts'
import type { CatalogTables } from './tables.ts'

/** The columns that versions added to tables of the catalog after these had rows. */
const added = [
  { table: 'tapeline_coverage', column: 'n_read', type: 'bigint' },
  { table: 'tapeline_coverage', column: 'n_rejected', type: 'bigint' },
  { table: 'tapeline_coverage', column: 'gaps', type: 'varchar' },
  { table: 'tapeline_coverage', column: 'reason_code', type: 'varchar' },
  { table: 'tapeline_coverage', column: 'resume', type: 'varchar' },
] as const

/**
 * Adds the columns that the catalog of a former version lacks. They are null in its rows, but for the codes of their
 * reasons. Others wait meanwhile.
 */
export async function addColumns(tx: Transaction<CatalogTables>, dialect: Database['dialect']): Promise<void> {
  for (const { table, column, type } of added) {
    const columns =
      dialect === 'postgres'
        ? sql<{ name: string }>`select column_name as name from information_schema.columns
            where table_schema = current_schema() and table_name = ${table}`
        : sql<{ name: string }>`select name from pragma_table_info(${table})`
    const { rows } = await columns.execute(tx)
    if (rows.some(({ name }) => name === column)) continue
    await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${sql.raw(type)}`.execute(tx)
    if (column === 'reason_code') await addCodes(tx)
  }
}
