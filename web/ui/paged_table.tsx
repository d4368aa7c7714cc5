import type { Answer } from '#web/client/visit.ts'

import { DataTable, type DataTableProps } from './data_table.tsx'
import { ListFoot } from './list_foot.tsx'
import { Failure } from './notice.tsx'
import type { Load } from './use_load.ts'

type PagedTableProps<T> = Omit<DataTableProps<T>, 'rows' | 'n_expected'> & {
  load: Load<Answer<T[]>>
  /** A row, in words. */
  noun: string
  /** The list without its page, for the CSV. */
  path: string
  showMore: () => void
}

/** A list of `/v1` as a table, with the failure of its reading above and further rows below. */
export function PagedTable<T>({ load, noun, path, showMore, ...table }: PagedTableProps<T>) {
  const { data, error } = load
  return (
    <>
      <Failure message={error} />
      <DataTable {...table} rows={data?.body ?? null} n_expected={20} />
      {data !== null && data.total > 0 && (
        <ListFoot total={data.total} n_shown={data.body.length} noun={noun} path={path} showMore={showMore} />
      )}
    </>
  )
}
