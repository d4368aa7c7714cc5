import type { LakeFiles } from './snapshot.ts'
import { lakeTable, stored } from './sql.ts'
import { digestOf } from './units/write_parquet.ts'

/** A data file that is not as the catalog describes it. */
export type FileFault = { path: string; problem: 'missing' | 'changed'; data_file_id: number }

export type Verified = { n_files: number; faults: FileFault[] }

/** Compares the digest of every current data file with the catalog. It changes nothing. */
export async function verifyLake(
  { catalog, storage }: LakeFiles,
  onProgress: (sofar: Verified) => void = () => undefined,
): Promise<Verified> {
  const verified: Verified = { n_files: 0, faults: [] }
  for (const table of Object.keys(stored)) {
    const files = await catalog.db
      .selectFrom('ducklake_data_file as f')
      .innerJoin('tapeline_files as t', 't.data_file_id', 'f.data_file_id')
      .select(['f.data_file_id', 'f.path', 't.digest'])
      .where('f.table_id', '=', catalog.tableIds.get(table) ?? -1)
      .where('f.end_snapshot', 'is', null)
      .orderBy('f.path')
      .execute()
    for (const { data_file_id, digest, ...file } of files) {
      const path = `${lakeTable(table).root}/${file.path}`
      const isThere = await storage.has(path)
      const isSame = isThere && (await digestOf(storage.read(path))) === digest
      verified.n_files += 1
      // A file that was replaced meanwhile may be gone rightly.
      if (!isSame && (await isCurrent(catalog, data_file_id)))
        verified.faults.push({ path, problem: isThere ? 'changed' : 'missing', data_file_id })
      onProgress(verified)
    }
  }
  return verified
}

async function isCurrent({ db }: LakeFiles['catalog'], id: number): Promise<boolean> {
  const file = db.selectFrom('ducklake_data_file').select('data_file_id').where('data_file_id', '=', id)
  return (await file.where('end_snapshot', 'is', null).executeTakeFirst()) !== undefined
}
