import { sql, type RawBuilder } from 'kysely'

import { coverage } from '#lake/datasets/index.ts'

import type { Catalog } from './catalog.ts'

/**
 * A snapshot of the lake, and the units to read of it: those whose id begins with one of the prefixes. Of coverage
 * alone, those that begin with one of `without` may be left out instead.
 */
export type Selection = { snapshot: number; prefixes?: readonly string[] | undefined; without?: readonly string[] }

/** Units are read so many at a time. */
const pageUnits = 20_000

/**
 * The coverage entries as of a snapshot, a page at a time, each as lines of JSON arrays in the order of the columns.
 * The database makes the text and DuckDB reads it, which costs a fifth of rows as objects.
 */
export async function* coverageAt(
  { db, jsonRows }: Pick<Catalog, 'db' | 'jsonRows'>,
  { snapshot, prefixes, without = [] }: Selection,
): AsyncGenerator<string> {
  const ranges =
    prefixes?.map((prefix) => sql`(unit >= ${prefix} and unit < ${after(prefix)})`) ??
    (without.length === 0 ? undefined : rangesWithout(without))
  // A constant among the ranges would keep SQLite from its index.
  const isIn = ranges === undefined ? sql`true` : ranges.length === 0 ? sql`false` : sql.join(ranges, sql` or `)
  const page = (last: string): RawBuilder<unknown> =>
    sql`from tapeline_coverage where begin_snapshot <= ${snapshot} and (end_snapshot is null or end_snapshot > ${snapshot})
      and (${isIn}) and unit > ${last}`
  let last: string | undefined = ''
  while (last !== undefined) {
    const bounds: { rows: { unit: string }[] } = await sql<{
      unit: string
    }>`select distinct unit ${page(last)} order by unit limit 1 offset ${pageUnits - 1}`.execute(db)
    const end = bounds.rows[0]?.unit
    const upTo = end === undefined ? sql`true` : sql`unit <= ${end}`
    const { rows } = await sql<{
      text: string
    }>`select ${jsonRows(Object.keys(coverage.columns))} as text ${page(last)} and ${upTo}`.execute(db)
    yield* rows.flatMap(({ text }) => (text === null ? [] : [text]))
    last = end
  }
}

/** The ranges of units between those that begin with one of some prefixes, none of which begins with another. */
function rangesWithout(prefixes: readonly string[]): RawBuilder<unknown>[] {
  const sorted = prefixes.toSorted()
  return [undefined, ...sorted].map((before, n) => {
    const next = sorted[n]
    const isBelow = next === undefined ? sql`` : sql` and unit < ${next}`
    return sql`(unit >= ${before === undefined ? '' : after(before)}${isBelow})`
  })
}

/** The smallest text that is greater than all texts with a prefix, in the order of their bytes. */
export const after = (prefix: string): string => `${prefix}\u{10FFFF}`
