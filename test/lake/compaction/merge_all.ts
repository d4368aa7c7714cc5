import { mergeFiles } from '#lake/compaction/merge.ts'
import type { Lake } from '#lake/lake.ts'
import { stored } from '#lake/sql.ts'

/** Merges the files of each dataset and source into one, also where compaction would leave them alone. */
export async function mergeAll(lake: Lake): Promise<{ n_files: number }> {
  let n_files = 0
  for (const dataset of Object.keys(stored)) {
    const files = await lake.catalog.db
      .selectFrom('ducklake_data_file as f')
      .innerJoin('tapeline_files as t', 't.data_file_id', 'f.data_file_id')
      .select(['f.data_file_id', 'f.path', 't.first_unit', 't.source'])
      .select(['f.record_count as n_rows', 'f.file_size_bytes as bytes'])
      .where('f.table_id', '=', lake.catalog.tableIds.get(dataset) ?? -1)
      .where('f.end_snapshot', 'is', null)
      .execute()
    for (const source of new Set(files.map((file) => file.source))) {
      const own = files.filter((file) => file.source === source).map((file) => ({ ...file, n_deleted: 0 }))
      if (own.length < 2) continue
      if ((await mergeFiles(lake, { dataset, source, files: own })) === undefined)
        throw new Error(`${dataset} of ${source}: not merged; expected a merge without conflict`)
      n_files += own.length
    }
  }
  return { n_files }
}
