import type { Lake } from '#lake/lake.ts'
import { markUnits } from '#lake/units/mark_units.ts'

import type { Source } from './source.ts'

/**
 * The number of units whose mark changed, and of those that another source contradicts. Both are zero for a source
 * without other sources of the same facts.
 */
export type CrossChecked = { marked: number; contradicted: number }

/**
 * Compares the stored units of a source with the rows of other sources, and marks them. It reads one snapshot, and
 * changes only units whose mark differs, so a repetition changes nothing.
 */
export async function crossCheck(lake: Lake, source: Source): Promise<CrossChecked> {
  if (source.kind === 'stream' || source.crossCheck === undefined) return { marked: 0, contradicted: 0 }
  const marks = await lake.read(async (reader) => (await source.crossCheck?.({ lake: reader })) ?? [])
  await markUnits(lake, marks)
  const contradicted = marks.filter(({ contradiction }) => contradiction !== null)
  return { marked: marks.length, contradicted: contradicted.length }
}
