import type { ComponentChildren } from 'preact'

export type Column<T> = {
  name: string
  /** What the figure means, in a sentence. */
  about?: string
  cell: (row: T) => ComponentChildren
  /** A column of words is aligned to the left. */
  isText?: boolean
  /** A column that narrow screens leave out. */
  isWide?: boolean
}

export type DataTableProps<T> = {
  /** The table in words, for screen readers. */
  caption: string
  columns: readonly Column<T>[]
  /** Null before the first answer. */
  rows: readonly T[] | null
  keyOf: (row: T) => string
  /** The rows of the skeleton. */
  n_expected?: number
  /** The name of the column by which the rows are ordered. */
  sortedBy?: string | undefined
  /** What to show in place of no rows. */
  empty: ComponentChildren
}

/** A table of figures: a skeleton before the first answer, and words in place of no rows. */
export function DataTable<T>({ caption, columns, rows, keyOf, n_expected = 8, sortedBy, empty }: DataTableProps<T>) {
  if (rows?.length === 0) return <div class="empty">{empty}</div>
  return (
    <table class="data" aria-busy={rows === null}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.name}
              scope="col"
              class={classOf(column)}
              title={column.about}
              aria-sort={column.name === sortedBy ? 'descending' : undefined}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows === null
          ? Array.from({ length: n_expected }, (_, i) => <SkeletonRow key={i} columns={columns} />)
          : rows.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map((column) => (
                  <td key={column.name} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
      </tbody>
    </table>
  )
}

const classOf = <T,>({ isText, isWide }: Column<T>): string =>
  [isText === true ? 'words' : 'numbers', ...(isWide === true ? ['wide'] : [])].join(' ')

function SkeletonRow<T>({ columns }: { columns: readonly Column<T>[] }) {
  return (
    <tr>
      {columns.map((column) => (
        <td key={column.name} class={classOf(column)}>
          <span class="skeleton" />
        </td>
      ))}
    </tr>
  )
}
