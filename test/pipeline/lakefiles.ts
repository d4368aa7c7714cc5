import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import Libsql from 'libsql'
import { z } from 'zod'

const fileShape = z.object({ folder: z.string(), path: z.string(), digest: z.string() })

/** The rows of a select over the catalog of a home, read without the lake's code; none where there is no catalog. */
export function catalogRows<T>(home: string, select: string, row: z.ZodType<T>): T[] {
  const file = join(home, 'catalog.sqlite')
  if (!existsSync(file)) return []
  const database = new Libsql(file, { timeout: 60_000 })
  try {
    // A process may just have created the file, or was killed before its tables.
    if (database.prepare(`select 1 from sqlite_master where name = 'tapeline_metadata'`).all().length === 0) return []
    return z.array(row).parse(database.prepare(select).all())
  } finally {
    database.close()
  }
}

/**
 * Every current data file of a lake with rows, by path without the digest in its name, with the sha256 of its bytes.
 */
export async function parquetFiles(home: string): Promise<Record<string, string>> {
  const rows = catalogRows(
    home,
    `select d.path as folder, f.path, t.digest from ducklake_data_file f join tapeline_files t using (data_file_id)
     join ducklake_table d using (table_id) where f.end_snapshot is null and f.record_count > 0 order by 1, 2`,
    fileShape,
  )
  const hashed = rows.map(async ({ folder, path, digest }) => {
    const bytes = await readFile(join(home, 'lake', folder, path))
    const found = createHash('sha256').update(bytes).digest('hex')
    if (found !== digest) throw new Error(`${path}: its digest is ${found}; expected ${digest}, which the catalog has`)
    return [`${folder}${path.replace(/\.[0-9a-f]{12}\.parquet$/, '.parquet')}`, digest] as const
  })
  return Object.fromEntries(await Promise.all(hashed))
}
