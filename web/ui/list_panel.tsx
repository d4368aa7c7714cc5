import type { ComponentChildren } from 'preact'

import { DataTable, type DataTableProps } from './data_table.tsx'
import { Panel } from './panel.tsx'

type ListPanelProps<T> = Omit<DataTableProps<T>, 'caption' | 'rows'> & {
  title: string
  about: string
  more?: { href: string; text: string }
  /** The table in words; by default the title. */
  caption?: string
  /** Undefined before the first answer. */
  rows: readonly T[] | undefined
  error: string | null
  /** Below the table. */
  children?: ComponentChildren
}

/** A list in a part of a page. A failure has no table: no rows is another answer. */
export function ListPanel<T>({
  title,
  about,
  more,
  caption = title,
  rows,
  error,
  children,
  ...table
}: ListPanelProps<T>) {
  const isFailed = rows === undefined && error !== null
  return (
    <Panel title={title} about={about} {...(more && { more })} error={error}>
      {!isFailed && <DataTable {...table} caption={caption} rows={rows ?? null} />}
      {children}
    </Panel>
  )
}
