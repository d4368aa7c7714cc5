import { addFile, chunks, deleteUnnamed, endFiles } from '#lake/catalog/commit_units.ts'
import { toCoverage, unitMetadata } from '#lake/catalog/coverage_rows.ts'
import type { Lake } from '#lake/lake.ts'
import { localFiles } from '#lake/snapshot.ts'
import { lakeTable, columnsOf, noRows, numberedRows } from '#lake/sql.ts'
import { writeParquet, type Written } from '#lake/units/write_parquet.ts'
import { literal, withConnection } from '#storage/duckdb.ts'

import type { Candidate } from './choose.ts'

/** The rows of a unit in a data file. */
type Place = { unit: string; path: string; data_file_id: number; first_row: number; n_rows: number }

/**
 * Writes the rows of some files into one, unit by unit, and replaces the files by it in one transaction. Undefined if
 * another process changed a unit of theirs meanwhile: then nothing is changed.
 */
export async function mergeFiles(
  lake: Lake,
  { dataset: name, source, files }: { dataset: string; source: string; files: readonly Candidate[] },
): Promise<Written | undefined> {
  const { catalog, storage } = lake
  const { root } = lakeTable(name)
  const ids = files.map(({ data_file_id }) => data_file_id)
  const places = await placesIn(lake, ids)
  const written = await writeMerged(lake, name, places)
  const path = `${source}/merged/${written.digest.slice(0, 16)}.parquet`
  await storage.put(`${root}/${path}`, written.body)
  const isMerged = await catalog.commit(async (commit) => {
    const [left, n_live] = [await placesIn(lake, ids, commit.tx), await countLive(commit.tx, ids)]
    if (n_live < ids.length || left.length < places.length || !(await storage.has(`${root}/${path}`))) return false
    await endFiles(commit, ids)
    for (const part of chunks(ids))
      await commit.tx.deleteFrom('tapeline_rows').where('data_file_id', 'in', part).execute()
    const units = places.map(({ unit, n_rows }) => ({ unit, n_rows }))
    await addFile(catalog, commit, { ...written, dataset: name, path, source, units })
    return true
  })
  if (isMerged) return written
  // Another process may have merged the same files into the same one.
  await deleteUnnamed(catalog, storage, [{ dataset: name, path }])
  return undefined
}

type Db = Pick<Lake['catalog']['db'], 'selectFrom'>

/** The rows in some files, in the order of units. */
async function placesIn({ catalog }: Lake, ids: readonly number[], db: Db = catalog.db): Promise<Place[]> {
  const places: Place[] = []
  for (const part of chunks(ids)) {
    const rows = await db
      .selectFrom('tapeline_rows as r')
      .innerJoin('ducklake_data_file as f', 'f.data_file_id', 'r.data_file_id')
      .select(['r.unit', 'f.path', 'r.data_file_id', 'r.first_row', 'r.n_rows'])
      .where('r.data_file_id', 'in', part)
      .execute()
    places.push(...rows)
  }
  return places.toSorted((a, b) => (a.unit < b.unit ? -1 : 1))
}

async function countLive(db: Db, ids: readonly number[]): Promise<number> {
  let n_live = 0
  for (const part of chunks(ids)) {
    const live = db.selectFrom('ducklake_data_file').select('data_file_id').where('data_file_id', 'in', part)
    n_live += (await live.where('end_snapshot', 'is', null).execute()).length
  }
  return n_live
}

async function writeMerged(lake: Lake, name: string, places: readonly Place[]): Promise<Written> {
  const { dataset, root } = lakeTable(name)
  const filled = places.filter(({ n_rows }) => n_rows > 0)
  const files = await localFiles(
    lake,
    filled.map(({ path }) => `${root}/${path}`),
  )
  const ranges = filled.map(
    (place, n) => `(${literal(files[n] ?? '')}, ${place.first_row}, ${place.first_row + place.n_rows - 1}, ${n})`,
  )
  const select =
    filled.length === 0
      ? noRows(dataset)
      : `select ${columnsOf(dataset)} from ${numberedRows(dataset, [...new Set(files)])}
           asof join (values ${ranges.join(', ')}) place(in_file, first_row, last_row, nth)
             on filename = in_file and file_row_number >= first_row
         where file_row_number <= last_row order by nth, file_row_number`
  const metadata = await metadataOf(lake, name, places)
  const written = await withConnection(lake.writer, (connection) =>
    writeParquet(connection, lake.scratch, dataset, { select, metadata }),
  )
  const n_rows = filled.reduce((sum, place) => sum + place.n_rows, 0)
  if (written.n_rows !== n_rows) throw new Error(`${name}: ${written.n_rows} rows were merged; expected ${n_rows}`)
  return written
}

/**
 * The metadata of a merged file. It counts the rows that the file holds: coverage counts none of a unit that a repair
 * found damaged in another dataset.
 */
async function metadataOf({ catalog, world }: Lake, name: string, places: readonly Place[]): Promise<string> {
  const placed = new Map(places.map(({ unit, n_rows }) => [unit, n_rows]))
  const entries = []
  for (const part of chunks(places.map(({ unit }) => unit))) {
    const rows = catalog.db.selectFrom('tapeline_coverage').selectAll().where('unit', 'in', part)
    const current = await rows.where('end_snapshot', 'is', null).orderBy('unit').orderBy('dataset').execute()
    // The number of a snapshot follows from the order of the commits, and not from the rows.
    entries.push(...current.map(({ begin_snapshot: _, end_snapshot: __, ...row }) => row))
  }
  const counted = entries.map((entry) =>
    entry.dataset === name ? { ...entry, n_rows: placed.get(entry.unit) ?? entry.n_rows } : entry,
  )
  return unitMetadata((await world()) ?? 'real', counted.map(toCoverage))
}
