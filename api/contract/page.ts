import type { Snapshot } from '#snapshots/marts.ts'

import type { Selection } from './endpoint.ts'

/** A page of a list. `next` holds the order values of its last row if another page follows. */
export type Page = { rows: Record<string, unknown>[]; next: string[] | null }

/** Reads up to `limit` rows after a position in the list's order. */
export async function readPage(
  snapshot: Snapshot,
  of: { selection: Selection; fields: string[]; limit: number; after: string[] | null },
): Promise<Page> {
  const { selection, fields, limit, after } = of
  const { order } = selection
  const marks = order.map(({ column }, i) => `${column}::varchar as _${i}`)
  const direction = order.map(({ column, isDescending }) => `${column}${isDescending ? ' desc' : ''}`)
  // One row more than the limit shows whether another page follows.
  const found = await snapshot.query(
    `select ${[...fields, ...marks].join(', ')} from (${selection.sql})
     where (${after ? isAfter(order) : 'true'}) ${firstRows(order, { after, n: limit + 1, direction })}`,
    { ...selection.params, ...Object.fromEntries((after ?? []).map((value, i) => [`_${i}`, value])) },
  )
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    rows: page.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]]))),
    next: last ? order.map((_, i) => String(last[`_${i}`])) : null,
  }
}

/**
 * The first `n` rows in order. An interval of a rank needs no limit; with one, the database reads the whole list to
 * find its first rows.
 */
const firstRows = (
  order: Selection['order'],
  { after, n, direction }: { after: string[] | null; n: number; direction: string[] },
): string => {
  const [rank, ...others] = order
  const isInterval = rank?.isRank === true && others.length === 0
  return isInterval
    ? `and ${rank.column} <= ${Number(after?.[0] ?? 0) + n} order by ${rank.column}`
    : `order by ${direction.join(', ')} limit ${n}`
}

/** The rows after a position in the list's order: `a < $_0 or (a = $_0 and b > $_1)`. */
const isAfter = (order: Selection['order']): string =>
  order
    .map(({ column, type, isDescending }, i) => {
      const same = order.slice(0, i).map((before, k) => `${before.column} = $_${k}::${before.type}`)
      return `(${[...same, `${column} ${isDescending ? '<' : '>'} $_${i}::${type}`].join(' and ')})`
    })
    .join(' or ')
