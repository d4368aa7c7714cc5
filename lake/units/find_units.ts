import { z } from 'zod'

import type { DatasetName } from '#lake/datasets/index.ts'
import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { localFiles } from '#lake/snapshot.ts'
import { lakeTable, numberedRows } from '#lake/sql.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

/**
 * The units of a source that hold rows with some keys, in order. A key has the columns of the dataset's key as texts.
 */
export async function findUnits(
  { catalog, storage, writer }: Lake,
  { source, dataset: name, keys }: { source: string; dataset: DatasetName; keys: readonly (readonly string[])[] },
): Promise<string[]> {
  const places = await catalog.db
    .selectFrom('tapeline_rows as r')
    .innerJoin('ducklake_data_file as f', 'f.data_file_id', 'r.data_file_id')
    .innerJoin('tapeline_files as t', 't.data_file_id', 'r.data_file_id')
    .select(['r.unit', 'f.path', 'r.first_row', 'r.n_rows'])
    .where('r.table_id', '=', catalog.tableIds.get(name) ?? -1)
    .where('t.source', '=', source)
    .where('r.n_rows', '>', 0)
    .execute()
  if (places.length === 0 || keys.length === 0) return []
  const { root } = lakeTable(name)
  const names = await localFiles(
    { storage },
    places.map(({ path }) => `${root}/${path}`),
  )
  const located = places.map(({ unit, first_row, n_rows }, n) => ({
    unit,
    in_file: names[n] ?? '',
    first_row,
    last_row: first_row + n_rows - 1,
  }))
  const key = `[${datasets[name].key.map((column) => `"${column}"::varchar`).join(', ')}]`
  const placeType = '[{"unit": "VARCHAR", "in_file": "VARCHAR", "first_row": "BIGINT", "last_row": "BIGINT"}]'
  return withConnection(writer, async (connection) => {
    const reader = await connection.runAndReadAll(
      `with place as (select unnest(from_json($places, ${literal(placeType)}), recursive := true))
       select distinct unit from ${numberedRows(datasets[name], [...new Set(names)])}
       join place on filename = in_file and file_row_number between first_row and last_row
       where ${key} in (select unnest(from_json($keys, '[["VARCHAR"]]'))) order by unit`,
      { places: JSON.stringify(located), keys: JSON.stringify(keys) },
    )
    return z
      .array(z.object({ unit: z.string() }))
      .parse(reader.getRowObjectsJS())
      .map(({ unit }) => unit)
  })
}
