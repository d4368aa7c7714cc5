import { join } from 'node:path'

import Libsql from 'libsql'
import { z } from 'zod'

import type { Relations } from './tables.ts'

const dataset = z.object({ table_name: z.string(), table_path: z.string(), path: z.string() })
const live = dataset.extend({ first_row: z.number(), n_rows: z.number() })
const coverage = z.looseObject({ dataset: z.string(), unit: z.string() })

/**
 * A row of coverage by its columns. The snapshots count commits, whose order depends on the speed of upstreams. The
 * digest is that of a file, which its path has too.
 */
export type CoverageRow = Map<string, string>

/** What a catalog counts as present. */
export type Lake = {
  /** The rows of each dataset as a select. */
  relations: Relations
  /** By dataset and unit. */
  coverage: Map<string, CoverageRow>
}

/** Reads the catalog of a home, in the layout of DuckLake. */
export function readLake(home: string): Lake {
  const database = new Libsql(join(home, 'catalog.sqlite'), { readonly: true })
  try {
    const all = <T>(sql: string, shape: z.ZodType<T>): T[] => z.array(shape).parse(database.prepare(sql).all())
    const rows = all(
      `select t.table_name, t.path as table_path, f.path, r.first_row, r.n_rows
       from tapeline_rows r join ducklake_data_file f using (data_file_id) join ducklake_table t on t.table_id = r.table_id
       where f.end_snapshot is null and r.n_rows > 0 order by t.table_name, f.path, r.first_row`,
      live,
    )
    const covered = all('select * from tapeline_coverage where end_snapshot is null', coverage)
    return {
      relations: new Map(
        [...new Set(rows.map(({ table_name }) => table_name))].map((name) => [
          name,
          rowsOf(
            join(home, 'lake'),
            rows.filter(({ table_name }) => table_name === name),
          ),
        ]),
      ),
      coverage: new Map(
        covered.map(({ begin_snapshot: _, end_snapshot: __, digest: ___, ...row }) => [
          `${row.dataset} ${row.unit}`,
          new Map(Object.entries(row).map(([name, value]) => [name, JSON.stringify(value)])),
        ]),
      ),
    }
  } finally {
    database.close()
  }
}

/** The rows of a dataset: spans of its files. */
function rowsOf(folder: string, spans: readonly z.output<typeof live>[]): string {
  const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
  const placed = spans.map((span) => ({ ...span, file: text(join(folder, span.table_path, span.path)) }))
  const files = [...new Set(placed.map(({ file }) => file))].join()
  const values = placed.map(({ file, first_row, n_rows }) => `(${file}, ${first_row}, ${first_row + n_rows})`).join()
  return `(select row.* exclude (filename, file_row_number)
    from read_parquet([${files}], filename = true, file_row_number = true, union_by_name = true) as row
    join (values ${values}) as span (file, first, until)
      on filename = file and file_row_number >= first and file_row_number < until)`
}
